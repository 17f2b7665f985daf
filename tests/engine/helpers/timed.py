"""Tables of fair dice at level `table`: chains of shares, and a time that tests alone move."""

from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import ROOT, fight
from urim.engine.core import commands as c
from urim.engine.core.aggregate import environment
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.share import LENGTH, link
from urim.projections.rollstate import Ask
from urim.projections.tables import Anchor, TableState

BREAK = 10_000
"""The time after an ask from which on its throw may be broken off, in milliseconds."""


TABLE = "timed0001"
"""The id of such a table: its chains repeat."""


class Time:
    """A clock that a test sets, in milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self, state: TableState | None) -> int:
        return self.now


def timed(*anchored: str, **declaration: Any) -> tuple[Table, Time]:
    """Etgar's roll 1 is declared, of no opponent; his seat is p1, others are p2, p3, narrator.

    The seats named have anchors, behind the declaration; if none are, p1, p2 and p3 have.
    """
    time = Time()
    fair = replace(environment("fair"), clock=time)
    table, etgar, _ = fight("fair", level="table", environment=fair, id=TABLE)
    table.seat("p3")
    table.declare(etgar, root=ROOT, rating=4, **declaration)
    anchor(table, *(anchored or ("p1", "p2", "p3")))
    return table, time


# --- chains ---------------------------------------------------------------------------------------


def link_of(table: str, seat: str, i: int, *, chain: int = 1) -> str:
    """x_i of a seat's chain at the table of that id; `chain` counts those it draws, from 1."""
    last = sha256(f"{seat} {chain}".encode()).hexdigest()
    return link(table, seat, last, i)


def share(table: Table, seat: str, i: int, *, chain: int = 1) -> str:
    """x_i of a seat's chain."""
    return link_of(table.state.id, seat, i, chain=chain)


def anchor(table: Table, *seats: str, chain: int = 1) -> None:
    """These seats publish the anchors of their chains."""
    for seat in seats:
        table.submit(seat, c.AnchorShares(share(table, seat, 0, chain=chain)))


def anchor_of(table: Table, seat: str) -> Anchor:
    """A seat's anchor as the table knows it."""
    found = table.state.seats[seat].anchor
    assert found is not None
    return found


def with_asks(state: TableState, seat: str, asks: int) -> TableState:
    """The table on which that seat was asked so often, its chain being as it is."""
    known = state.seats[seat]
    assert known.anchor is not None
    spent = replace(known, anchor=replace(known.anchor, asks=asks))
    return replace(state, seats=state.seats.set(seat, spent))


SPENT = LENGTH
"""The asks that use a chain up."""


# --- a throw --------------------------------------------------------------------------------------


def committed(table: Table, roll: int = 1) -> int:
    """The entry of a roll's outstanding commitment."""
    waiting = table.state.rolls[roll].outstanding
    assert waiting is not None
    return waiting.seq


def asking(table: Table, *others: str, roll: int = 1, seat: str = "p1", **more: Any) -> c.Ask:
    """The ask of a seat for the next throw of a roll, by default of the roller's hand."""
    everybody = tuple(sorted({seat, *others}))
    more.setdefault("hand", "initiator")
    return c.Ask(roll, committed=committed(table, roll), asked=everybody, **more)


def ask(table: Table, *others: str, roll: int = 1, seat: str = "p1", **more: Any) -> None:
    """A seat asks these others, and itself, for shares."""
    table.submit(seat, asking(table, *others, roll=roll, seat=seat, **more))


def opening(table: Table, seat: str, *, chain: int = 1) -> c.OpenShare:
    """What a seat opens for the throw that waits."""
    waits = waiting(table)
    return c.OpenShare(waits.roll, share(table, seat, dict(waits.asked)[seat], chain=chain))


def open_shares(table: Table, *seats: str, chain: int = 1) -> None:
    """These seats open their shares for the throw that waits, in this order."""
    for seat in seats:
        table.submit(seat, opening(table, seat, chain=chain))


def throw(table: Table, *others: str, roll: int = 1, seat: str = "p1", **more: Any) -> None:
    """A whole throw: asked for, and every share opened."""
    ask(table, *others, roll=roll, seat=seat, **more)
    open_shares(table, *waiting(table).waiting)


def waiting(table: Table) -> Ask:
    """The throw that waits for shares."""
    found = table.state.ask
    assert found is not None
    return found


def refused(table: Table, seat: str, command: c.Asking) -> Refused:
    """What a command is refused with; the table must be what it was."""
    before = table.state
    with pytest.raises(Refused) as caught:
        table.submit(seat, command)
    assert table.state is before
    return caught.value


def asked() -> Table:
    """Roll 1: Etgar asked for a share of the toad's seat, and nobody opened one yet."""
    table, _ = timed()
    ask(table, "p2")
    return table


def silent() -> Table:
    """The same, and ten seconds are over."""
    table, time = timed()
    ask(table, "p2")
    time.now += BREAK
    return table
