"""What a roll of Age of Magic decides: success or failure, tiredness, damage, soak."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...errors import Refused
from ...events.base import Effect
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Outcome, Roll, Scored, declined
from .damage import steps_down
from .declare import UNCONSCIOUS, Declaration, halves
from .score import (
    FIRST,
    Standing,
    basic,
    paid_for,
    parts,
    second_risk,
    standing,
)

TRANCE = 5
"""What Trance needs for the first level, unless the roll names another ("Dice rolls")."""

PER_LEVEL = 10  # "Dice rolls": a tiredness level for 5 points, in half points


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown. Raises Refused before the first throw.

    The margin is in half points: the result less the difficulty, or the result itself where
    nothing has to be reached. What its figures are is in `figures`, in the order of the roll.
    """
    opts = Consulted(roll.options)
    throws = _standing(roll, opts)
    value = basic(roll)
    figures: dict[str, Value] = {}
    if roll.declaration.kind == "damage":
        figures["hit_by"] = roll.declaration.margin_halves
    figures |= {part.figure: part.halves for part in parts(roll)}
    if away := declined(roll):
        figures["declined"] = list(away)
    figures |= {"basic": value} | _thrown(value, throws, opts)
    paid = paid_for(roll)
    overdrawn = max(len(hand.dice) for hand in roll.hands) - paid
    if overdrawn > 0 and opts.overdraw_dice:
        figures |= {"paid_for": paid, "overdrawn": overdrawn}
    _looked_up(roll, opts)
    figures["result"] = throws.result
    degree, margin, more, effects = DEGREES[roll.declaration.kind](roll, throws.result)
    return Outcome(degree, margin, figures | more, opts.names, effects)


def scored(roll: Roll) -> Scored:
    """What `outcome` says without its figures; refused where it is."""
    result = _standing(roll, roll.options).result
    degree, margin, _, effects = DEGREES[roll.declaration.kind](roll, result)
    return Scored(degree, margin, effects)


def _standing(roll: Roll, opts: Any) -> Standing:
    if roll.hand(FIRST) is None:
        raise Refused("due", "no risk has been chosen yet", allowed=["roll"])
    return standing(roll, opts)


def _thrown(value: int, made: Standing, opts: Any) -> dict[str, Value]:
    """Every throw, and the one that stands where there are two."""
    figures: dict[str, Value] = {}
    if any(throw.fell > value for throw in made.throws):
        figures |= {"ceiling": value} if opts.ceiling == "basic" else {"no_ceiling": True}
    for throw in made.throws:
        name, dice = throw.hand.name, throw.hand.dice
        figures[f"risk:{name}"] = len(dice)
        if dice:
            figures[f"dice:{name}"] = 2 * sum(int(die.face) for die in dice)
        if len(made.throws) > 1:
            figures[f"throw:{name}"] = throw.counts
    if made.chosen:
        figures["chosen"] = made.chosen
    if len(made.throws) > 1:
        figures["stands"] = made.throws[made.stands].hand.name
    return figures


def _looked_up(roll: Roll, opts: Any) -> None:
    """Look up the readings without which the roll would have been refused, or thrown otherwise."""
    declared: Declaration = roll.declaration
    if declared.push and declared.tired >= UNCONSCIOUS:
        opts.used("push_floor")
    second_risk(roll, opts)


Decided: TypeAlias = tuple[str, int, dict[str, Value], tuple[Effect, ...]]
"""Degree, margin, figures, effects."""


def _against(result: int, difficulty: float) -> Decided:
    """Success where the result is the difficulty or more ("Dice rolls")."""
    needed = halves("difficulty", difficulty)
    degree = "success" if result >= needed else "failure"
    return degree, result - needed, {"difficulty": needed}, ()


def _simple(roll: Roll, result: int) -> Decided:
    difficulty = roll.declaration.difficulty
    return ("result", result, {}, ()) if difficulty is None else _against(result, difficulty)


def _trance(roll: Roll, result: int) -> Decided:
    """One level at the difficulty, another for each 5 points beyond ("Dice rolls")."""
    needed = roll.declaration.difficulty
    degree, margin, figures, _ = _against(result, TRANCE if needed is None else needed)
    if margin < 0:
        return degree, margin, {**figures, "levels_regained": 0}, ()
    more = margin // PER_LEVEL
    figures |= {"more_levels": more, "levels_regained": 1 + more}
    return degree, margin, figures, (Effect(roll.character, "tiredness", -1 - more),)


def _tiring(roll: Roll, result: int) -> Decided:
    """A level for each 5 points, or part of them, that are missing ("Dice rolls")."""
    degree, margin, figures, _ = _against(result, roll.declaration.difficulty)
    levels = -(margin // PER_LEVEL) if margin < 0 else 0
    effects = (Effect(roll.character, "tiredness", levels),) if levels else ()
    return degree, margin, {**figures, "levels_lost": levels}, effects


def _damage(roll: Roll, result: int) -> Decided:
    return "damage", result, {}, ()


def _soak(roll: Roll, result: int) -> Decided:
    taken = {"damage": roll.declaration.damage_halves, "steps_down": steps_down(result)}
    return "soak", result, {**taken}, ()


DEGREES: Mapping[str, Callable[[Roll, int], Decided]] = {
    "simple": _simple,
    "attack": _simple,
    "trance": _trance,
    "tiring": _tiring,
    "damage": _damage,
    "soak": _soak,
}
"""What a result means, by the roll's kind."""
