"""Level `table`: a throw is asked for, and falls with the last share, or is seen broken off."""

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from tests.engine.helpers.decide_cases import ALL_CASES, CASES, fair
from tests.engine.helpers.proofs import events, recomputed, shares_of
from tests.engine.helpers.stage import ROOT, code_of, fight
from tests.engine.helpers.timed import (
    BREAK,
    SPENT,
    anchor,
    anchor_of,
    ask,
    asking,
    committed,
    open_shares,
    opening,
    refused,
    share,
    throw,
    timed,
    waiting,
    with_asks,
)
from urim.engine.core import commands as c
from urim.engine.core.aggregate import environment
from urim.engine.core.decide import decide
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.table import Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import throw as urim1
from urim.events.base import Effect
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.projections.history import history
from urim.projections.rollstate import Ask


def kinds(entries: tuple[Entry, ...]) -> list[type]:
    """The types of the events of a commit, of those that were shown."""
    return [type(recorded(entry).event) for entry in entries if entry.payload is not None]


def broken(table: Table, time: Any, *kept: str, roll: int = 1) -> rolled.ThrowBroken:
    """The throw that waits is broken off, all but these seats having opened their shares."""
    open_shares(table, *(seat for seat in waiting(table).waiting if seat not in kept))
    time.now += BREAK
    table.submit("p3", c.BreakThrow(roll))
    event = events(table)[-1]
    assert isinstance(event, rolled.ThrowBroken)
    return event


# --- chains ---------------------------------------------------------------------------------------


def test_an_anchor_is_where_a_chain_begins() -> None:
    table, _ = timed()
    known = anchor_of(table, "p2")
    assert (known.first, known.link, known.at, known.asks) == (
        share(table, "p2", 0),
        share(table, "p2", 0),
        0,
        0,
    )
    assert table.state.seats[NARRATOR].anchor is None


def test_a_further_anchor_begins_another_chain() -> None:
    table, _ = timed()
    throw(table, "p2")
    assert anchor_of(table, "p2").asks == 1
    anchor(table, "p2", chain=2)
    assert (anchor_of(table, "p2").first, anchor_of(table, "p2").asks) == (
        share(table, "p2", 0, chain=2),
        0,
    )
    ask(table, "p2", dice=("d1",))
    assert waiting(table).asked == (("p1", 2), ("p2", 1))
    assert refused(table, "p2", opening(table, "p2")).code == "nonce"  # of the chain before
    open_shares(table, "p2", chain=2)


def test_who_leaves_takes_its_chain_along() -> None:
    table, _ = timed()
    table.submit("p2", c.LeaveSeat("p2"))
    table.submit(NARRATOR, c.TakeSeat("p2"))
    assert table.state.seats["p2"].anchor is None


# --- the ask --------------------------------------------------------------------------------------


def test_an_ask_plans_the_throw_and_names_links_and_who_is_left_out() -> None:
    table, _ = timed("p1", "p2", "p3", NARRATOR)
    answers = committed(table)
    entries = table.submit("p1", asking(table, "p2"))
    assert [entry.kind for entry in entries] == ["open", "open"]
    plan, asked = (recorded(entry).event for entry in entries)
    dice = tuple((f"d{n}", kind) for n, kind in enumerate(_kinds(table), 1))
    assert plan == rolled.ThrowPlanned("p1", 1, 0, "roll", "initiator", dice)
    assert asked == rolled.ThrowAsked(
        "p1", 1, 0, answers, (("p1", 1), ("p2", 1)), left=(NARRATOR, "p3")
    )
    assert table.state.ask == Ask(
        roll=1, throw=0, seat="p1", seq=entries[1].seq, at=entries[1].at, committed=answers,
        asked=asked.asked, left=asked.left,
    )  # fmt: skip
    assert (table.state.rolls[1].throws, table.state.rolls[1].state) == (0, "declared")


def _kinds(table: Table) -> tuple[str, ...]:
    return ["red-a", "red-b", "red-a", "red-b", "blue-a", "blue-b", "blue-a", "blue-b"]  # type: ignore[return-value]  # as a list


