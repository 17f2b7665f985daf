"""What a client of a test does: whatever the table waits for."""

from urim.engine.client import Client, Manners
from urim.engine.core.commands import Asking, Choose, Freeze, React, Resolve, Reveal
from urim.engine.core.moves import Awaiting
from urim.engine.seat import Seat
from urim.engine.seat.happened import Done
from urim.errors import Refused

FAST = Manners(first=0.01, most=0.03, patience=30.0, keep=0.0)

ANSWER = {"root": "חננ", "rating": 3}
"""How an opponent reacts."""


async def act(client: Client, waiting: Awaiting) -> Done | None:
    """Let a client do what the table waits for; None where another was first."""
    if waiting.trigger in ("ask", "roll"):
        moves = client.moves(waiting.roll)
        hands = [offer.hand for move in moves for offer in move.offers if offer.hand]
        return await client.throw(waiting.roll, hands[0] if hands else "initiator")
    try:
        return await client.do(_command(client, waiting))
    except Refused as refused:
        if refused.code not in ("wrong-state", "not-offered", "due"):  # another was first
            raise
        return None


def _command(client: Client, waiting: Awaiting) -> Asking:
    roll = waiting.roll
    offers = [o for m in client.moves(roll) if m.trigger == waiting.trigger for o in m.offers]
    if waiting.trigger == "react":
        return React(roll, waiting.character, ANSWER)
    if waiting.trigger == "freeze":
        return Freeze(roll, offers[0].hand, offers[0].dice)
    if waiting.trigger == "adjust":
        offer = next(o for o in offers if o.due and o.choice)
        return Choose(roll, offer.choice, str(offer.options[-1]))
    if waiting.trigger == "reveal":
        return Reveal(roll)
    assert waiting.trigger == "resolve", waiting
    return Resolve(roll)


def to_reveal(client: Client | Seat) -> list[int]:
    """The rolls that have ended and that it may reveal, which nobody waits for."""
    ended = [roll.number for roll in client.state.rolls.values() if roll.state == "resolved"]
    legal = ((number, each) for number in ended for each in client.moves(number) if each.legal)
    return [number for number, each in legal if each.trigger == "reveal"]
