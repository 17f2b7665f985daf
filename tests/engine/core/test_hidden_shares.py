"""Shares of hidden rolls: who sees nothing of a roll has a part in its throws all the same."""

import pytest

from tests.engine.core.test_shares import broken
from tests.engine.helpers.proofs import events, recomputed
from tests.engine.helpers.timed import (
    BREAK,
    anchor,
    ask,
    asking,
    committed,
    open_shares,
    opening,
    throw,
    timed,
    waiting,
)
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.core.view import view_of
from urim.engine.table import Table
from urim.events.base import Visibility

HIDDEN = pytest.mark.parametrize("visibility", ["gm", "blind", "self"])


@HIDDEN
def test_of_a_hidden_roll_the_plan_is_sealed_and_ask_shares_and_break_are_open(
    visibility: Visibility,
) -> None:
    table, time = timed(visibility=visibility)
    plan, asked = table.submit("p1", asking(table, "p2", "p3"))
    assert (plan.kind, asked.kind) == ("hidden", "open")
    [opened] = table.submit("p3", opening(table, "p3"))
    time.now += BREAK
    [broken_off] = table.submit("p3", c.BreakThrow(1))
    assert (opened.kind, broken_off.kind) == ("open", "open")
    sees = {seat: table.aggregate.view(seat) for seat in ("p1", "p2", "p3", NARRATOR)}
    shown = {seat for seat, view in sees.items() if view[plan.seq].payload is not None}
    assert shown == {"gm": {"p1", NARRATOR}, "blind": {NARRATOR}, "self": {"p1"}}[visibility]
    for view in sees.values():
        assert view[asked.seq].payload is not None


@HIDDEN
def test_who_sees_nothing_of_a_roll_opens_its_share_and_the_dice_stay_hidden(
    visibility: Visibility,
) -> None:
    table, _ = timed(visibility=visibility)
    ask(table, "p2", "p3")
    open_shares(table, "p1", "p2")
    entries = table.submit("p3", opening(table, "p3"))
    assert [(entry.kind, entry.payload is None) for entry in entries] == [
        ("open", False),
        ("hidden", True),
    ]
    assert recomputed(table) == 1
    for seat in ("p1", "p2", "p3", NARRATOR):
        known = Aggregate(table.aggregate.environment)
        known.load(table.aggregate.view(seat))
        assert known.opened == view_of(table.state, seat)


@HIDDEN
def test_everybody_folds_the_ask_of_a_hidden_roll(visibility: Visibility) -> None:
    table, time = timed(visibility=visibility)
    ask(table, "p2", "p3")
    open_shares(table, "p3")
    for seat in ("p1", "p2", "p3", NARRATOR):
        known = Aggregate(table.aggregate.environment)
        known.load(table.aggregate.view(seat))
        assert known.opened == view_of(table.state, seat)
        assert known.opened.ask == table.state.ask is not None
        assert known.opened.seats == table.state.seats
    broken(table, time, "p2")
    assert table.state.kept_back == {"p2"}


def test_a_player_who_throws_a_blind_roll_again_answers_what_he_does_not_see() -> None:
    table = Table("sagatafl", level="table")
    sheet = {"Lockpicking": 3, "Hearing": 3}
    thief, guard = (table.character(name, attributes=sheet) for name in ("Thief", "Guard"))
    roll = table.declare(thief, visibility="blind", trait="Lockpicking", opponent=guard.id)
    roll.react(trait="Hearing")
    anchor(table, "p1", "p2")
    seen = committed(table)
    throw(table, "p2")
    answers = committed(table)
    table.submit("p2", c.Ask(1, "reactor", seen, ("p1", "p2")))
    assert waiting(table).committed == answers != seen
    open_shares(table, "p1", "p2")
    assert events(table)[-1].proof.committed == answers
