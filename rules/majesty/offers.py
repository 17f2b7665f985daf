"""Everything that may happen next in a roll of Allies of Majesty, and by whom."""

from typing import Any

from ...events.base import Face
from ..ruleset import Hand, Offer, Roll, Sheets, awaited, opponent_of
from .declare import Comparison, Declaration, compared, given
from .options import Options
from .outcome import HAND
from .score import COSTS, DICE, KIND, free, spendable, spent

MEANS = "adjustment"


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The opposing value, the throw, the Adjustments; then anybody who may make these resolves."""
    declaration: Declaration = roll.declaration
    if roll.outcome is not None:
        return ()
    hand = roll.hand(HAND)
    if hand is None:
        waiting = awaited(roll, *opponent_of(declaration))
        if waiting and given(declaration) is None:
            return waiting
        dice = (KIND,) * DICE
        return (Offer(trigger="roll", character=roll.character, due=True, hand=HAND, dice=dice),)
    compare = compared(roll, roll.options)
    adjust = _adjust(roll, hand, compare)
    if adjust is None:
        return (Offer(trigger="resolve", character=roll.character),)
    # If the roller could end the roll first, the other side would lose its Adjustments.
    return (adjust, Offer(trigger="resolve", **_taker(roll, compare)))


def _taker(roll: Roll, compare: Comparison) -> dict[str, Any]:
    """Whose the Adjustments are: a character's, or a narrator's for a value that is nobody's."""
    return {"character": compare.side or roll.character, "narrator": not compare.side}


def _adjust(roll: Roll, hand: Hand, compare: Comparison) -> Offer | None:
    """Dice moved by one for each Adjustment, from where they fell; None where none can be moved."""
    options: Options = roll.options
    dice = free(hand, options)
    most = compare.adjustments
    if not most or not dice:
        return None
    to: dict[str, dict[Face, int]] = {
        die.id: {
            face: price
            for face, price in COSTS[options.wrap][die.landed].items()
            if 0 < price <= most
        }
        for die in dice
    }
    unused = spent(hand, options) < spendable(hand, most, options)
    return Offer(
        trigger="adjust",
        **_taker(roll, compare),
        due=unused and not options.fewer_adjustments,
        hand=HAND,
        dice=tuple(to),
        most=most,
        means=MEANS,
        to=to,
    )
