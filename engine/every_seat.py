"""A throw with every seat in one hand, for fixtures: nonces drawn, bound, given and remembered.

What a throw leaves out is filled in: the commitment that it answers, and a nonce where its level
asks for one. At level `table` everybody takes a turn before it.
"""

import secrets
from typing import TypeAlias

from msgspec.structs import replace

from ..errors import Refused
from ..events.throw import nonce_commitment, throw_id
from ..projections.rollstate import RollState
from ..projections.tables import TableState
from .core.attempt import others_here
from .core.commands import AnyRollCommand, AnyThrow, CommitNonce, RollDice, Witness
from .core.guards import visible
from .core.offers import fitting, offers

Turn: TypeAlias = tuple[str, AnyRollCommand]
"""A seat and what it asks for."""


class Nonces:
    """The nonces drawn at one table, so that whatever was bound can be thrown with."""

    def __init__(self) -> None:
        self._drawn: dict[str, str] = {}

    def draw(self, table: str, roll: RollState) -> str:
        """The commitment to a fresh nonce for the roll's next throw; the nonce is remembered."""
        nonce = fresh()
        commitment = nonce_commitment(throw_id(table, roll.number, roll.throws), nonce).hex()
        self._drawn[commitment] = nonce
        return commitment

    def bound(self, roll: RollState) -> str | None:
        """The nonce that is bound for the roll's next throw, if it was drawn here."""
        return self._drawn.get(roll.binding.nonce_commit) if roll.binding else None


def fresh() -> str:
    """A nonce as clients draw it: 32 random bytes as 64 hex digits."""
    return secrets.token_hex(32)


def turns(state: TableState, seat: str, throw: AnyThrow, nonces: Nonces) -> tuple[Turn, ...]:
    """What everybody does before a seat's throw: the nonce bound, and every other seat's given.

    Nothing where the level does not ask for it, or a nonce is bound already; nor where the throw
    is not offered, which the throw itself is refused for.
    """
    roll = state.rolls.get(throw.roll)
    if roll is None or roll.level != "table" or roll.outstanding is None or roll.binding:
        return ()
    try:
        fitting(visible(state, seat, roll), throw, roll)
    except Refused:
        return ()
    if not _dice_fall(state, roll, throw):
        return ()
    others = others_here(state, seat)
    bound = CommitNonce(roll.number, nonces.draw(state.id, roll), roll.outstanding.seq, others)
    return ((seat, bound), *((other, Witness(roll.number, fresh())) for other in others))


def answering(state: TableState, throw: AnyThrow, nonces: Nonces) -> AnyThrow:
    """The throw with what it leaves out: the commitment that it answers, and a nonce."""
    roll = state.rolls.get(throw.roll)
    if roll is None or roll.outstanding is None or not _dice_fall(state, roll, throw):
        return throw
    committed = roll.outstanding.seq if throw.committed is None else throw.committed
    nonce = throw.nonce
    if nonce is None and roll.level != "server":
        nonce = nonces.bound(roll) or fresh()
    return replace(throw, committed=committed, nonce=nonce)


def _dice_fall(state: TableState, roll: RollState, throw: AnyThrow) -> bool:
    """Whether there is anything to prove: not where dice are only taken over, or none thrown."""
    if isinstance(throw, RollDice) and throw.option == 0:
        return False
    wanted = (throw.trigger, throw.hand)
    found = (offer for offer in offers(state, roll) if (offer.trigger, offer.hand) == wanted)
    offer = next(found, None)
    return offer is None or (not offer.link and (bool(offer.dice) or throw.trigger == "reroll"))
