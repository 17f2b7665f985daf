"""Whatever an honest host wrote is found legal and right: the whole log, and any part of it."""

from pathlib import Path

import pytest

from tests import plays
from tests.engine.helpers.audited import (
    about,
    evening,
    event_of,
    failures,
    judged,
    log_of,
    loud,
)
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.core.limits import NARRATOR
from urim.events.entry import TEXTS, Entry

FILES = [pytest.param(path, id=plays.name_of(path)) for path in plays.files()]
EACH_SYSTEM = pytest.mark.parametrize("system", TRIALS)
SHARE = 10
"""An evening is some hundred entries: so many of them fewer are played than the count asks."""


@pytest.mark.sampled(25)
@pytest.mark.parametrize("path", FILES)
def test_every_scenario_is_found_legal_and_right(path: Path) -> None:
    results = judged(plays.kept_of(path).log)
    assert loud(results) == []
    assert results.rules.decided > 1


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
            assert failures(results) == [], (seat, played.story)


@pytest.mark.prove
@EACH_SYSTEM
def test_nothing_is_wrong_with_the_entries_of_one_roll(system: str, count: int, seed: int) -> None:
    for number in range(1 + count // SHARE):
        played = evening(system, number, seed)
        seen = played.aggregate.view(NARRATOR)
        rolls = {event_of(seen, e.seq).roll for e in seen if e.payload and _of_roll(seen, e)}
        for roll in rolls:
            results = judged(about(seen, roll))
            assert failures(results) == [], (roll, played.story)


def _of_roll(entries: tuple[Entry, ...], entry: Entry) -> bool:
    return type(event_of(entries, entry.seq)).__name__ == "RollDeclared"


def test_every_entry_but_texts_is_decided_again() -> None:
    log = log_of("milhamah/counter")
    assert judged(log).rules.decided == sum(entry.kind not in TEXTS for entry in log)