def test_a_throw_that_is_planned_has_no_more_dice_than_any(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = timed()
    monkeypatch.setattr("urim.engine.core.sources.DICE", 7)
    found = refused(table, "p1", asking(table, "p2"))
    assert (found.code, found.allowed) == ("too-many", ("at most 7",))
    monkeypatch.setattr("urim.engine.core.sources.DICE", 8)
    assert table.submit("p1", asking(table, "p2"))


def test_seats_are_asked_and_left_in_the_order_of_their_ids() -> None:
    table, _ = timed("p1", "p2", "p3", NARRATOR)
    command = replace(asking(table), asked=("p3", "p1", NARRATOR))
    table.submit("p1", command)
    assert (waiting(table).asked, waiting(table).left) == (
        ((NARRATOR, 1), ("p1", 1), ("p3", 1)),
        ("p2",),
    )


def test_a_share_is_spent_by_being_asked_for() -> None:
    table, time = timed()
    ask(table, "p2")
    broken(table, time, "p2")
    ask(table, "p2", "p3")
    assert waiting(table).asked == (("p1", 2), ("p2", 2), ("p3", 1))
    assert refused(table, "p2", c.OpenShare(1, share(table, "p2", 1))).code == "nonce"
    open_shares(table, "p1", "p2", "p3")
    assert recomputed(table) == 1
    assert {id: anchor_of(table, id).at for id in ("p1", "p2", "p3")} == {"p1": 2, "p2": 2, "p3": 1}


def test_a_chain_answers_a_thousand_asks() -> None:
    table, _ = timed()
    command, source = asking(table, "p2"), table.aggregate.environment.source
    for seat in ("p1", "p2"):
        spent = with_asks(table.state, seat, SPENT)
        with pytest.raises(Refused, match="all of it") as caught:
            decide(spent, "p1", command, source, now=0)
        assert (caught.value.code, caught.value.allowed[0]) == ("not-offered", "anchor-shares")
    last = with_asks(table.state, "p2", SPENT - 1)
    _, asked = decide(last, "p1", command, source, now=0)
    assert asked.event == rolled.ThrowAsked(
        "p1", 1, 0, command.committed, (("p1", 1), ("p2", 1_000)), ("p3",)
    )


def test_no_dice_are_asked_for_but_thrown_at_once() -> None:
    table = Table("age_of_magic", level="table")
    who = table.character("Cogan", attributes={"Brawling": 6, "ST": 3})
    table.declare(who, skill="Brawling", characteristic="ST", difficulty=8)
    anchor(table, "p1", NARRATOR)
    nothing = asking(table, NARRATOR, option=0, hand="first")
    assert refused(table, "p1", nothing).code == "not-offered"
    table.submit("p1", c.RollDice(1, "first", option=0))
    assert (table.state.ask, table.state.rolls[1].state) == (None, "rolled")


# --- the throw ------------------------------------------------------------------------------------


def test_the_throw_is_in_the_commit_of_the_last_share_whoever_opens_it() -> None:
    table, _ = timed("p1", "p2", "p3", NARRATOR)
    answers = committed(table)
    ask(table, "p2", NARRATOR)
    for seat in ("p1", NARRATOR):
        assert kinds(table.submit(seat, opening(table, seat))) == [rolled.ShareOpened]
    entries = table.submit("p2", opening(table, "p2"))
    assert kinds(entries) == [rolled.ShareOpened, rolled.DiceRolled]
    opened, thrown = (recorded(entry).event for entry in entries)
    assert isinstance(thrown, rolled.DiceRolled) and thrown.proof is not None
    assert (opened.by, thrown.by) == ("p2", "p1")
    assert thrown.proof.committed == answers
    assert thrown.proof.nonce == share(table, "p1", 1)
    assert shares_of(table, 1, 0) == {id: share(table, id, 1) for id in ("p1", "p2", NARRATOR)}
    assert recomputed(table) == 1
    assert (table.state.ask, table.state.rolls[1].throws) == (None, 1)


def test_a_reroll_is_asked_for_and_has_its_price() -> None:
    table, *_ = fight("fair", level="table")
    rachel = table.character("Rachel", attributes={"BLE": 1}, tracks={"merit": 2}, seat="p1")
    table.declare(rachel, attribute="BLE")
    anchor(table, "p1", "p2")
    throw(table, "p2")
    offer = next(o for o in _offers(table) if o.trigger == "reroll")
    dice = offer.dice[: (offer.most or 0) + offer.extra]
    throw(table, "p2", dice=dice)
    again = events(table)[-1]
    assert isinstance(again, rolled.DiceRerolled)
    assert tuple(item.die for item in again.dice) == dice
    assert again.effects == (Effect("c3", "merit", -1),)
    assert table.state.tracks["c3"]["merit"] == 1
    assert recomputed(table) == 2


def _offers(table: Table) -> Any:
    [found] = [move for move in moves(table.state, "p1", 1) if move.trigger == "ask"]
    return found.offers


def test_an_option_of_the_ask_is_that_of_the_throw() -> None:
    table = Table("age_of_magic", level="table")
    who = table.character("Cogan", attributes={"Brawling": 6, "ST": 3})
    table.declare(who, skill="Brawling", characteristic="ST", difficulty=8)
    anchor(table, "p1", NARRATOR)
    throw(table, NARRATOR, option=2, hand="first")
    plan = next(event for event in events(table) if isinstance(event, rolled.ThrowPlanned))
    thrown = events(table)[-1]
    assert (plan.option, thrown.option) == (2, 2)
    assert {item.die for item in thrown.dice} == {die for die, _ in plan.dice} == {"d1", "d2"}


def test_a_die_that_is_thrown_again_at_once_stands_in_the_plan_once() -> None:
    table = Table("plain", level="table")
    who = table.character("Ann")
    table.declare(who, expression="60d6!")
    anchor(table, "p1", NARRATOR)
    [offer] = _offers(table)
    throw(table, NARRATOR, hand=offer.hand)
    plan = next(event for event in events(table) if isinstance(event, rolled.ThrowPlanned))
    thrown = [item.die for item in events(table)[-1].dice]
    assert len(plan.dice) == 60 < len(thrown)  # none of 60 dice shows a six in 2 of 100,000 runs
    assert list(dict.fromkeys(thrown)) == [die for die, _ in plan.dice]


# --- a break --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ["p1", "p2", "p3", NARRATOR])
def test_anybody_breaks_a_throw_off_ten_seconds_after_its_ask_and_not_before(seat: str) -> None:
    table, time = timed()
    ask(table, "p2")
    time.now += 4_000
    open_shares(table, "p1")  # which gives nobody more time
    time.now += BREAK - 4_001
    error = refused(table, seat, c.BreakThrow(1))
    assert (error.code, error.allowed) == ("due", ("open_share", "in 1 s"))
    assert "seat 'p2' may still open a share, for 1 s" in error.why
    time.now += 1
    assert kinds(table.submit(seat, c.BreakThrow(1))) == [rolled.ThrowBroken]


def test_a_refusal_says_how_many_seconds_are_left() -> None:
    table, time = timed()
    ask(table, "p2")
    time.now += 2_400
    assert refused(table, "p3", c.BreakThrow(1)).allowed == ("open_share", "in 8 s")
    toad = c.Declare("c2", {"root": ROOT, "rating": 2})
    assert refused(table, "p2", toad).allowed == ("open_share", "break_throw in 8 s")
    time.now += BREAK
    assert refused(table, "p2", toad).allowed == ("open_share", "break_throw")


def test_a_break_names_who_kept_back_and_opens_the_seed_and_commits_to_the_next() -> None:
    table, time = timed("p1", "p2", "p3", NARRATOR)
    before = table.state.rolls[1].outstanding
    assert before is not None
    ask(table, "p2", "p3", NARRATOR)
    event = broken(table, time, "p3", NARRATOR)
    assert (event.throw, event.kept) == (0, (NARRATOR, "p3"))
    id = urim1.throw_id(table.state.id, 1, 0)
    assert urim1.commitment(id, urim1.seed_from(event.seed)).hex() == before.commit
    roll = table.state.rolls[1]
    assert (roll.state, roll.throws, roll.roll.hands) == ("declared", 1, ())
    assert table.state.ask is None
    assert roll.outstanding is not None
    assert (roll.outstanding.throw, roll.outstanding.seq) == (1, table.state.size - 1)
    assert roll.outstanding.commit == event.next
    assert table.state.kept_back == {"p3", NARRATOR} - {"p3"}  # it broke the throw off itself


def test_after_a_break_the_roll_goes_on_with_the_next_number() -> None:
    table, time = timed()
    ask(table, "p2")
    broken(table, time, "p1", "p2")
    assert table.state.kept_back == {"p1", "p2"}
    throw(table, "p3")
    thrown = events(table)[-1]
    assert thrown.proof.throw == 1
    assert recomputed(table) == 1
    assert table.state.rolls[1].throws == 2


def test_a_reroll_that_is_broken_off_leaves_the_dice_as_they_lie() -> None:
    table, time = timed()
    throw(table, "p2")
    lying, tracks = table.state.rolls[1].roll, table.state.tracks
    ask(table, "p2", dice=("d1", "d2"))
    broken(table, time, "p2")
    assert (table.state.rolls[1].roll, table.state.tracks) == (lying, tracks)
    assert table.state.rolls[1].state == "rolled"


def test_a_share_comes_too_late_once_its_throw_is_broken_off() -> None:
    table, time = timed()
    ask(table, "p2")
    late = opening(table, "p2")
    broken(table, time, "p2")
    error = refused(table, "p2", late)
    assert (error.code, error.allowed) == ("nonce", ("ask",))


def test_a_seat_may_open_its_share_after_the_ten_seconds_too() -> None:
    table, time = timed()
    ask(table, "p2")
    time.now += 10 * BREAK
    open_shares(table, "p1", "p2")
    assert recomputed(table) == 1


# --- nothing else meanwhile -----------------------------------------------------------------------

MAY = (c.Note, c.SetTable, c.BeginEpoch, c.OpenShare, c.BreakThrow)
"""What may come between an ask and its throw."""


@pytest.mark.parametrize("kind", [kind for kind in CASES if kind not in MAY])
def test_every_other_command_has_to_wait(kind: type) -> None:
    table, _ = timed()
    ask(table, "p2")
    case = CASES[kind]
    for seat in ("p1", "p2", NARRATOR):
        error = refused(table, seat, case.command)
        assert (error.code, error.allowed) == ("due", ("open_share", "break_throw in 10 s"))
        assert "throw 0 of roll 1 waits for shares of seat 'p1', 'p2'" in error.why


@pytest.mark.parametrize("trigger", [kind.trigger for kind in get_args(c.AnyRollCommand)])
def test_no_other_move_is_legal_meanwhile(trigger: str) -> None:
    table, time = timed()
    ask(table, "p2")
    for seat in ("p1", "p2", "p3", NARRATOR):
        found = {m.trigger: m for m in moves(table.state, seat, 1, now=time.now + BREAK)}
        may = trigger == "break_throw" or (trigger == "open_share" and seat in ("p1", "p2"))
        assert found[trigger].legal == may  # type: ignore[index]  # a trigger
        if not may and trigger != "open_share":
            assert found[trigger].code == "due"  # type: ignore[index]


def test_notes_may_be_written_meanwhile() -> None:
    table, _ = timed()
    ask(table, "p2")
    for seat in ("p1", "p3", NARRATOR):
        table.submit(seat, c.worded(c.Note(0), "we wait"))
    open_shares(table, "p2")
    table.submit("p2", c.worded(c.Note(0), "not for me"))
    open_shares(table, "p1")
    assert recomputed(table) == 1


def test_an_epoch_ends_every_chain_and_the_ask() -> None:
    table, time = timed()
    throw(table, "p2")
    ask(table, "p2", dice=("d1",))
    open_shares(table, "p2")
    late, before = opening(table, "p1"), committed(table)
    table.aggregate.environment = replace(environment("fair"), clock=time)
    table.submit(NARRATOR, c.BeginEpoch())
    assert table.state.ask is None
    assert table.state.kept_back == frozenset()
    assert {seat.anchor for seat in table.state.seats.values()} == {None}
    assert refused(table, "p1", late).code == "nonce"
    roll = table.state.rolls[1]
    assert (roll.throws, committed(table)) == (1, table.state.size - 1)
    assert committed(table) != before
    anchor(table, "p1", "p2", chain=2)
    ask(table, "p2", dice=("d1",))
    assert waiting(table).asked == (("p1", 1), ("p2", 1))
    open_shares(table, "p1", "p2", chain=2)
    assert events(table)[-1].proof.throw == 1


# --- in words -------------------------------------------------------------------------------------


def test_the_history_says_who_asks_whom_and_who_kept_back() -> None:
    table, time = timed("p1", "p2", "p3", NARRATOR)
    ask(table, "p2", "p3")
    broken(table, time, "p2", "p3")
    throw(table, NARRATOR)
    texts = (line.text for line in history(table.state, table.aggregate.records))
    lines = [line.translate({0x2068: None, 0x2069: None}) for line in texts]
    chain = share(table, "p1", 0)[:8]
    assert f"p1 publishes a chain of shares, {chain}." in lines
    every = [line for line in lines if line.startswith("Throw ")]
    assert every == [
        "Throw 0 will show d1, d2, d3, d4, d5, d6, d7, d8 of the action.",
        "Throw 0: p1 asks p2, p3 for shares, and gives one; narrator left out.",
        "Throw 0: p1 opens a share.",
        "Throw 0 is broken off: no share of p2, p3. Its seed is opened.",
        "Throw 1 will show d1, d2, d3, d4, d5, d6, d7, d8 of the action.",
        "Throw 1: p1 asks narrator for shares, and gives one; p2, p3 left out.",
        "Throw 1: narrator opens a share.",
        "Throw 1: p1 opens a share.",
    ]


def test_a_command_of_another_seat_in_every_case_finds_no_ask_left_behind() -> None:
    for case in ALL_CASES.values():
        table = case.stage()
        table.submit(case.seat, case.command)
        ask_left = table.state.ask
        assert ask_left is None or type(c.apart(case.command)[0]) in (c.Ask, c.OpenShare)
    assert code_of(fair().submit, "p1", c.OpenShare(1, "0" * 64)) == "nonce"
