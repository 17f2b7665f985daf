"""Everything that may happen next in a plain roll: its throws, its rerolls, its end."""

from ..ruleset import Offer, Roll, Sheets
from .hands import TOGETHER, dice_of, layout, unrerolled
from .notation import Dice, Expression, parse


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """One hand after the other is thrown, then what is to be rerolled; then it is resolved."""
    if roll.outcome is not None:
        return ()
    expression = parse(roll.declaration.expression)
    for hand in layout(expression, roll.options)[0]:
        if roll.hand(hand.name) is None:
            throw = Offer(
                trigger="roll",
                character=roll.character,
                due=True,
                hand=hand.name,
                dice=hand.kinds,
                again=hand.again,
            )
            return (throw,)
    resolve = Offer(trigger="resolve", character=roll.character)
    waiting = _waiting(roll, expression)
    if not waiting:
        return (resolve,)
    reroll = Offer(
        trigger="reroll",
        character=roll.character,
        due=True,
        hand=TOGETHER,
        dice=waiting,
        most=len(waiting),
    )
    return (reroll, resolve)


def _waiting(roll: Roll, expression: Expression) -> tuple[str, ...]:
    """The dice that still have to be rerolled, by id."""
    found: list[str] = []
    for term, thrown in zip(expression.terms, dice_of(roll, expression, roll.options), strict=True):
        if isinstance(term, Dice) and thrown:
            found += unrerolled(term, thrown, roll.options)
    return tuple(found)
