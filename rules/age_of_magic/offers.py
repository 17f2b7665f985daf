"""Everything that may happen next in a roll of Age of Magic, and by whom."""

from ..ruleset import Offer, Roll, Sheets
from .declare import Declaration, shown
from .score import FIRST, SECOND, basic, most_risk, second_risk


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Luck and unluck before the dice; a throw with its risk, perhaps another; then what follows.

    What is offered does not depend on the sheets beyond who has luck or unluck.
    """
    if roll.outcome is not None:
        return _after(roll)
    if roll.hand(FIRST) is None:
        risks = tuple(range(most_risk(roll) + 1))
        return (*_fates(roll, sheet), _throw(roll, FIRST, risks))
    resolve = Offer(trigger="resolve", character=roll.character)
    risks = second_risk(roll, roll.options) if roll.hand(SECOND) is None else ()
    return (_throw(roll, SECOND, risks), resolve) if risks else (resolve,)


def _throw(roll: Roll, hand: str, risks: tuple[int, ...]) -> Offer:
    """A throw of one of so many dice; the note names the ceiling in force."""
    value = shown(basic(roll))
    capped = roll.options.ceiling == "basic"
    ceiling = f"the result is never more than {value}" if capped else "the result has no ceiling"
    return Offer(
        trigger="roll",
        character=roll.character,
        due=True,
        hand=hand,
        dice=("d6",) * max(risks),
        options=risks if hand == FIRST or len(risks) > 1 else (),
        note=f"The basic value is {value}, a die of risk costs 3 points, and {ceiling}.",
    )


def _fates(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Others' luck, theirs to choose; anybody's unluck, the referee's ("Luck and unluck")."""
    used = {(who, reaction.fate) for who, reaction in roll.reactions}
    found: list[Offer] = []
    for who in (roll.character, *roll.declaration.targets):
        for gift in ("luck", "unluck"):
            own = who == roll.character and gift == "luck"  # that one is declared with the roll
            if own or (who, gift) in used or sheet(who).attributes.get(gift, 0) < 1:
                continue
            found.append(
                Offer(
                    trigger="react",
                    character=who,
                    choice="fate",
                    options=(gift,),
                    narrator=gift == "unluck",
                )
            )
    return tuple(found)


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
