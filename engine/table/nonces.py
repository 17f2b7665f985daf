"""The nonces of a table's seats: drawn here, remembered until the throw that opens them."""

import secrets
from typing import TypeAlias

from msgspec.structs import replace

from ...errors import Refused
from ...events.throw import nonce_commitment, throw_id
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ..core.attempt import others_here
from ..core.commands import AnyRollCommand, AnyThrow, CommitNonce, RollDice, Witness
from ..core.fitting import fitting
from ..core.guards import visible_offers
from ..core.offers import offers
from ..core.visibility import outstanding_for

Turn: TypeAlias = tuple[str, AnyRollCommand]
"""A seat and its command."""


class Nonces:
    """The nonces drawn for one table, kept so that a throw can use the one that was bound."""

    def __init__(self) -> None:
        self._drawn: dict[str, str] = {}

    def draw(self, table: str, roll: RollState) -> str:
        """The commitment to a fresh nonce for the roll's next throw; the nonce is remembered."""
        nonce = fresh()
        commitment = nonce_commitment(throw_id(table, roll.number, roll.throws), nonce).hex()
        self.keep(commitment, nonce)
        return commitment

    def bound(self, roll: RollState) -> str | None:
        """The nonce that is bound for the roll's next throw, if it was drawn here."""
        return self.find(roll.binding.nonce_commit) if roll.binding else None

    def keep(self, commitment: str, nonce: str) -> None:
        """Remember a nonce under its commitment."""
        self._drawn[commitment] = nonce

    def find(self, commitment: str) -> str | None:
        """The nonce of a commitment, if it was drawn here and is not spent."""
        return self._drawn.get(commitment)

    def spent(self, commitment: str) -> None:
        """Forget a nonce that the log has by now."""
        self._drawn.pop(commitment, None)


def fresh() -> str:
    """A nonce as clients draw it: 32 random bytes as 64 hex digits."""
    return secrets.token_hex(32)


def turns(state: TableState, seat: str, throw: AnyThrow, nonces: Nonces) -> tuple[Turn, ...]:
    """The commands that come before a seat's throw: it binds its nonce, every other seat gives one.

    None where the level does not ask for it, where a nonce is bound already, or where the throw is
    not offered: then the throw itself is refused.
    """
    roll = state.rolls.get(throw.roll)
    waiting = None if roll is None else outstanding_for(state, seat, roll)
    if roll is None or roll.level != "table" or waiting is None or roll.binding:
        return ()
    try:
        fitting(visible_offers(state, seat, roll), throw, roll)
    except Refused:
        return ()
    if not _throws_dice(state, roll, throw):
        return ()
    others = others_here(state, seat)
    bound = CommitNonce(roll.number, nonces.draw(state.id, roll), waiting.seq, others)
    return ((seat, bound), *((other, Witness(roll.number, fresh())) for other in others))


def answering(state: TableState, seat: str, throw: AnyThrow, nonces: Nonces) -> AnyThrow:
    """The throw with the commitment that its seat answers and a nonce, where it leaves them out."""
    roll = state.rolls.get(throw.roll)
    waiting = None if roll is None else outstanding_for(state, seat, roll)
    if roll is None or waiting is None or not _throws_dice(state, roll, throw):
        return throw
    committed = waiting.seq if throw.committed is None else throw.committed
    nonce = throw.nonce
    if nonce is None and roll.level != "server":
        nonce = nonces.bound(roll) or fresh()
    return replace(throw, committed=committed, nonce=nonce)


def _throws_dice(state: TableState, roll: RollState, throw: AnyThrow) -> bool:
    """Whether dice fall that need a proof: not where they are only taken over, or none thrown."""
    if isinstance(throw, RollDice) and throw.option == 0:
        return False
    wanted = (throw.trigger, throw.hand)
    found = (offer for offer in offers(state, roll) if (offer.trigger, offer.hand) == wanted)
    offer = next(found, None)
    return offer is None or (not offer.link and (bool(offer.dice) or throw.trigger == "reroll"))
