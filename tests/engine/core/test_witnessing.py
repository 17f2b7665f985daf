"""At level table nobody is waited for without end: who stays silent is passed over, and shown."""

import pytest

from tests.engine.helpers.proofs import commit, events, given_for, recomputed
from tests.engine.helpers.stage import NONCES, code_of
from tests.engine.helpers.timed import MINUTE, answer, bind, binding, refused, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.projections.rollstate import Witnessing


@pytest.mark.parametrize("seat", ["p1", NARRATOR])
def test_the_roller_or_a_narrator_goes_on_without_silent_seats_after_a_minute(seat: str) -> None:
    table, time = timed()
    bind(table, "p2", "p3")
    time.now += MINUTE - 1
    error = refused(table, seat, c.PassOver(1))
    assert (error.code, error.allowed) == ("due", ("in 1 s",))
    assert "'p2', 'p3'" in error.why
    time.now += 1
    table.submit(seat, c.PassOver(1))
    event = events(table)[-1]
    assert (type(event), event.seats, event.throw) == (rolled.SeatsPassedOver, ("p2", "p3"), 0)
    throw(table)
    assert recomputed(table) == 1


def test_a_refusal_says_how_many_seconds_are_left() -> None:
    table, time = timed()
    bind(table, "p2")
    time.now += 17_400
    assert refused(table, "p1", c.PassOver(1)).allowed == ("in 43 s",)
    assert "for 43 s" in refused(table, "p1", c.PassOver(1)).why


def test_only_those_who_are_silent_are_passed_over_and_only_the_others_are_in_the_dice() -> None:
    table, time = timed()
    bind(table, "p2", "p3")
    answer(table, "p3")
    time.now += MINUTE
    table.submit("p1", c.PassOver(1))
    assert events(table)[-1].seats == ("p2",)
    throw(table)
    assert recomputed(table) == 1
    assert [seat for seat, _ in given_for(table, 1, 0)] == ["p3"]


def test_who_was_passed_over_comes_too_late_but_for_this_throw_alone() -> None:
    table, time = timed()
    bind(table, "p2")
    time.now += MINUTE
    table.submit("p1", c.PassOver(1))
    assert refused(table, "p2", c.Witness(1, NONCES[3])).code == "nonce"
    throw(table)
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    bound = c.CommitNonce(1, commit(table, NONCES[0], 1), waiting.seq, ("p2",))
    table.submit("p1", bound)
    answer(table, "p2")
    assert binding(table).silent == ()


def test_the_time_counts_from_the_binding_whoever_answers_meanwhile() -> None:
    table, time = timed()
    bind(table, "p2", "p3")
    time.now += MINUTE - 1_000
    answer(table, "p3")
    assert refused(table, "p1", c.PassOver(1)).allowed == ("in 1 s",)


def test_who_has_left_the_table_is_waited_for_no_longer_and_the_others_still_are() -> None:
    table, _ = timed()
    bind(table, "p2", "p3")
    table.submit("p3", c.LeaveSeat("p3"))
    table.submit("p1", c.PassOver(1))
    assert events(table)[-1].seats == ("p3",)
    assert binding(table).silent == ("p2",)
    assert refused(table, "p1", c.PassOver(1)).code == "due"


def test_who_comes_back_in_time_is_asked_still() -> None:
    table, _ = timed()
    bind(table, "p3")
    table.submit("p3", c.LeaveSeat("p3"))
    assert code_of(table.submit, "p3", c.Witness(1, NONCES[3])) == "unknown"
    table.submit(NARRATOR, c.TakeSeat("p3"))
    answer(table, "p3")
    throw(table)
    assert recomputed(table) == 1


def test_a_narrator_passes_over_silent_seats_in_a_roll_that_he_does_not_see() -> None:
    table, time = timed(visibility="self")
    bind(table, "p2")
    time.now += MINUTE
    assert refused(table, "p3", c.PassOver(1)).code == "not-yours"
    table.submit(NARRATOR, c.PassOver(1))
    assert isinstance(events(table)[-1], rolled.SeatsPassedOver)
    assert table.entries[-1].kind == "open"


# --- what the narrator sets -----------------------------------------------------------------------


def test_a_table_waits_a_minute_and_voids_until_a_narrator_sets_it() -> None:
    table, _ = timed()
    assert table.state.witnessing == Witnessing(60, "void")
    table.submit(NARRATOR, c.SetWitnessing(5, "wait"))
    assert table.state.witnessing == Witnessing(5, "wait")
    assert table.submit(NARRATOR, c.SetWitnessing(5, "wait")) == ()


def test_a_shorter_time_holds_for_the_next_nonce_that_is_bound_and_not_for_this_one() -> None:
    table, time = timed()
    bind(table, "p2")
    table.submit(NARRATOR, c.SetWitnessing(1, "wait"))
    time.now += 1_000
    assert refused(table, "p1", c.PassOver(1)).allowed == ("in 59 s",)
    answer(table, "p2")
    time.now += MINUTE
    table.submit("p2", c.ReportWithheld(1))
    assert table.state.rolls[1].state == "voided"  # as it was when the nonce was bound
    table.submit("p1", c.Declare("c1", {"root": "רוח", "rating": 4}))
    waiting = table.state.rolls[2].outstanding
    assert waiting is not None
    table.submit("p1", c.CommitNonce(2, NONCES[0], waiting.seq, ("p2",)))
    time.now += 1_000
    table.submit("p1", c.PassOver(2))
    assert isinstance(events(table)[-1], rolled.SeatsPassedOver)


def test_a_longer_time_is_waited_for() -> None:
    table, time = timed()
    table.submit(NARRATOR, c.SetWitnessing(86_400))
    bind(table, "p2")
    time.now += 86_399_999
    assert refused(table, "p1", c.PassOver(1)).allowed == ("in 1 s",)
    time.now += 1
    assert table.submit("p1", c.PassOver(1))
