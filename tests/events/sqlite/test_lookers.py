"""A file that is written to while it is looked at: read again, of one moment, or given up."""

import asyncio
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.events.sqlite.golden_db import fill
from tests.events.sqlite.runs import kept_in, looked, on_log
from urim.engine.testing.log.harness import TABLE, commit
from urim.errors import Refused, Unavailable
from urim.events.log.sqlite import SqliteLog, rows
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.lookers import Beside, Mark, Source


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with some of everything in it, which nobody has open."""
    found = tmp_path / "log.db"
    on_log(found, fill)
    return found


def come_and_gone(path: Path) -> None:
    """Another process comes, commits, writes the file itself, and goes, as a command does."""

    async def scenario(log: SqliteLog) -> None:
        size = len(await log.read(TABLE))
        await log.append(TABLE, commit(size), size)

    on_log(path, scenario)


@pytest.mark.parametrize("times", [1, 2, 9])
def test_a_file_that_is_written_to_while_it_is_read_is_read_again(path: Path, times: int) -> None:
    sizes: list[int] = []

    def work(connection: sqlite3.Connection) -> int:
        if len(sizes) < times:
            come_and_gone(path)
        sizes.append(rows.size(connection, TABLE))
        return sizes[-1]

    first = len(kept_in(path)[TABLE])
    # The second time it reads a copy, which nobody writes to.
    assert (looked(path, work), len(sizes)) == (first + 1, 2)


@pytest.mark.parametrize("busy", [0.0, 0.1])
def test_a_file_that_never_rests_is_given_up_after_a_while(
    path: Path, monkeypatch: pytest.MonkeyPatch, busy: float
) -> None:
    copied = shutil.copyfile

    def restless(source: Path, target: Path) -> None:
        copied(source, target)
        os.utime(source)

    def work(connection: sqlite3.Connection) -> int:
        os.utime(path)
        return rows.size(connection, TABLE)

    monkeypatch.setattr(shutil, "copyfile", restless)
    start = time.monotonic()
    with pytest.raises(Unavailable, match="was written to each time it was read"):
        looked(path, work, busy)
    assert busy <= time.monotonic() - start < busy + 5


def test_a_file_in_use_is_read_where_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a copy, which could be of two moments; the second time neither."""
    times: list[int] = []

    def work(connection: sqlite3.Connection) -> int:
        if not times:
            times.append(0)
            raise passing("SQLITE_READONLY")
        return rows.size(connection, TABLE)

    async def scenario(log: SqliteLog) -> None:
        size = len(await log.read(TABLE))
        await log.append(TABLE, commit(size), size)
        monkeypatch.setattr(shutil, "copyfile", None)
        assert await asyncio.to_thread(looked, path, work) == size + 1

    on_log(path, scenario)
    assert times == [0]


def passing(code: str) -> sqlite3.OperationalError:
    """What SQLite says for a moment, while another process sets a file up."""
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode, error.sqlite_errorname = getattr(sqlite3, code), code
    return error


@pytest.mark.parametrize("code", ["SQLITE_READONLY", "SQLITE_READONLY_CANTINIT"])
def test_a_file_that_another_process_sets_up_now_is_read_a_moment_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    connect, failed = Place.connect, 0

    def fails_twice(
        place: Place, *, reading: bool = False, mode: str | None = None
    ) -> sqlite3.Connection:
        nonlocal failed
        if failed < 2:
            failed += 1
            raise passing(code)
        return connect(place, reading=reading, mode=mode)

    size = len(kept_in(path)[TABLE])
    monkeypatch.setattr(Place, "connect", fails_twice)
    assert looked(path, lambda connection: rows.size(connection, TABLE)) == size
    failed = 0
    with pytest.raises(Refused, match="can be read but not written"):
        looked(path, lambda connection: rows.size(connection, TABLE), busy=0)


FILE, OTHER_FILE = Mark(1, 4096, 10), Mark(2, 4096, 10)
WRITTEN = Mark(1, 8192, 11)
WAL, EMPTY, GROWN, OTHER_WAL = Mark(3, 64, 10), Mark(3, 0, 10), Mark(3, 96, 11), Mark(4, 64, 10)
SHM = Mark(5, 32, 10)


@pytest.mark.parametrize(
    ("seen", "way", "still", "moved"),
    [
        (
            Beside(FILE, None, None),
            "resting",
            [Beside(FILE, None, None), Beside(FILE, EMPTY, SHM)],
            [Beside(None, None, None), Beside(OTHER_FILE, None, None), Beside(WRITTEN, None, None)],
        ),
        (Beside(FILE, EMPTY, None), "resting", [Beside(FILE, EMPTY, None)], []),
        (
            Beside(FILE, WAL, None),
            "left",
            [Beside(FILE, WAL, None)],
            [Beside(FILE, WAL, SHM), Beside(FILE, GROWN, None), Beside(WRITTEN, WAL, None)],
        ),
        (
            Beside(FILE, WAL, SHM),
            "in use",
            [Beside(FILE, WAL, SHM), Beside(WRITTEN, GROWN, SHM)],
            [
                Beside(OTHER_FILE, WAL, SHM),
                Beside(FILE, OTHER_WAL, SHM),
                Beside(FILE._replace(inode=0), WAL, SHM),
                Beside(FILE, WAL._replace(inode=0), SHM),
                Beside(FILE, WAL, None),
                Beside(FILE, EMPTY, SHM),
            ],
        ),
    ],
)
def test_what_was_read_still_holds_while_its_files_are_the_same(
    seen: Beside, way: str, still: list[Beside], moved: list[Beside]
) -> None:
    every = (*still, *moved)
    assert seen.way == way
    assert [now for now in every if now.is_still(seen)] == still
    with closing(sqlite3.connect(":memory:")) as connection:
        there, copy = (Source(seen, connection, copied) for copied in (False, True))
        assert [now for now in every if copy.serves(now)] == [now for now in every if now == seen]
        assert [now for now in every if there.serves(now)] == [n for n in still if n.way == way]
