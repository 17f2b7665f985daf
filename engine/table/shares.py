"""How a throw is made for seats that are played here: their nonces, and their chains of shares."""

import secrets
from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from ...errors import Refused
from ...events.share import LENGTH, link
from ...projections.levels import anchored, level_due, level_next
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ..core.attempt import roll_of
from ..core.commands import AnchorShares, AnyCommand, AnyThrow, Ask, OpenShare, Reroll, RollDice
from ..core.fitting import fitting
from ..core.guards import throws_dice, visible_offers
from ..core.offers import offers
from ..core.visibility import outstanding_for

Turn: TypeAlias = tuple[str, AnyCommand]
"""A seat and its command."""


class Shares:
    """The chains of the seats that are played here: the last link of each, by its anchor.

    Links are 64 hex digits.
    """

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def draw(self, table: str, seat: str) -> str:
        """The anchor of a fresh chain for this seat at this table; the chain is remembered."""
        last = fresh()
        anchor = link(table, seat, last, 0)
        self.keep(anchor, last)
        return anchor

    def keep(self, anchor: str, last: str) -> None:
        """Remember the last link of a chain."""
        self._last[anchor] = last

    def find(self, anchor: str) -> str | None:
        """The last link of a chain, if it was drawn here."""
        return self._last.get(anchor)

    def share(self, state: TableState, seat: str) -> str | None:
        """What the seat opens for the throw that waits; None where its chain is not one of these.

        None too where nothing waits for a share of it.
        """
        ask, known = state.ask, state.seats.get(seat)
        if ask is None or seat not in ask.waiting or known is None or known.anchor is None:
            return None
        last = self.find(known.anchor.first)
        return None if last is None else link(state.id, seat, last, dict(ask.asked)[seat])


def fresh() -> str:
    """32 random bytes as 64 hex digits, as clients draw a nonce, or the last link of a chain."""
    return secrets.token_hex(32)


def turns(
    now: Callable[[], TableState],
    seat: str,
    throw: AnyThrow,
    shares: Shares,
    played: Collection[str] | None = None,
) -> Iterator[Turn]:
    """The commands by which a seat makes a throw, each to be done before the next is asked for.

    That is the throw; at level `table` a chain for every seat that has none, the ask, and the
    shares of the seats that are `played` here: all of them where none are named. `now` gives the
    table as it is by then.
    """
    state = now()
    if not due_at_table(state, seat, throw):
        yield seat, answering(state, seat, throw)
        return
    for id in _without_chain(state, seat, state.seats if played is None else played):
        yield id, AnchorShares(shares.draw(state.id, id))
    state = now()
    if level_next(state, seat, roll_of(state, throw.roll)) != "table":
        yield seat, answering(state, seat, throw)
        return
    yield seat, asking(state, seat, throw)
    for id in () if (waits := now().ask) is None else waits.waiting:
        share = shares.share(now(), id) if played is None or id in played else None
        if share is not None:
            yield id, OpenShare(throw.roll, share)


def _without_chain(state: TableState, seat: str, played: Collection[str]) -> list[str]:
    """The seats of these that need a chain before the seat throws, by id.

    Where no other seat has one, all that have none; else the thrower alone. And whose is used up.
    """
    alone = not anchored(state, seat)
    found: list[str] = []
    for id in sorted(played):
        known = state.seats[id]
        new = known.anchor is None and (alone or id == seat)
        if known.here and (new or (known.anchor is not None and known.anchor.asks >= LENGTH)):
            found.append(id)
    return found


def asking(state: TableState, seat: str, throw: AnyThrow) -> Ask:
    """The ask for a throw: of the seat, and of every other one that has an anchor."""
    waiting = outstanding_for(state, seat, roll_of(state, throw.roll))
    others = (id for id, other in state.seats.items() if other.here and other.anchor is not None)
    dice = throw.dice if isinstance(throw, Reroll) else None
    option = throw.option if isinstance(throw, RollDice) else None
    return Ask(
        throw.roll,
        throw.hand,
        (waiting.seq if waiting else 0) if throw.committed is None else throw.committed,
        tuple(sorted({seat, *others})),
        option,
        dice,
    )


def due_at_table(state: TableState, seat: str, throw: AnyThrow) -> bool:
    """Whether a throw is due at level `table`; not where it is not offered, or needs no proof.

    Then the throw itself is refused, or made at once.
    """
    roll = state.rolls.get(throw.roll)
    if roll is None or seat not in state.seats or outstanding_for(state, seat, roll) is None:
        return False
    if state.ask is not None or level_due(state, seat, roll) != "table":
        return False
    try:
        fitting(visible_offers(state, seat, roll), throw, roll)
    except Refused:
        return False
    return _throws_dice(state, roll, throw)


def answering(state: TableState, seat: str, throw: AnyThrow) -> AnyThrow:
    """The throw with the commitment that its seat answers and a nonce, where it leaves them out."""
    roll = state.rolls.get(throw.roll)
    waiting = None if roll is None else outstanding_for(state, seat, roll)
    if roll is None or waiting is None or not _throws_dice(state, roll, throw):
        return throw
    committed = waiting.seq if throw.committed is None else throw.committed
    nonce = throw.nonce
    if nonce is None and level_next(state, seat, roll) != "server":
        nonce = fresh()
    return replace(throw, committed=committed, nonce=nonce)


def _throws_dice(state: TableState, roll: RollState, throw: AnyThrow) -> bool:
    """Whether dice fall that need a proof: not where they are only taken over, or none thrown."""
    if isinstance(throw, RollDice) and throw.option == 0:
        return False
    wanted = (throw.trigger, throw.hand)
    found = (offer for offer in offers(state, roll) if (offer.trigger, offer.hand) == wanted)
    offer = next(found, None)
    return offer is None or throws_dice(offer)
