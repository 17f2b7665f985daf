"""Beside seats that misbehave, everybody honest is answered, nothing is lost, and nothing is left.

What they take is measured by tests/bench/bench_load.py.
"""

import asyncio
from collections.abc import Callable
from itertools import count as count_from
from pathlib import Path

import pytest

from tests.bench.load import honest, misbehaving
from tests.bench.load.honest import Place
from tests.bench.load.misbehaving import WAYS
from tests.bench.load.run import Run, Setting, run

EXPECTED = {
    "answered",
    "behind",
    "malformed",
    "not-seen",
    "over-budget",
    "too-long",
    "unavailable",
    "unknown",
}
"""What a seat that misbehaves may be answered."""

TABLES = 16
TURNS = 12


def played(folder: Path, turns: int, *ways: str) -> Run:
    """A run in which so many turns are played beside misbehaviour; it checks what was kept."""
    how = Setting(tables=TABLES, turns=(2, turns, 2), pause=0, ways=ways or tuple(WAYS))
    return asyncio.run(run(folder / "log.db", how))


@pytest.mark.slow
@pytest.mark.prove
def test_honest_seats_are_answered_and_nothing_is_lost_or_left(
    tmp_path: Path, count: int, tried: Callable[[str], None]
) -> None:
    turns = max(TURNS, count // 2)
    found = played(tmp_path, turns)
    for phase, each in zip(found.phases, (2, turns, 2), strict=True):
        answered = (phase.clean, phase.beside)
        assert sum(len(x.commands) + len(x.reads) for x in answered) == TABLES * each
    for way, answers in found.answers.items():
        assert set(answers) <= EXPECTED, way
        assert answers.total(), way
    assert found.after is not None
    assert found.after.tasks == found.before.tasks
    assert found.after.descriptors <= found.before.descriptors
    asked = sum(answers.total() for answers in found.answers.values())
    tried(f"{turns * TABLES} honest turns beside {asked} calls, {found.entries} entries")


def test_a_command_that_is_lost_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submit = Place.submit

    async def forgotten(self: Place, *asked: object) -> object:
        found = await submit(self, *asked)  # type: ignore[arg-type]
        self.leaves.append(0)
        return found

    monkeypatch.setattr(honest.Place, "submit", forgotten)
    with pytest.raises(AssertionError, match="load0000"):
        played(tmp_path, 1, "notes")


def test_a_reader_that_was_sent_something_else_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = count_from(1)
    monkeypatch.setattr(honest, "crc32", lambda line: next(numbers))
    with pytest.raises(AssertionError, match="load0000"):
        played(tmp_path, 1, "notes")


def test_misbehaviour_that_is_a_fault_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(seat: misbehaving.Seat) -> None:
        raise RuntimeError(seat.place.table)

    monkeypatch.setitem(WAYS, "notes", broken)
    with pytest.raises(RuntimeError, match="load0000"):
        played(tmp_path, 1, "notes")
