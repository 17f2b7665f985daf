"""Whatever an honest host wrote is found legal and right: the whole log, and any part of it."""

import gc
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests import plays
from tests.bench import script
from tests.engine.helpers.audited import (
    LEGAL,
    RULES,
    about,
    evening,
    event_of,
    folded,
    judged,
    line_of,
    log_of,
    loud,
)
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.audit.cache import PrivateFile
from urim.engine.audit.report import Findings
from urim.engine.audit.rerun import roll_store
from urim.engine.audit.rerun.commits import Commits
from urim.engine.audit.rerun.replay import Replay
from urim.engine.audit.rerun.rules import Rules
from urim.engine.core.limits import NARRATOR
from urim.engine.testing.kit.luck import Luck
from urim.events.codec import recorded
from urim.events.entry import TEXTS, Entry
from urim.rules import ruleset_named

FILES = [pytest.param(path, id=plays.name_of(path)) for path in plays.files()]
EACH_SYSTEM = pytest.mark.parametrize("system", TRIALS)
SHARE = 10
"""An evening is some hundred entries: so many of them fewer are played than the count asks."""


@pytest.mark.sampled(25)
@pytest.mark.parametrize("path", FILES)
def test_every_scenario_is_found_legal_and_right(path: Path) -> None:
    results = judged(plays.kept_of(path).log)
    assert loud(results) == []
    assert results[LEGAL].checked > 1


@pytest.mark.prove
@EACH_SYSTEM
def test_an_honest_evening_is_found_legal_and_right(system: str, count: int, seed: int) -> None:
    for number in range(1 + count // SHARE):
        played = evening(system, number, seed)
        assert loud(judged(played.aggregate.entries)) == [], played.story


@pytest.mark.sampled(2)
@pytest.mark.prove
@EACH_SYSTEM
def test_nothing_is_wrong_with_what_a_seat_may_see(system: str, count: int, seed: int) -> None:
    for number in range(1 + count // SHARE):
        played = evening(system, number, seed)
        for seat in (*played.state.seats, ""):
            results = judged(played.aggregate.view(seat))
            assert loud(results, "not-checked") == [], (seat, played.story)


@pytest.mark.prove
@EACH_SYSTEM
def test_nothing_is_wrong_with_the_entries_of_one_roll(system: str, count: int, seed: int) -> None:
    for number in range(1 + count // SHARE):
        played = evening(system, number, seed)
        seen = played.aggregate.view(NARRATOR)
        rolls = {event_of(seen, e.seq).roll for e in seen if e.payload and _of_roll(seen, e)}
        for roll in rolls:
            results = judged(about(seen, roll))
            assert loud(results, "not-checked") == [], (roll, played.story)


def _of_roll(entries: tuple[Entry, ...], entry: Entry) -> bool:
    return type(event_of(entries, entry.seq)).__name__ == "RollDeclared"


@pytest.mark.prove
@EACH_SYSTEM
def test_tracks_are_recomputed_as_a_table_in_memory_does(
    system: str, count: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 2)
    for number in range(1 + count // SHARE):
        entries = evening(system, number, seed).aggregate.entries
        states, luck = folded(entries), Luck(f"{seed}-{number}")
        replay = Replay(ruleset_named, PrivateFile())
        replay.open(recorded(entries[0]))
        for entry, state in zip(entries[1:], states[1:], strict=True):
            if entry.payload is None:
                replay.pass_over(entry)
            else:
                replay.follow(entry, recorded(entry))
            if luck.one_in(3) or entry is entries[-1]:  # asked seldom, they are the same
                now = replay.opened
                assert now is not None and now.tracks == state.tracks, entry.seq
        rolls = {roll.number: roll for roll in states[-1].rolls.values()}
        assert replay.opened is not None
        assert {each: replay.opened.rolls[each] for each in rolls} == rolls
        assert replay.opened.open == states[-1].open


def test_every_event_of_the_rules_is_held_against_them() -> None:
    log = log_of("milhamah/counter")
    results = judged(log)
    assert results[RULES].checked > 5
    assert results[LEGAL].checked == sum(entry.kind not in TEXTS for entry in log)


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log() -> None:
    kept = script.commits("bench001", 1_800)
    with PrivateFile() as file:
        findings = Findings()
        rules = Rules(findings, ruleset_named, file)
        commits = Commits(findings, file)
        entries = [entry for commit in kept for entry in commit.entries]
        tracemalloc.start()
        try:
            _, first = _held(commits, rules, entries[:800])
            throws, last = _held(commits, rules, entries[800:])
        finally:
            tracemalloc.stop()
        rules.end()
    assert throws > 300
    assert (last - first) / throws < 100
    assert not findings.failed()


def _held(commits: Commits, rules: Rules, entries: Iterable[Entry]) -> tuple[int, int]:
    """Take these entries; how many throws there were, and how many bytes are held after them."""
    throws = 0
    for entry in entries:
        line = line_of(entry)
        assert line.record is not None
        throws += getattr(line.record.event, "proof", None) is not None
        for commit in commits.take(line):
            rules.take(commit)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    return throws, held
