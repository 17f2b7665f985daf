"""When the power fails, whatever was not synced may be gone: nothing acknowledged is among it.

Killing a process cannot show this, because the system keeps what was written and not synced. So
strace records what a log asks of its disk, and the states that a crash may leave are made from it.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.events.crashes import Disk, Files, put, sectors
from tests.events.sqlite.runs import chance, commits_of, kept_in
from tests.events.traced import Call, must_trace, record
from urim.errors import Damaged
from urim.events.entry import Entry, withhold

# One trace serves all tests of the file.


class Life(NamedTuple):
    """A traced process: what it did, and what it left in the end."""

    calls: list[Call]
    left: dict[str, tuple[Entry, ...]]


class Promise(NamedTuple):
    """What the process had been answered by the time of the crash."""

    sizes: dict[str, int]
    """How many entries of each table were acknowledged."""

    erased: frozenset[tuple[str, int]]


def live(folder: Path, synchronous: str) -> Life:
    """Trace one life of a log."""
    must_trace()
    folder.mkdir()
    path = folder / "log.db"
    calls = record(folder, "tests.events.sqlite.child", "trace", str(path), synchronous)
    return Life(calls, kept_in(path))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """The life of a log as it is."""
    return live(tmp_path_factory.mktemp("full") / "log", "FULL")


@pytest.fixture(scope="module")
def normal(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """The life of a log that does not sync at every commit."""
    return live(tmp_path_factory.mktemp("normal") / "log", "NORMAL")


def crashes(life: Life, how_many: int, seed: int) -> Iterator[tuple[int, Promise, Files]]:
    """States after crashes at random moments, each with what had been promised by then."""
    luck = chance("crash", seed)
    moments = sorted(luck.randint(0, len(life.calls)) for _ in range(how_many))
    disk, sizes, erased, done = Disk(), dict[str, int](), set[tuple[str, int]](), 0
    for moment in moments:
        for call in life.calls[done:moment]:
            disk.do(call)
            match call.data.decode().split() if call.what == "say" else []:
                case ["A", table, _, _, _, stop]:
                    sizes[table] = int(stop)
                case ["X", table, seq]:
                    erased.add((table, int(seq)))
                case _:
                    pass
        done = moment
        yield moment, Promise(dict(sizes), frozenset(erased)), disk.after_crash(luck)


def broken(life: Life, promise: Promise, files: Files, folder: Path) -> list[str]:
    """What the log in a state after a crash does not keep of what was promised."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    put(files, folder)
    kept = kept_in(folder / "log.db")
    problems = [
        f"{table}: {len(kept.get(table, ()))} of {size} entries"
        for table, size in promise.sizes.items()
        if len(kept.get(table, ())) < size
    ]
    for table, entries in kept.items():
        for entry, last in zip(entries, life.left[table], strict=False):
            if withhold(entry) != withhold(last) or len(entries) > len(life.left[table]):
                problems.append(f"{table}: entry {entry.seq} is another")
            if (table, entry.seq) in promise.erased and entry.payload is not None:
                problems.append(f"{table}: entry {entry.seq} is no longer erased")
        if len(entries) not in stops(life, table):
            problems.append(f"{table}: ends inside a commit")
    return problems


def stops(life: Life, table: str) -> set[int]:
    """Where the commits of a table ended."""
    answers = [call.data.decode().split() for call in life.calls if call.what == "say"]
    return {int(words[-1]) for words in answers if words[:2] == ["A", table]}


@pytest.mark.prove
def test_no_crash_loses_what_was_acknowledged_or_halves_a_commit(
    full: Life, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = min(500, max(25, count))
    for moment, promise, files in crashes(full, how_many, seed):
        assert broken(full, promise, files, tmp_path / "state") == [], moment
    tried(f"{how_many} crash states of {len(full.calls):,} calls")


@pytest.mark.slow
@pytest.mark.prove
def test_without_a_sync_at_every_commit_acknowledged_commits_are_lost(
    normal: Life, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = min(500, max(25, count))
    losses = named = 0
    for _, promise, files in crashes(normal, how_many, seed):
        try:
            losses += bool(broken(normal, promise, files, tmp_path / "state"))
        except Damaged:
            named += 1
    tried(f"{losses} of {how_many} states lost what was acknowledged, {named} more were named")
    assert losses
    assert named


def test_the_traced_life_was_seen_whole(full: Life) -> None:
    disk = Disk()
    for call in full.calls:
        disk.do(call)
    assert set(disk.names) == {"log.db"}
    answers = [call for call in full.calls if call.what == "say"]
    assert len(answers) == 62
    assert sum(map(len, full.left.values())) == 121
    for kind in ("create", "unlink", "sync", "write", "truncate"):
        assert any(call.what == kind for call in full.calls)
    for table in ("killed01", "killed02"):
        commits_of(full.left[table])


def test_after_a_sync_of_everything_there_is_one_state(full: Life, tmp_path: Path) -> None:
    disk = Disk()
    for call in full.calls:
        disk.do(call)
    end = max(max(call.begun, call.ended) for call in full.calls) + 1
    for name in (".", *disk.names):
        disk.do(Call("sync", name, end))
    states = [disk.after_crash(chance("sync", turn)) for turn in range(10)]
    assert all(state == states[0] for state in states)
    put(states[0], tmp_path)
    assert kept_in(tmp_path / "log.db") == full.left


def test_a_write_is_torn_where_sectors_meet() -> None:
    parts = sectors(Call("write", "f", 0, bytes(range(256)) * 5, 500))
    assert [(part.place, len(part.data)) for part in parts] == [
        (500, 12),
        (512, 512),
        (1024, 512),
        (1536, 244),
    ]
    assert b"".join(part.data for part in parts) == bytes(range(256)) * 5
