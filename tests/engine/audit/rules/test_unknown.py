"""Rules that are not known here, and entries that nothing can follow: no fault of ours."""

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import (
    LEGAL,
    RULES,
    RULINGS,
    event_of,
    failures,
    find,
    forged,
    judged,
    log_of,
)
from urim.engine.audit.replay import Replay, Unfollowable
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.entry import withhold
from urim.projections.tables import Rulesets
from urim.rules import ruleset_named
from urim.rules.ruleset import Ruleset


def unknown(name: str) -> Ruleset:
    """A place where no system is installed."""
    raise Refused("unknown", f"no system called {name!r}")


def newer(name: str) -> Ruleset:
    """A place where every system is of a later version."""
    known = ruleset_named(name)
    return replace(known, version=known.version + 1)


@pytest.mark.parametrize("rulesets", [unknown, newer])
def test_without_the_rules_nothing_passes_and_rulings_are_listed(rulesets: Rulesets) -> None:
    entries = log_of("milhamah/dispute")
    results = judged(entries, rulesets=rulesets)
    assert [results[step].verdict for step in (LEGAL, RULES)] == ["not-checked", "not-checked"]
    assert results[RULINGS].verdict == "pass"
    assert results[RULINGS].checked == judged(entries)[RULINGS].checked > 0


def test_readings_that_the_rules_do_not_know_fail() -> None:
    entries = forged(log_of("milhamah/cliff"), 0, options={"no such reading": 1})
    results = judged(entries)
    assert failures(results) == [(RULES, 0)]
    assert results[LEGAL].verdict == "not-checked"


@pytest.mark.parametrize("seqs", [(0,), (1,), (0, 1, 2), (5,)])
def test_a_log_that_begins_or_goes_on_anyhow_is_judged_without_a_fault_of_ours(
    seqs: tuple[int, ...],
) -> None:
    entries = log_of("milhamah/critical-hit")
    left = [withhold(entry) if entry.seq in seqs else entry for entry in entries]
    gone = [entry for entry in entries if entry.seq not in seqs]
    for results in (judged(left), judged(gone), judged(gone, complete=False), judged([])):
        assert all(result.verdict for result in results.values())


def test_an_entry_that_nothing_can_follow_fails_once_and_its_roll_is_let_be() -> None:
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.RollDeclared)
    assert failures(judged(forged(entries, seq, declaration={"root": 5}))) == [(LEGAL, seq)]


def test_what_rests_on_an_entry_that_nothing_can_follow_is_not_judged() -> None:
    entries = log_of("age_of_magic/push")
    seq = find(entries, rolled.RollDeclared, lambda event: bool(event.effects))
    results = judged(forged(entries, seq, declaration={"skill": 5}))
    assert failures(results) == [(LEGAL, seq)]
    assert results[RULES].verdict == "not-checked"


def test_an_entry_that_was_allowed_and_cannot_be_followed_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def follow(*_: object) -> None:
        raise Unfollowable("nowhere to go")

    monkeypatch.setattr(Replay, "follow", follow)
    results = judged(log_of("milhamah/cliff")[:2])
    assert failures(results) == [(LEGAL, 1)]
    assert "nowhere to go" in results[LEGAL].remarks[0].why


def test_a_declaration_that_asks_for_too_much_is_not_rolled_on() -> None:
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.RollDeclared)
    declaration = {**event_of(entries, seq).declaration, "rating": 10**9}
    assert failures(judged(forged(entries, seq, declaration=declaration))) == [(LEGAL, seq)]
