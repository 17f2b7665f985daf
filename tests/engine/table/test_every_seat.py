"""With every seat in one hand a throw at level table is played for all of them."""

import pytest

from tests.engine.helpers.proofs import duel, events, recomputed, shares_of
from tests.engine.helpers.stage import NONCES, ROOT, code_of, fight
from tests.engine.helpers.timed import anchor_of, ask, committed, share, timed, with_asks
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.scenario import Clock
from urim.engine.table import Table
from urim.engine.table.shares import Shares, answering, asking, turns
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.base import Level
from urim.events.share import LENGTH
from urim.events.table import ShareAnchored
from urim.projections.levels import level_of


def test_a_whole_opposed_roll_is_played_for_everybody_and_proved() -> None:
    table, roll = duel("table")
    assert recomputed(table) == roll.state.throws == 4
    throws = [event for event in events(table) if hasattr(event, "proof")]
    for event in throws:
        assert set(shares_of(table, 1, event.proof.throw)) == {NARRATOR, "p1", "p2"}
    shares = [event.share for event in events(table) if isinstance(event, rolled.ShareOpened)]
    assert len(set(shares)) == len(shares) == 12
    assert {seat: anchor_of(table, seat).at for seat in (NARRATOR, "p1", "p2")} == {
        NARRATOR: 4,
        "p1": 4,
        "p2": 4,
    }


def test_every_seat_has_one_chain_for_all_its_throws() -> None:
    table, _ = duel("table")
    anchors = [event.by for event in events(table) if isinstance(event, ShareAnchored)]
    assert anchors == [NARRATOR, "p1", "p2"]


def test_who_left_is_not_asked() -> None:
    table, etgar, _ = fight("fair", level="table")
    table.submit("p2", c.LeaveSeat("p2"))
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert set(shares_of(table, 1, 0)) == {NARRATOR, "p1"}


def test_a_throw_that_is_not_offered_asks_for_nothing() -> None:
    table, etgar, _ = fight("fair", level="table")
    roll = table.declare(etgar, root=ROOT, rating=4)
    roll.roll()
    before = table.state
    for dice in ((), ("d99",), tuple(f"d{number}" for number in range(1, 9))):
        assert code_of(roll.reroll, *dice)
        assert table.state is before


def test_who_sits_down_later_has_no_chain_and_is_not_asked() -> None:
    table, etgar, _ = fight("fair", level="table")
    table.declare(etgar, root=ROOT, rating=4).roll()
    table.seat("p9")
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert set(shares_of(table, 2, 0)) == {NARRATOR, "p1", "p2"}


def test_a_chain_that_is_used_up_is_followed_by_another() -> None:
    table, _ = timed()
    spent = with_asks(table.state, "p2", LENGTH)
    throw, shares = c.RollDice(1, "initiator"), Shares()
    seat, command = next(turns(lambda: spent, "p1", throw, shares))
    assert (seat, type(command)) == ("p2", c.AnchorShares)
    less = with_asks(table.state, "p2", LENGTH - 1)
    assert type(next(turns(lambda: less, "p1", throw, shares))[1]) is c.Ask


@pytest.mark.parametrize("level", ["server", "player"])
def test_other_levels_ask_nobody(level: Level) -> None:
    table, etgar, _ = fight("fair", level=level)
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert not any(isinstance(event, rolled.ThrowAsked) for event in events(table))


def test_dice_that_are_not_fair_ask_nobody() -> None:
    table, etgar, _ = fight("seeded:7", level="table")
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert not any(isinstance(event, rolled.ThrowAsked) for event in events(table))


def test_where_nobody_else_is_there_a_throw_is_made_at_level_player() -> None:
    table, etgar, _ = fight("fair", level="table")
    table.submit("p2", c.LeaveSeat("p2"))
    table.submit(NARRATOR, c.GiveCharacter("c1", NARRATOR))
    table.submit("p1", c.LeaveSeat("p1"))
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert level_of(table.state.rolls[1], 0) == "player"
    assert recomputed(table) == 1


def test_a_throw_keeps_the_answer_and_the_nonce_that_it_names() -> None:
    table, etgar, _ = fight("fair")
    table.declare(etgar, root=ROOT, rating=4)
    named = c.RollDice(1, "initiator", 3, NONCES[9])
    assert answering(table.state, "p1", named) == named
    left_out = answering(table.state, "p1", c.RollDice(1, "initiator"))
    assert left_out.committed == committed(table)
    assert left_out.nonce is not None


def test_shares_of_seats_that_others_play_are_left_to_them() -> None:
    table, _ = timed()
    shares = Shares()
    played = list(turns(lambda: table.state, "p1", c.RollDice(1, "initiator"), shares, ["p1"]))
    assert [type(command) for _, command in played] == [c.Ask]
    ask(table, "p2")
    assert shares.share(table.state, "p2") is None  # its chain was drawn elsewhere
    shares.keep(share(table, "p2", 0), share(table, "p2", LENGTH))
    assert shares.share(table.state, "p2") == share(table, "p2", 1)
    assert shares.share(table.state, "p3") is None  # nothing is asked of it


def test_an_ask_names_every_seat_that_has_a_chain() -> None:
    table, _ = timed("p1", "p3", NARRATOR)
    command = asking(table.state, "p1", c.RollDice(1, "initiator"))
    assert (command.asked, command.committed) == ((NARRATOR, "p1", "p3"), committed(table))
    again = asking(table.state, "p1", c.Reroll(1, "initiator", 5, dice=("d1",)))
    assert (again.dice, again.committed) == (("d1",), 5)


def test_no_dice_need_no_shares() -> None:
    table = Table("age_of_magic", level="table")
    who = table.character("Cogan", attributes={"Brawling": 6, "ST": 3})
    roll = table.declare(who, skill="Brawling", characteristic="ST", difficulty=8)
    roll.roll(option=0)
    assert not any(isinstance(event, rolled.ThrowAsked) for event in events(table))


# --- a clock that waits ---------------------------------------------------------------------------


def test_a_clock_that_waits_is_later_by_so_much_and_goes_on_from_there() -> None:
    table, time = timed()
    clock = Clock(time)
    now = clock(table.state)
    clock.wait({"wait": 30}, table.state)
    clock.wait({"wait": 30}, table.state)
    assert clock(table.state) == clock(table.state) == now + 60_000
    time.now += 120_000
    assert clock(table.state) == now + 120_000
    clock.wait({}, table.state)
    assert clock(table.state) == now + 120_000


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
