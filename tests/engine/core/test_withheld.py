"""A roller who knows every other nonce and does not throw is reported, and the policy decides."""

import pytest

from tests.engine.helpers.proofs import commit, events, recomputed
from tests.engine.helpers.stage import NONCES
from tests.engine.helpers.timed import MINUTE, answer, bind, refused, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.table import Table
from urim.events import roll as rolled
from urim.events import throw as urim1
from urim.events.base import Visibility
from urim.events.codec import recorded


def last(table: Table, count: int = 1) -> list[type]:
    """The kinds of the last events."""
    return [type(event) for event in events(table)[-count:]]


def test_a_roller_who_does_not_throw_is_told_of_and_the_roll_is_voided() -> None:
    table, time = timed()
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    bind(table, "p2")
    time.now += 20_000
    answer(table, "p2")
    time.now += MINUTE - 1
    error = refused(table, "p3", c.ReportWithheld(1))
    assert (error.code, error.allowed) == ("due", ("in 1 s",))
    time.now += 1
    entries = table.submit("p3", c.ReportWithheld(1))
    report, voided = (recorded(entry).event for entry in entries)
    assert report == rolled.NonceWithheld("p3", 1, 0, "p1")
    assert isinstance(voided, rolled.RollVoided)
    assert (voided.by, voided.throw, voided.nonce) == ("p3", 0, None)
    seed = urim1.seed_from(str(voided.seed))
    assert urim1.commitment(f"{table.state.id}/1/0", seed).hex() == waiting.commit
    assert table.state.rolls[1].state == "voided"
    assert refused(table, NARRATOR, c.ReportWithheld(1)).code == "wrong-state"


def test_a_rollers_time_begins_when_the_last_silent_seat_is_passed_over() -> None:
    table, time = timed()
    bind(table, "p2")
    time.now += 2 * MINUTE
    table.submit("p1", c.PassOver(1))
    time.now += MINUTE - 1
    assert refused(table, "p2", c.ReportWithheld(1)).code == "due"
    time.now += 1
    table.submit("p2", c.ReportWithheld(1))
    assert last(table, 2) == [rolled.NonceWithheld, rolled.RollVoided]


def test_where_nobody_was_there_to_be_asked_it_begins_with_the_binding() -> None:
    table, time = timed()
    for seat in ("p2", "p3"):
        table.submit(seat, c.LeaveSeat(seat))
    table.submit(NARRATOR, c.GiveCharacter("c1", NARRATOR))
    table.submit("p1", c.LeaveSeat("p1"))
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    alone = c.CommitNonce(1, commit(table, NONCES[0]), waiting.seq, ())
    table.submit(NARRATOR, alone)
    table.submit(NARRATOR, c.TakeSeat("p3"))
    time.now += MINUTE - 1
    assert refused(table, "p3", c.ReportWithheld(1)).code == "due"
    time.now += 1
    table.submit("p3", c.ReportWithheld(1))
    assert table.state.rolls[1].state == "voided"


def test_where_the_table_waits_it_is_told_once_and_the_throw_may_still_be_made() -> None:
    table, time = timed()
    table.submit(NARRATOR, c.SetWitnessing(60, "wait"))
    bind(table, "p2")
    answer(table, "p2")
    time.now += MINUTE
    table.submit("p2", c.ReportWithheld(1))
    assert last(table) == [rolled.NonceWithheld]
    assert refused(table, "p3", c.ReportWithheld(1)).code == "nonce"
    throw(table)
    assert (table.state.rolls[1].throws, recomputed(table)) == (1, 1)


def test_a_throw_that_was_made_before_wins() -> None:
    table, time = timed()
    bind(table, "p2")
    answer(table, "p2")
    time.now += MINUTE
    throw(table)
    assert refused(table, "p2", c.ReportWithheld(1)).code == "nonce"
    assert table.state.rolls[1].state == "rolled"


def test_nobody_is_told_of_while_others_are_waited_for() -> None:
    table, time = timed()
    bind(table, "p2", "p3")
    answer(table, "p3")
    time.now += 2 * MINUTE
    error = refused(table, "p3", c.ReportWithheld(1))
    assert (error.code, error.allowed) == ("nonce", ("witness", "pass_over"))


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_whoever_sees_nothing_of_a_roll_may_tell_of_its_throw_and_learns_no_more(
    visibility: Visibility,
) -> None:
    table, time = timed(visibility=visibility)
    assert refused(table, "p3", c.ReportWithheld(1)).code == "not-seen"
    bind(table, "p3")
    answer(table, "p3")
    time.now += MINUTE
    report, voided = table.submit("p3", c.ReportWithheld(1))
    assert (report.kind, type(recorded(report).event)) == ("open", rolled.NonceWithheld)
    assert (voided.kind, voided.payload, voided.salt) == ("hidden", None, None)
    known = Aggregate(table.aggregate.environment)
    known.load(table.aggregate.view("p3"))
    assert not known.opened.rolls
    assert known.frontier.root() == table.aggregate.frontier.root()
    assert "reported" in refused(table, "p3", c.ReportWithheld(1)).why


def test_the_moves_of_a_seat_depend_on_the_time() -> None:
    table, time = timed()
    bind(table, "p2")
    answer(table, "p2")

    def move(seat: str) -> tuple[bool, str | None]:
        every = {each.trigger: each for each in moves(table.state, seat, 1, now=time.now)}
        return every["report_withheld"].legal, every["report_withheld"].code

    assert (move("p2"), move("p1")) == ((False, "due"), (False, "not-yours"))
    time.now += MINUTE
    assert (move("p2"), move("p1")) == ((True, None), (False, "not-yours"))
    found = {each.trigger: each for each in moves(table.state, "p2", 1)}
    assert found["report_withheld"].code == "due"  # by the time of the latest entry


def test_a_log_is_read_without_any_clock() -> None:
    table, time = timed()
    bind(table, "p2", "p3")
    answer(table, "p3")
    time.now += MINUTE
    table.submit("p1", c.PassOver(1))
    time.now += MINUTE
    table.submit("p2", c.ReportWithheld(1))
    reader = Aggregate(table.aggregate.environment)
    time.now = 0
    reader.load(table.entries)
    assert reader.opened == table.state
