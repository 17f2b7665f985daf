"""With every seat in one hand a throw at level table is played for all of them."""

import pytest

from tests.engine.helpers.proofs import duel, events, given_for, recomputed
from tests.engine.helpers.stage import NONCES, ROOT, code_of, fight
from tests.engine.helpers.timed import MINUTE, answer, bind, timed
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.scenario import Clock
from urim.engine.table import Table
from urim.engine.table.nonces import Nonces, answering, turns
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.base import Level


def test_a_whole_opposed_roll_is_played_for_everybody_and_proved() -> None:
    table, roll = duel("table")
    assert recomputed(table) == roll.state.throws == 4
    throws = [event for event in events(table) if hasattr(event, "proof")]
    for event in throws:
        others = {NARRATOR, "p1", "p2"} - {event.by}
        assert {seat for seat, _ in given_for(table, 1, event.proof.throw)} == others
    given = [event.nonce for event in events(table) if isinstance(event, rolled.WitnessGiven)]
    nonces = [*given, *(event.proof.nonce for event in throws)]
    assert len(set(nonces)) == len(nonces) == 12


def test_who_left_is_not_asked() -> None:
    table, etgar, _ = fight("fair", level="table")
    table.submit("p2", c.LeaveSeat("p2"))
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert [seat for seat, _ in given_for(table, 1, 0)] == [NARRATOR]


def test_a_throw_that_is_not_offered_binds_nothing() -> None:
    table, etgar, _ = fight("fair", level="table")
    roll = table.declare(etgar, root=ROOT, rating=4)
    roll.roll()
    before = table.state
    for dice in ((), ("d99",), tuple(f"d{number}" for number in range(1, 9))):
        assert code_of(roll.reroll, *dice)
        assert table.state is before


def test_a_throw_that_was_refused_after_its_nonce_was_bound_is_made_again_with_it() -> None:
    table, etgar, _ = fight("fair", level="table")
    roll = table.declare(etgar, root=ROOT, rating=4)
    assert code_of(roll.roll, faces="אבגדהוזח") == "face"  # fair dice take none; all is bound
    assert roll.state.binding is not None
    roll.roll()
    assert (recomputed(table), roll.state.throws) == (1, 1)


def test_a_void_opens_what_this_hand_has_bound() -> None:
    table, etgar, _ = fight("fair", level="table")
    roll = table.declare(etgar, root=ROOT, rating=4)
    assert code_of(roll.roll, faces="אבגדהוזח") == "face"
    bound = table.nonces.bound(roll.state)
    roll.void("why")
    assert bound is not None
    assert events(table)[-2].nonce == bound


@pytest.mark.parametrize("level", ["server", "player"])
def test_other_levels_ask_nobody(level: Level) -> None:
    table, etgar, _ = fight("fair", level=level)
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert not any(isinstance(event, rolled.NonceCommitted) for event in events(table))


def test_dice_that_are_not_fair_ask_nobody() -> None:
    table, etgar, _ = fight("seeded:7", level="table")
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert not any(isinstance(event, rolled.NonceCommitted) for event in events(table))


def test_a_throw_keeps_the_answer_and_the_nonce_that_it_names() -> None:
    table, _ = timed()
    named = c.RollDice(1, "initiator", 3, NONCES[9])
    assert answering(table.state, "p1", named, Nonces()) == named
    left_out = answering(table.state, "p1", c.RollDice(1, "initiator"), Nonces())
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    assert left_out.committed == waiting.seq
    assert left_out.nonce is not None


def test_a_nonce_drawn_by_somebody_else_is_not_known() -> None:
    table, _ = timed()
    bind(table, "p2")
    answer(table, "p2")
    nonces = Nonces()
    assert nonces.bound(table.state.rolls[1]) is None
    assert turns(table.state, "p1", c.RollDice(1, "initiator"), nonces) == ()
    assert turns(table.state, "p1", c.RollDice(7, "initiator"), nonces) == ()


def test_no_dice_need_no_nonces() -> None:
    table = Table("age_of_magic", level="table")
    who = table.character("Cogan", attributes={"Brawling": 6, "ST": 3})
    roll = table.declare(who, skill="Brawling", characteristic="ST", difficulty=8)
    roll.roll(option=0)
    assert not any(isinstance(event, rolled.NonceCommitted) for event in events(table))


# --- a clock that waits ---------------------------------------------------------------------------


def test_a_clock_that_waits_is_later_by_so_much_and_goes_on_from_there() -> None:
    table, time = timed()
    clock = Clock(time)
    now = clock(table.state)
    clock.wait({"wait": 30}, table.state)
    clock.wait({"wait": 30}, table.state)
    assert clock(table.state) == clock(table.state) == now + MINUTE
    time.now += 2 * MINUTE
    assert clock(table.state) == now + 2 * MINUTE
    clock.wait({}, table.state)
    assert clock(table.state) == now + 2 * MINUTE


@pytest.mark.parametrize("wait", [1.5, "1", True, None, [1]])
def test_a_step_waits_whole_seconds(wait: object) -> None:
    table, time = timed()
    with pytest.raises(Refused) as refused:
        Clock(time).wait({"wait": wait}, table.state)
    assert refused.value.code == "malformed"


@pytest.mark.parametrize("wait", [-1, 86_401])
def test_a_step_waits_a_day_at_most(wait: int) -> None:
    table, time = timed()
    with pytest.raises(Refused) as refused:
        Clock(time).wait({"wait": wait}, table.state)
    assert refused.value.code == "out-of-range"
