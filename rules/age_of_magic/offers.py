"""Everything that may happen next in a roll of Age of Magic, and by whom."""

from collections.abc import Iterable

from msgspec.structs import replace

from ..ruleset import Offer, Roll, Sheets, awaited
from .declare import Declaration, shown
from .score import FIRST, SECOND, basic, most_risk, second_risk


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Luck and unluck before the dice; a throw with its risk, perhaps another; then what follows.

    What is offered does not depend on the sheets beyond who has luck or unluck. A target's luck is
    due until it is chosen or declined, so that nobody can throw first ("Luck and unluck"). Unluck
    is not: a character that could be unlucky would wait for the referee in every roll.
    """
    if roll.outcome is not None:
        return _after(roll)
    if roll.hand(FIRST) is None:
        lucky, unlucky = _luck(roll, sheet), _unluck(roll, sheet)
        if lucky:
            return (*lucky, *unlucky)
        risks = tuple(range(most_risk(roll) + 1))
        return (*unlucky, _throw(roll, FIRST, risks))
    resolve = Offer(trigger="resolve", character=roll.character)
    risks = second_risk(roll, roll.options) if roll.hand(SECOND) is None else ()
    return (_throw(roll, SECOND, risks), resolve) if risks else (resolve,)


def _throw(roll: Roll, hand: str, risks: tuple[int, ...]) -> Offer:
    """A throw of one of so many dice; the note names the ceiling in force."""
    value = shown(basic(roll))
    capped = roll.options.ceiling == "basic"
    never = f"the result is never more than {value}: risk can only lower it"
    ceiling = never if capped else "the result has no ceiling"
    return Offer(
        trigger="roll",
        character=roll.character,
        due=True,
        hand=hand,
        dice=("d6",) * max(risks),
        options=risks if hand == FIRST or len(risks) > 1 else (),
        note=f"The basic value is {value}, a die of risk costs 3 points, and {ceiling}.",
    )


def _luck(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The luck of those whom the roll is aimed at, theirs to choose; the roller declares it."""
    answers = tuple(item for item in roll.reactions if item[1] is None or item[1].fate == "luck")
    gifted = _with("luck", roll.declaration.targets, sheet)
    waiting = awaited(replace(roll, reactions=answers), *gifted)
    return tuple(replace(offer, choice="fate", options=("luck",)) for offer in waiting)


def _unluck(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Anybody's unluck whom the roll affects, the referee's to choose."""
    used = {who for who, reaction in roll.reactions if reaction and reaction.fate == "unluck"}
    everybody = (roll.character, *roll.declaration.targets)
    return tuple(
        Offer(trigger="react", character=who, choice="fate", options=("unluck",), narrator=True)
        for who in _with("unluck", everybody, sheet)
        if who not in used
    )


def _with(gift: str, characters: Iterable[str], sheet: Sheets) -> tuple[str, ...]:
    return tuple(who for who in characters if sheet(who).attributes.get(gift, 0) >= 1)


def _after(roll: Roll) -> tuple[Offer, ...]:
    """Damage of a hit by the attacker, soak by the target, and the wound that is left."""
    declared: Declaration = roll.declaration
    if declared.kind == "attack" and roll.outcome is not None and roll.outcome.degree == "success":
        return (Offer(trigger="declare", character=roll.character, link="damage"),)
    if roll.damaged or declared.kind not in ("damage", "soak"):
        return ()
    blow = Offer(trigger="apply_damage", character=roll.character)
    if declared.kind == "soak":
        return (blow,)
    return (Offer(trigger="declare", character=declared.targets[0], link="soak"), blow)
