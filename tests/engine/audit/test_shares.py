"""Steps 6 and 8 of an audit: anchors, asks, shares, breaks, each seen to fail by its own fault."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.bundles import Log, at, bundle, fixed, honest, judged, place, wrong
from tests.engine.helpers.twists import (
    ASKED,
    NOTHING,
    OTHER,
    PLAN,
    Twist,
    event,
    having,
    instead,
    proof,
    result,
    twisted,
)
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events.roll import ShareOpened, ThrowBroken
from urim.events.share import link
from urim.events.table import ShareAnchored, TrackSet

ALL = ((NARRATOR, 1), ("p1", 1), ("p2", 1))


def whys(file: bytes, step: int) -> list[str]:
    """What a step says of a file."""
    return [remark.why for remark in result(file, step).remarks]


def asking(*seats: tuple[str, int], left: tuple[str, ...] = (), by: str = "p1") -> Twist:
    return having(asked=seats, left=left, by=by)


# --- the ask --------------------------------------------------------------------------------------

ASKS: dict[str, tuple[Twist, int, str]] = {
    "an older commitment": (having(committed=0), 6, "does not answer the outstanding"),
    "another throw": (having(throw=1), 6, "the plan before the ask is of another throw"),
    "a throw that is not next": (having(throw=1), 6, "does not answer the outstanding"),
    "another roll": (having(roll=1), 6, "the plan before the ask is of another throw"),
    "another roller": (having(by="p2"), 6, "the plan before the ask is of another throw"),
    "no ask": (NOTHING, 6, "a throw is planned, and nobody is asked"),
    "a link asked for before": (asking(*ALL[:2], ("p2", 0)), 8, "asked for link 0, and 0 were"),
    "a link skipped": (asking(*ALL[:2], ("p2", 2)), 8, "asked for link 2, and 0 were asked for"),
    "a seat without an anchor": (asking(*ALL, ("p9", 1)), 8, "p9 is asked, and has no anchor"),
    "nobody else": (asking(ALL[1], left=(NARRATOR, "p2")), 8, "nobody else is asked"),
    "not the roller": (asking(ALL[0], ALL[2], left=("p1",)), 8, "does not ask itself"),
    "a seat not named": (asking(*ALL[:2]), 8, "left out are p2, and the ask names nobody"),
    "a seat left out that is asked": (asking(*ALL, left=("p2",)), 8, "left out are nobody"),
    "another order": (asking(*reversed(ALL)), 8, "not each named once, in order"),
    "a seat twice": (asking(*ALL, ALL[2]), 8, "not each named once, in order"),
    "too many": (asking(*((f"s{n:03}", 1) for n in range(101))), 8, "not each named once"),
}


@pytest.mark.parametrize(("twist", "step", "why"), ASKS.values(), ids=ASKS)
def test_an_ask_that_is_not_as_it_must_be_fails(twist: Twist, step: int, why: str) -> None:
    found = result(twisted((place("asked"), twist)), step)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


def test_an_ask_comes_behind_its_plan() -> None:
    for twist in (NOTHING, instead(ASKED), having(throw=1), having(roll=1), having(by="p2")):
        assert result(twisted((place("plan"), twist)), 6).verdict == "fail"


@pytest.mark.parametrize("seats", [1, 2])
def test_seats_left_out_are_named_and_counted(seats: int) -> None:
    log = Log()
    roll = log.declare("table")
    log.anchor("p2")
    log.ask_for(roll, seats=(NARRATOR, "p1", "p2")[: seats + 1])
    log.open_all(roll)
    found = at(judged(bundle(log)), 8)
    left = " (1 without a seat that has an anchor)" if seats == 1 else ""
    assert (found.verdict, found.summary) == ("pass", f"1 at level table{left}")


def test_a_thousand_asks_use_a_chain_up() -> None:
    file = twisted((place("asked"), asking(*ALL[:2], ("p2", 1_001))))
    assert any("link 1001" in why for why in whys(file, 8))


# --- shares ---------------------------------------------------------------------------------------

SHARES: dict[str, tuple[str, Twist, int, str]] = {
    "another link": ("given", having(share=OTHER), 8, "is not link 1 of its chain"),
    "no link": ("given", having(share="ab"), 8, "the nonce is 'ab'"),
    "a seat that was not asked": ("given", having(by="p3"), 8, "p3 opens a share, and was not"),
    "a seat that opened before": ("table", instead(event(place("given"))), 8, "nobody asks"),
    "another throw": ("given", having(throw=1), 8, "nobody asks for shares of throw 1 of roll 2"),
    "another roll": ("given", having(roll=1), 8, "nobody asks for shares of throw 0 of roll 1"),
    "a share missing": ("given", NOTHING, 6, "waits for the shares of narrator"),
    "another c": ("table", proof(nonce=OTHER), 8, "the nonce is not the share of its roller"),
    "no c": ("table", proof(nonce=None), 8, "the nonce is not the share of its roller"),
    "no throw": ("table", NOTHING, 6, "and the dice do not fall in that commit"),
    "another throw's number": ("table", proof(throw=1), 6, "another throw than was asked for"),
    "another commitment": ("table", proof(committed=0), 6, "another commitment than the ask"),
    "another thrower": ("table", having(by="p2"), 6, "another seat throws than asked"),
    "another hand": ("table", having(hand="reactor"), 6, "another hand than was planned"),
    "another option": ("table", having(option=8), 6, "another option than was planned"),
    "another kind of throw": ("plan", having(trigger="reroll"), 6, "another kind of throw than"),
    "other dice planned": ("plan", having(dice=PLAN.dice[1:]), 6, "other dice than were planned"),
    "a plan for another option": ("plan", having(option=3), 6, "another option than was planned"),
}


@pytest.mark.parametrize(("where", "twist", "step", "why"), SHARES.values(), ids=SHARES)
def test_a_share_or_a_throw_that_is_another_fails(
    where: str, twist: Twist, step: int, why: str
) -> None:
    found = result(twisted((place(where), twist)), step)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


def test_a_die_that_is_thrown_again_at_once_is_planned_once() -> None:
    def twice(event: Any) -> Any:
        first, *others = event.dice
        return replace(event, dice=(first, first, *others))

    found = whys(twisted((place("table"), twice)), 6)
    assert not any("planned" in why for why in found)


def test_every_share_is_in_t() -> None:
    other = link("golden01", NARRATOR, fixed("elsewhere").hex(), 0)
    file = twisted((place("given"), having(share=other)))
    assert {remark.seq for remark in result(file, 9).remarks} == {place("table")}


# --- between ask and throw ------------------------------------------------------------------------


def waiting() -> tuple[Log, int]:
    """A throw that waits for its last share."""
    log = Log()
    roll = log.declare("table")
    log.ask_for(roll)
    log.open_all(roll, silent=("p2",))
    return log, roll


def test_shares_and_notes_come_between_an_ask_and_its_throw() -> None:
    log, roll = waiting()
    log.ask("p1", asked.Note(0), "We wait.")
    log.open_all(roll)
    assert wrong(judged(bundle(log))) == {}


def test_an_ask_that_is_open_at_the_end_is_a_look() -> None:
    log, _ = waiting()
    report = judged(bundle(log))
    assert (wrong(report), report.exit) == ({}, 0)
    assert (
        at(report, 6).remarks[-1].why == "throw 0 of roll 1 waits for the shares of p2 at the end"
    )


@pytest.mark.parametrize(
    "between",
    [
        TrackSet(NARRATOR, "c1", "merit", 1),
        ShareAnchored("p2", OTHER),
        rolled.RollVoided(NARRATOR, 1),
        rolled.RollRevealed(NARRATOR, 1),
    ],
)
def test_nothing_else_comes_between_them(between: Any) -> None:
    log, roll = waiting()
    seq = log.write(between)
    if isinstance(between, TrackSet):
        log.open_all(roll)
    remarks = at(judged(bundle(log)), 6).remarks
    why = "something else than shares and notes, while throw 0 of roll 1 waits for shares"
    assert [remark.seq for remark in remarks if remark.why == why] == [seq]


def test_a_second_ask_waits_for_the_first() -> None:
    log, roll = waiting()
    seq = log.write(replace(ASKED, roll=roll, throw=0))
    remarks = at(judged(bundle(log)), 6).remarks
    assert any(each.seq == seq and "shares are asked for while" in each.why for each in remarks)


def test_an_epoch_ends_asks_and_chains() -> None:
    log, roll = waiting()
    log.epoch()
    log.ask_for(roll)
    log.open_all(roll)
    report = judged(bundle(log))
    assert wrong(report) == {}
    assert "epoch 1 begins" in at(report, 6).remarks[0].why
    late, _ = waiting()
    share = late.share("p2")
    late.epoch()
    late.write(ShareOpened("p2", 1, 0, share))
    why = "nobody asks for shares of throw 0 of roll 1"
    assert why in [each.why for each in at(judged(bundle(late)), 8).remarks]


# --- anchors --------------------------------------------------------------------------------------


def test_a_further_anchor_is_a_look_where_nobody_signs() -> None:
    log = Log()
    log.anchor("p2")
    seq = log.anchor("p2")
    report = judged(bundle(log))
    assert wrong(report) == {}
    assert [each.seq for each in at(report, 8).remarks] == [seq]


@pytest.mark.parametrize("i", [0, 1, 2, 4, 1_000])
def test_an_anchor_is_no_link_of_an_earlier_chain(i: int) -> None:
    log = Log()
    for _ in range(2):
        log.throw(log.declare("table"))
    anchor = log.aggregate.opened.seats["p2"].anchor
    assert anchor is not None
    last = log.chains[anchor.first]
    log.anchor("p2")
    for found in (last if i == 1_000 else link("golden01", "p2", last, i),):
        seq = log.write(ShareAnchored("p2", found))
        remarks = at(judged(bundle(log)), 8).remarks
        why = "the anchor of seat p2 is of a chain that it had before"
        assert [each.seq for each in remarks if each.why == why] == [seq]


def test_an_anchor_is_64_hex_digits_of_a_seat_that_is_known() -> None:
    for by, anchor, why in (
        ("p2", "ab", "the anchor of seat p2: the nonce is 'ab'"),
        ("p9", OTHER, "seat p9 anchors, and nobody ever took it"),
    ):
        file = twisted((place("anchored"), having(by=by, anchor=anchor)))
        assert any(why in each for each in whys(file, 8))


def test_a_chain_that_ends_with_zeros_is_a_look() -> None:
    log = Log()
    log.ask("p2", asked.AnchorShares(link("golden01", "p2", "0" * 64, 0)))
    report = judged(bundle(log))
    assert wrong(report) == {}
    assert "ends with zeros" in at(report, 8).remarks[0].why


# --- breaks ---------------------------------------------------------------------------------------

BREAKS: dict[str, tuple[Twist, int, str]] = {
    "nobody kept back": (having(kept=()), 6, "the seats that keep their shares back are others"),
    "another kept back": (having(kept=("p1",)), 6, "the seats that keep their shares back are"),
    "one more kept back": (having(kept=("p1", "p2")), 6, "the seats that keep their shares back"),
    "another throw": (having(throw=1), 6, "throw 1 of roll 3 is broken off, and waits for nobody"),
    "another roll": (having(roll=2), 6, "throw 0 of roll 2 is broken off, and waits for nobody"),
    "another seed": (having(seed=OTHER), 7, "not the one committed to"),
    "no seed": (having(seed="ab"), 7, "opens no seed"),
    "another next": (having(next=OTHER), 13, "not the one committed to"),
    "no next": (having(next="x"), 6, "throw 1 of roll 3 is not committed to"),
}


@pytest.mark.parametrize(("twist", "step", "why"), BREAKS.values(), ids=BREAKS)
def test_a_break_that_is_not_as_it_must_be_fails(twist: Twist, step: int, why: str) -> None:
    found = result(twisted((place("broken"), twist)), step)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


def test_a_break_is_a_look_with_the_seats_that_kept_back() -> None:
    found = at(judged(bundle(honest())), 6)
    assert found.verdict == "pass"
    assert found.remarks[0].why == "throw 0 of roll 3 is broken off: p2 kept back"


@pytest.mark.parametrize(("wait", "fine"), [(9_999, False), (10_000, True)])
def test_a_throw_is_broken_off_ten_seconds_after_its_ask(wait: int, *, fine: bool) -> None:
    log, roll = waiting()
    ask = log.aggregate.opened.ask
    assert ask is not None
    source = log.aggregate.environment.source
    seed, onward = source.open("golden01", roll, 0), source.commit("golden01", roll, 1)
    assert seed is not None and onward is not None
    log.write(ThrowBroken("p1", roll, 0, ("p2",), seed, onward), when=ask.at + wait)
    found = at(judged(bundle(log)), 6)
    assert (found.verdict != "fail") == fine


def test_a_throw_that_nobody_keeps_back_is_not_broken_off() -> None:
    file = twisted((place("table"), instead(event(place("broken")))))
    assert any("is broken off, and waits for nobody" in why for why in whys(file, 6))


def test_a_broken_throw_keeps_its_number() -> None:
    log, roll = waiting()
    log.break_off(roll)
    log.throw(roll)
    assert wrong(judged(bundle(log))) == {}
    again = event(log.size - 1, log.entries)
    assert again.proof.throw == 1


# --- levels ---------------------------------------------------------------------------------------


def test_where_nobody_else_can_be_asked_a_throw_at_table_is_counted_at_player() -> None:
    log = Log()
    roll = log.declare("table")
    state = log.aggregate.opened.rolls[roll].outstanding
    assert state is not None
    seq = log.ask("p1", asked.RollDice(roll, "initiator", state.seq, log.nonce()))
    found = at(judged(bundle(log)), 8)
    assert (found.verdict, found.summary) == ("pass", "1 at level player")
    why = "throw golden01/1/0 was due at level table, and is at player: nobody else could be asked"
    assert [(each.seq, each.why) for each in found.remarks] == [(seq, why)]


def test_who_kept_back_is_asked_again_once_it_did_something() -> None:
    for does in (False, True):
        log = Log()
        roll = log.declare("table")
        log.ask_for(roll, seats=("p1", "p2"))
        log.open_all(roll, silent=("p2",))
        log.pause = 10_000
        log.ask("p1", asked.BreakThrow(roll))
        log.pause = 0
        waits = log.aggregate.opened.rolls[roll].outstanding
        assert waits is not None
        log.ask("p1", asked.RollDice(roll, "initiator", waits.seq, log.nonce()))
        entries = list(log.entries)
        if not does:
            assert wrong(judged(bundle(log))) == {}
            continue
        early = next(e for e in entries if isinstance(event(e.seq, entries), ThrowBroken))
        by_p2 = twisted((early.seq, having(by="p2")), entries=entries)
        assert any("no seat was asked for its share" in why for why in whys(by_p2, 8))


LEVELS = {
    "a nonce at level server": ("server", proof(nonce=OTHER), "level server has a nonce"),
    "no nonce at level player": ("player", proof(nonce=None), "the roller gave no nonce"),
    "a nonce that is none": ("player", proof(nonce="ab"), "the nonce is"),
    "no ask at level table": ("asked", NOTHING, "level table is due, and no seat was asked"),
}


@pytest.mark.parametrize(("where", "twist", "why"), LEVELS.values(), ids=LEVELS)
def test_a_nonce_that_is_not_as_its_level_says_fails(where: str, twist: Twist, why: str) -> None:
    found = result(twisted((place(where), twist)), 8)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


def test_one_byte_over_and_over_is_no_nonce_to_trust() -> None:
    found = result(twisted((place("player"), proof(nonce="7f" * 32))), 12)
    assert (found.verdict, found.remarks[0].seq) == ("finding", place("player"))


def test_a_declaration_that_names_a_lower_level_is_a_look_once() -> None:
    why = "roll 4 names a level below table, which was due for 1 of its throws"
    for file, count in (
        (bundle(honest()), 0),  # its table is at level server
        (twisted((0, having(level="player"))), 1),
        (twisted((0, having(core=4, faces={}))), 1),
    ):
        remarks = [each.why for each in at(judged(file), 8).remarks]
        assert remarks.count(why) == count


@pytest.mark.parametrize(("length", "kind"), [(2, "renewed"), (3, "anchored-again")])
def test_a_chain_is_renewed_at_its_last_link_without_a_look(
    length: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urim.events.share.LENGTH", length)
    log = Log()
    roll = log.declare("table")
    log.throw(roll)
    log.throw(roll, "d1")
    log.anchor("p2")
    report = judged(bundle(log))
    assert (wrong(report), report.exit) == ({}, 0)
    assert kind in {seen.kind for seen in report.seen}
    assert len({"renewed", "anchored-again"} & {seen.kind for seen in report.seen}) == 1
