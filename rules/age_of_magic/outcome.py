"""What a roll of Age of Magic decides: success or failure, tiredness, damage, soak."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...errors import Refused
from ...events.base import Effect
from ..readings import Consulted
from ..ruleset import Outcome, Roll, declined
from .damage import steps_down
from .declare import UNCONSCIOUS, Declaration, halves, shown, signed
from .score import (
    FIRST,
    PER_DIE,
    Part,
    Result,
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
    nothing has to be reached. Figures in points, in the order in which they explain the roll:

    - what makes the basic value: `skill`, `specialism`, `characteristic`, `weapon` and
      `margin_of_the_hit` (damage), `modifiers`, `talent`, `limitation`, `push`, `no_knowledge`,
      `tiredness`, `luck` and `unluck`, `luck_of_others` and `unluck_of_others` by character
    - `declined`: the targets who let their luck be
    - `basic`; `first_throw` and `second_throw`: the risk written nD+rest, the dice, what they
      `fell` to where the ceiling cuts it, the result; `ceiling` where they fell beyond it;
      `overdrawn` (dice); `stands`: which throw; `result`, and in half points `result_halves`
    - `difficulty` and `beyond` or `short`; `levels_regained` or `levels_lost`; `steps_down`

    Halves, `tiredness`, `weapon`, `margin_of_the_hit` and `steps_down` are from other pages of the
    author's.
    """
    if roll.hand(FIRST) is None:
        raise Refused("due", "no risk has been chosen yet", allowed=["roll"])
    opts = Consulted(roll.options)
    value = basic(roll)
    throws = standing(roll, opts)
    figures = _explained(parts(roll))
    if away := declined(roll):
        figures["declined"] = list(away)
    figures |= {"basic": shown(value)} | _thrown(value, throws, opts)
    overdrawn = max(len(hand.dice) for hand in roll.hands) - paid_for(roll)
    if overdrawn > 0 and opts.overdraw_dice:
        figures["overdrawn"] = overdrawn
    _looked_up(roll, opts)
    figures |= {"result": shown(throws.result), "result_halves": throws.result}
    degree, margin, more, effects = DEGREES[roll.declaration.kind](roll, throws.result)
    return Outcome(degree, margin, figures | more, opts.names, effects)


def _explained(made_of: tuple[Part, ...]) -> dict[str, Any]:
    """The parts of the basic value as figures: scores plain, what is added with its sign."""
    figures: dict[str, Any] = {}
    for part in made_of:
        if part.figure in ("skill", "specialism", "characteristic"):
            figures[part.figure] = f"{part.name} {shown(part.halves)}"
        elif part.figure == "modifiers":
            figures.setdefault("modifiers", {})[part.name] = signed(part.halves)
        elif part.figure.endswith("_of_others"):
            figures.setdefault(part.figure, []).append([part.name, signed(part.halves)])
        elif part.figure == "tiredness":
            figures["tiredness"] = f"{part.name} {signed(part.halves)}"
        else:
            figures[part.figure] = signed(part.halves)
    return figures


def _thrown(value: int, made: Standing, opts: Any) -> dict[str, Any]:
    """Every throw, and the one that stands where there are two."""
    figures: dict[str, Any] = {f"{t.hand.name}_throw": _of_throw(value, t) for t in made.throws}
    if any(throw.fell > value for throw in made.throws):
        figures["ceiling"] = shown(value) if opts.ceiling == "basic" else "none"
    if len(made.throws) > 1:
        figures["stands"] = made.throws[made.stands].hand.name
    return figures


def _of_throw(value: int, throw: Result) -> dict[str, Any]:
    """A throw: `2D+3`, its dice, and its result."""
    dice = throw.hand.dice
    if not dice:
        return {"risk": "none", "result": shown(throw.counts)}
    rest = value - PER_DIE * len(dice)
    figures: dict[str, Any] = {
        "risk": f"{len(dice)}D{signed(rest) if rest else ''}",
        "dice": " + ".join(str(die.face) for die in dice),
    }
    if throw.fell != throw.counts:
        figures["fell"] = shown(throw.fell)
    return {**figures, "result": shown(throw.counts)}


def _looked_up(roll: Roll, opts: Any) -> None:
    """Look up the readings without which the roll would have been refused, or thrown otherwise."""
    declared: Declaration = roll.declaration
    if declared.push and declared.tired >= UNCONSCIOUS:
        _ = opts.push_floor
    second_risk(roll, opts)


Decided: TypeAlias = tuple[str, int, dict[str, Any], tuple[Effect, ...]]
"""Degree, margin, figures, effects."""


def _against(result: int, difficulty: float) -> Decided:
    """Success where the result is the difficulty or more ("Dice rolls")."""
    margin = result - halves("difficulty", difficulty)
    figures = {"difficulty": shown(result - margin)}
    figures["beyond" if margin >= 0 else "short"] = shown(abs(margin))
    return ("success" if margin >= 0 else "failure"), margin, figures, ()


def _simple(roll: Roll, result: int) -> Decided:
    difficulty = roll.declaration.difficulty
    return ("result", result, {}, ()) if difficulty is None else _against(result, difficulty)


def _trance(roll: Roll, result: int) -> Decided:
    """One level at the difficulty, another for each 5 points beyond ("Dice rolls")."""
    needed = roll.declaration.difficulty
    degree, margin, figures, _ = _against(result, TRANCE if needed is None else needed)
    levels = 1 + margin // PER_LEVEL if margin >= 0 else 0
    effects = (Effect(roll.character, "tiredness", -levels),) if levels else ()
    return degree, margin, {**figures, "levels_regained": levels}, effects


def _tiring(roll: Roll, result: int) -> Decided:
    """A level for each 5 points, or part of them, that are missing ("Dice rolls")."""
    degree, margin, figures, _ = _against(result, roll.declaration.difficulty)
    levels = -(margin // PER_LEVEL) if margin < 0 else 0
    effects = (Effect(roll.character, "tiredness", levels),) if levels else ()
    return degree, margin, {**figures, "levels_lost": levels}, effects


def _damage(roll: Roll, result: int) -> Decided:
    return "damage", result, {}, ()


def _soak(roll: Roll, result: int) -> Decided:
    figures = {"damage": shown(roll.declaration.damage_halves), "steps_down": steps_down(result)}
    return "soak", result, figures, ()


DEGREES: Mapping[str, Callable[[Roll, int], Decided]] = {
    "simple": _simple,
    "attack": _simple,
    "trance": _trance,
    "tiring": _tiring,
    "damage": _damage,
    "soak": _soak,
}
"""What a result means, by the roll's kind."""
