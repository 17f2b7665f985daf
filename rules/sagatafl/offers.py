"""Everything that may happen next in a roll of Sagatafl, and by whom."""

from ..ruleset import Offer, Roll, Sheets, awaited, opponent_of, reaction_of
from .declare import Declaration, Side, pool
from .outcome import INITIATOR, KIND, REACTOR, odds_note


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The opponent's reaction, the initiator's throw, the opponent's; then the roll is resolved."""
    declaration: Declaration = roll.declaration
    opponent = declaration.opponent
    if roll.outcome is not None:
        return ()
    if roll.hand(INITIATOR) is None:
        if waiting := awaited(roll, *opponent_of(declaration)):
            return waiting
        return (_throw(roll, INITIATOR, roll.character, declaration),)
    reaction = reaction_of(roll)
    resolve = Offer(trigger="resolve", character=roll.character)
    if opponent is None or reaction is None or roll.hand(REACTOR) is not None:
        return (resolve,)
    return (_throw(roll, REACTOR, opponent, reaction), resolve)


def _throw(roll: Roll, hand: str, character: str, side: Side) -> Offer:
    return Offer(
        trigger="roll",
        character=character,
        due=True,
        hand=hand,
        dice=(KIND,) * pool(side, roll.options).dice,
        note=odds_note(side.difficulty),
    )
