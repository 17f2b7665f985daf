"""Step 15 of an audit, and what the others make of rolls that were not disclosed."""

from typing import Any

import pytest

from tests.engine.helpers.bundles import Log, at, bundle, forged, honest, judged, place, wrong
from tests.engine.helpers.twists import OTHER, Twist, event, having, proof, result, turned, twisted
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.events.entry import withhold
from urim.events.roll import DiceRolled, RollRevealed, ShareOpened, ThrowAsked
from urim.events.table import Noted

# --- what was not disclosed -----------------------------------------------------------------------


def sealed_log() -> Log:
    """A roll that its roller alone may see, thrown twice."""
    log = Log()
    roll = log.declare("table", "self")
    log.throw(roll)
    log.throw(roll, "d1")
    return log


def test_throws_that_are_not_disclosed_are_no_failure() -> None:
    log = sealed_log()
    report = judged(bundle(log))
    assert wrong(report) == {}
    assert (at(report, 6).verdict, at(report, 12).checked) == ("not-applicable", 6)
    assert at(report, 8).summary == "2 at level table"
    assert at(report, 15).verdict == "not-checked"
    assert at(report, 15).remarks[0].why == "5 hidden entries are not disclosed"
    assert at(report, 15).summary == "5 of 5 not disclosed"
    own = judged(bundle(log, "p1"))
    assert (at(own, 6).checked, at(own, 15).verdict) == (2, "pass")


def test_a_roll_of_which_the_dice_alone_are_sealed_is_no_failure() -> None:
    log = sealed_log()
    view = [
        withhold(entry) if isinstance(event(entry.seq, log.entries), Dice) else entry
        for entry in log.entries
    ]
    assert not {"throws", "commitments", "transcripts", "dice"} & wrong(judged(forged(view))).keys()


Dice = (DiceRolled, type(event(place("again"))))


def test_what_is_open_of_a_hidden_roll_is_checked() -> None:
    log = sealed_log()
    view = log.aggregate.view("")
    asks = [e.seq for e in view if e.payload and isinstance(event(e.seq, view), ThrowAsked)]
    shares = [e.seq for e in view if e.payload and isinstance(event(e.seq, view), ShareOpened)]
    first, second = asks
    cases: list[tuple[int, Twist, int]] = [
        (second, having(committed=0), 6),  # the opening, which commits to nothing
        (second, having(committed=second), 6),
        (second, having(committed=second - 1), 6),  # its own plan
        (second, having(throw=0), 6),
        (first, having(asked=((NARRATOR, 1), ("p1", 1))), 8),
        (first, having(asked=((NARRATOR, 1), ("p1", 2), ("p2", 1))), 8),
        (shares[0], having(by="p3"), 8),
        (shares[3], having(throw=0), 8),
        (shares[3], having(share=event(shares[0], view).share), 8),
    ]
    for seq, twist, step in cases:
        found = at(judged(twisted((seq, twist), entries=view)), step)
        seqs = [remark.seq for remark in found.remarks if "no key" not in remark.why]
        assert (found.verdict, seqs[0]) == ("fail", seq)


def test_the_last_share_of_a_throw_that_is_sealed_has_it_in_its_commit() -> None:
    log = sealed_log()
    view = list(log.aggregate.view(""))
    last = max(e.seq for e in view if e.payload and isinstance(event(e.seq, view), ShareOpened))
    assert wrong(judged(forged(view[: last + 1])))["throws"].startswith("every share of throw 1")


def test_the_ask_of_a_sealed_roll_stands_behind_its_sealed_plan() -> None:
    log = sealed_log()
    view = log.aggregate.view("")
    asks = [e.seq for e in view if e.payload and isinstance(event(e.seq, view), ThrowAsked)]
    assert [view[seq - 1].kind for seq in asks] == ["hidden", "hidden"]
    for moved in (DiceRolled, ThrowAsked):
        other = having(asked=()) if moved is DiceRolled else turned_to_note
        assert judged(twisted((asks[0], other), entries=view)).exit == 1


def turned_to_note(event: Any) -> Any:
    """An open note in the place of the ask, behind what is sealed."""
    return Noted(event.by, 0)


def test_a_hidden_roll_that_was_revealed_is_checked_like_any_other() -> None:
    assert at(judged(bundle(honest())), 15).checked == 5
    for twist, step in ((turned, 9), (proof(seed=OTHER), 7), (proof(committed=0), 6)):
        assert result(twisted((place("hidden"), twist)), step).verdict == "fail"


def test_a_roll_that_was_revealed_and_is_not_there_is_a_finding() -> None:
    log = sealed_log()
    log.write(RollRevealed(NARRATOR, 1))
    view = [withhold(entry) if entry.kind == "hidden" else entry for entry in log.entries]
    found = at(judged(forged(view)), 15)
    assert (found.verdict, found.remarks[0].seq) == ("finding", log.size - 1)


def test_an_epoch_may_commit_for_rolls_that_are_not_there() -> None:
    log = Log()
    log.throw(log.declare("table", "self"))
    log.epoch()
    log.throw(1, "d1")
    for seat in ("", "p1"):
        assert wrong(judged(bundle(log, seat))) == {}


@pytest.mark.parametrize("what", ["a void", "an amendment", "a dispute"])
def test_an_entry_of_a_revealed_roll_that_is_kept_back_is_seen(what: str) -> None:
    log = Log()
    roll = log.declare("player", "gm")
    if what == "a dispute":
        log.throw(roll)
    deed: Any = {
        "a void": asked.Void(roll),
        "an amendment": asked.Amend(roll, "c1", {"modifiers": {"dark": 1}}),
        "a dispute": asked.Dispute(roll),
    }[what]
    kept_back = log.ask(NARRATOR, deed, "No.")
    log.ask(NARRATOR, asked.Reveal(roll))
    assert wrong(judged(bundle(log))) == {}
    view = [withhold(e) if e.commit == kept_back else e for e in log.entries]
    found = at(judged(forged(view)), 15)
    assert (found.verdict, found.remarks[0].seq) == ("fail", log.size - 1)
    assert "entries of it are kept back" in found.remarks[0].why


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_what_comes_after_a_reveal_is_open(visibility: Any) -> None:
    for deeds in (
        [(asked.Void(1), "No.")],
        [(asked.Amend(1, "c1", {"modifiers": {"dark": 1}}), "Dark.")],
        [(asked.Dispute(1), "Why?")],
        [(asked.Note(6), "A note.")],
    ):
        log = Log()
        roll = log.declare("player", visibility)
        log.throw(roll)
        log.ask("p1" if visibility == "self" else NARRATOR, asked.Reveal(roll))
        size = log.size
        for deed, words in deeds:
            log.ask(NARRATOR, deed, words)
        assert {entry.kind for entry in log.entries[size:]} <= {"open", "text"}
        assert all(entry.payload for entry in log.aggregate.view("")[size - 3 :])
