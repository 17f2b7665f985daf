"""A chain of shares begins once: none of its links is the anchor of another."""

from collections.abc import Callable

import pytest

from tests.engine.helpers.timed import anchor, ask, open_shares, refused, share, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table

ENDS: dict[str, Callable[[Table], object]] = {
    "another one": lambda table: anchor(table, "p2", chain=2),
    "an epoch": lambda table: table.submit(NARRATOR, c.BeginEpoch()),
    "a seat left and taken": lambda table: [
        table.submit(NARRATOR, command) for command in (c.LeaveSeat("p2"), c.TakeSeat("p2"))
    ],
}
"""What ends a chain."""


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("i", [0, 1, 2])
def test_no_link_of_a_chain_that_ended_is_an_anchor(end: str, i: int) -> None:
    table, _ = timed()
    throw(table, "p2")
    ask(table, "p2", dice=("d1",))
    open_shares(table, "p2", "p1")
    ENDS[end](table)
    again = refused(table, "p2", c.AnchorShares(share(table, "p2", i)))
    assert (again.code, again.allowed) == ("nonce", ("a chain of new random bytes",))
    anchor(table, "p2", chain=3)
    assert refused(table, "p2", c.AnchorShares(share(table, "p2", i))).code == "nonce"


def test_the_same_anchor_again_changes_nothing_before_it_was_asked() -> None:
    table, _ = timed()
    size = table.state.size
    anchor(table, "p2")
    assert table.state.size == size
    throw(table, "p2")
    assert refused(table, "p2", c.AnchorShares(share(table, "p2", 0))).code == "nonce"
