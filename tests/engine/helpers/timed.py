"""Tables of fair dice at level `table` whose time does not pass until a test moves it."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.proofs import commit
from tests.engine.helpers.stage import NONCES, ROOT, fight
from urim.engine.core import commands as c
from urim.engine.core.aggregate import environment
from urim.engine.table import Table
from urim.errors import Refused
from urim.projections.rollstate import Binding
from urim.projections.tables import TableState

MINUTE = 60_000
"""The time that a throw is waited for unless the narrator set it, in milliseconds."""


class Time:
    """A clock that a test sets, in milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self, state: TableState | None) -> int:
        return self.now


def timed(**declaration: Any) -> tuple[Table, Time]:
    """Etgar's roll 1 is declared, of no opponent; his seat is p1, others are p2, p3, narrator."""
    time = Time()
    fair = replace(environment("fair"), clock=time)
    table, etgar, _ = fight("fair", level="table", environment=fair)
    table.seat("p3")
    table.declare(etgar, root=ROOT, rating=4, **declaration)
    return table, time


def bind(table: Table, *asked: str, roll: int = 1) -> None:
    """Etgar's seat binds the first of NONCES for the next throw of roll 1 and asks these seats."""
    waiting = table.state.rolls[roll].outstanding
    assert waiting is not None
    bound = commit(table, NONCES[0], waiting.throw)
    table.submit("p1", c.CommitNonce(roll, bound, waiting.seq, asked))


def answer(table: Table, *seats: str) -> None:
    """These seats give their nonces for the next throw of roll 1."""
    for number, seat in enumerate(seats, 1):
        table.submit(seat, c.Witness(1, NONCES[number]))


def throw(table: Table) -> None:
    """Etgar's seat throws with the nonce that it bound."""
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    table.submit("p1", c.RollDice(1, "initiator", waiting.seq, NONCES[0]))


def binding(table: Table) -> Binding:
    """What roll 1 waits for."""
    found = table.state.rolls[1].binding
    assert found is not None
    return found


def refused(table: Table, seat: str, command: c.Asking) -> Refused:
    """What a command is refused with; the table must be what it was."""
    before = table.state
    with pytest.raises(Refused) as caught:
        table.submit(seat, command)
    assert table.state is before
    return caught.value


def silent() -> Table:
    """The toad's seat was asked, and left."""
    table, _ = timed()
    bind(table, "p2")
    table.submit("p2", c.LeaveSeat("p2"))
    return table


def withheld() -> Table:
    """Every nonce is in, and a minute over."""
    table, time = timed()
    bind(table, "p2")
    answer(table, "p2")
    time.now += MINUTE
    return table
