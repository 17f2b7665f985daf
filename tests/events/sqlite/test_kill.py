"""A writer killed at any instant loses nothing that it acknowledged, and leaves no half commit."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.events.sqlite.child import TABLES
from tests.events.sqlite.runs import chance, child, commits_of, kept_in

LONGEST = 0.04
"""Seconds after an acknowledgement until a writer is killed, at most."""

MOST = 30
"""Acknowledgements that are waited for, at most."""

BUSY = 10
"""How many times as many kills a machine needs, at most, that leaves a writer little to run."""

KILLS_OF_A_FILE = 10
"""So that a log is killed again and again, and still does not grow without end."""


class Kill(NamedTuple):
    """What one killed writer had printed, and how far it had come."""

    acknowledged: list[tuple[str, str, int, int, int]]
    """Table, who, turn, start and stop of every commit it was promised."""

    in_flight: bool
    """Whether a transaction had begun and not yet returned from COMMIT."""


def kill(
    path: Path, name: str, build: str, heard_first: int, after: float, pages: int = 1000
) -> Kill:
    """Start a writer, kill it some seconds after so many acknowledgements, read what it printed."""
    with child("load", path, name, build, pages) as process:
        assert process.stdout is not None
        output = b""
        for line in iter(process.stdout.readline, b""):
            output += line
            heard_first -= line.startswith(b"A")
            if heard_first <= 0:
                break
        if after:
            time.sleep(after)
        process.kill()
        output += process.stdout.read()
    # Every line is written in one piece; what has no end was not printed.
    lines = output.decode().split("\n")[:-1]
    marks = [line for line in lines if line in {"B", "E"}]
    acknowledged = [heard(line) for line in lines if line.startswith("A ")]
    assert acknowledged, "the writer died of itself"
    return Kill(acknowledged, marks[-1] == "B")


def heard(line: str) -> tuple[str, str, int, int, int]:
    """An acknowledgement."""
    _, table, who, turn, start, stop = line.split()
    return table, who, int(turn), int(start), int(stop)


def lost(path: Path, promised: list[tuple[str, str, int, int, int]]) -> list[object]:
    """The promises that the file does not keep. Fails if what it has is not whole and dense."""
    kept = {
        (table, *found) for table, entries in kept_in(path).items() for found in commits_of(entries)
    }
    return [promise for promise in promised if promise not in kept]


def kills(
    folder: Path, build: str, how_many: int, seed: int
) -> Iterator[tuple[Kill, list[object]]]:
    """Kill writers one after another; each, and what the log has lost by then."""
    luck = chance("kill", seed)
    promised: list[tuple[str, str, int, int, int]] = []
    for turn in range(how_many):
        path = folder / f"killed-{turn // KILLS_OF_A_FILE}.db"
        if turn % KILLS_OF_A_FILE == 0:
            promised = []
        # Every second time at once: an acknowledgement too early is a lie for a moment only.
        after = luck.random() * LONGEST if turn % 2 else 0
        killed = kill(path, f"k{turn}", build, luck.randint(1, MOST), after)
        promised += killed.acknowledged
        yield killed, lost(path, promised)


@pytest.mark.prove
def test_no_kill_loses_what_was_acknowledged_or_halves_a_commit(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = max(5, min(200, count // 5))
    # Of a few, on a busy machine, it may be that none hits a transaction; of many half have to.
    least = how_many / 2 if how_many >= 50 else 0
    done = in_flight = acknowledged = 0
    for killed, losses in kills(tmp_path, "telling", BUSY * how_many, seed):
        assert losses == []
        done += 1
        in_flight += killed.in_flight
        acknowledged += len(killed.acknowledged)
        if done >= how_many and in_flight >= least:
            break
    tried(f"{done} kills, {in_flight} with a commit in flight, {acknowledged:,} acknowledged")
    assert in_flight >= least, "too few kills hit a transaction to say anything"


def test_a_log_that_acknowledges_before_it_commits_is_found_out(tmp_path: Path) -> None:
    killed = kill(tmp_path / "log.db", "k0", "hasty", 1, 0)
    assert killed.acknowledged[0] in lost(tmp_path / "log.db", killed.acknowledged)


def test_all_tables_of_the_load_are_written(tmp_path: Path) -> None:
    path, written = tmp_path / "log.db", set[str]()
    with child("load", path, "once", "telling") as process:
        assert process.stdout is not None
        while written != {*TABLES}:
            if line := process.stdout.readline().decode().removeprefix("A "):
                written |= {line.split()[0]} & {*TABLES}
            else:
                raise AssertionError("the writer died of itself")
        process.kill()
    assert tuple(kept_in(path)) == TABLES
