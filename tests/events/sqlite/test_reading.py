"""A log that is open for reading alone: everything is seen, and nothing is touched."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from tests.events.sqlite.child import TABLES
from tests.events.sqlite.golden_db import GOLDEN, fill, in_words
from tests.events.sqlite.runs import by_hand, child, commits_of, kept_in, looked, on_log
from tests.tree import ROOT
from urim.engine.testing.log import EventLogConformance
from urim.engine.testing.log.harness import TABLE, commit
from urim.errors import Damaged, Refused, Unavailable, UrimError
from urim.events.entry import Entry
from urim.events.log.head import Head
from urim.events.log.protocol import (
    Answered,
    Appended,
    CaughtUp,
    Conflict,
    EventLog,
    Request,
)
from urim.events.log.sqlite import SqliteLog, lookers, rows
from urim.events.log.sqlite.schema import SCHEMA, Schema, is_current, prepare

T = TypeVar("T")

NOBODY = 65534
"""A user who owns nothing."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with some of everything in it, which nobody has open."""
    found = tmp_path / "at" / "log.db"
    found.parent.mkdir()
    on_log(found, fill)
    return found


def reading(path: Path, scenario: Callable[[SqliteLog], Awaitable[T]], busy: float = 30.0) -> T:
    """Run a scenario on a log that is open for reading alone."""

    async def within() -> T:
        async with asyncio.timeout(60):
            log = await SqliteLog.open_reading(path, busy=busy, poll=0.01)
            try:
                return await scenario(log)
            finally:
                await log.close()

    return asyncio.run(within())


async def everything(log: EventLog) -> dict[str, tuple[Entry, ...]]:
    """All entries of all tables."""
    return {table: await log.read(table) for table in await log.tables()}


def state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a folder: its bytes, and when it was written."""
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in folder.iterdir()}


def left(path: Path, folder: Path, *ends: str) -> Path:
    """A copy of a log as a writer that is killed now leaves it, with two commits in its WAL."""
    folder.mkdir()

    async def scenario(log: SqliteLog) -> None:
        size = len(await log.read(TABLE))
        await log.append(TABLE, commit(size), size)
        await log.append("killed01", commit(0, 2), 0)
        for end in ("", "-wal", *ends):
            shutil.copy(f"{path}{end}", f"{folder / path.name}{end}")

    on_log(path, scenario)
    return folder / path.name


# --- nothing is touched ---------------------------------------------------------------------------


def test_a_file_at_rest_is_read_and_nothing_is_made_or_changed(path: Path) -> None:
    before = state_of(path.parent)

    async def scenario(log: SqliteLog) -> dict[str, tuple[Entry, ...]]:
        await log.check()
        assert set(state_of(path.parent)) == {"log.db"}  # not meanwhile either
        return await everything(log)

    found = reading(path, scenario)
    assert state_of(path.parent) == before
    assert found == kept_in(path)


@pytest.mark.parametrize("ends", [(), ("-shm",)], ids=["without an index", "with its index"])
def test_what_a_killed_writer_left_in_the_wal_is_read(
    path: Path, tmp_path: Path, ends: Sequence[str]
) -> None:
    killed = left(path, tmp_path / "killed", *ends)
    names = {each.name for each in killed.parent.iterdir()}
    before = {end: Path(f"{killed}{end}").read_bytes() for end in ("", "-wal")}
    found = reading(killed, everything)
    assert found == kept_in(path)
    assert len(found["killed01"]) == 2
    assert {each.name for each in killed.parent.iterdir()} == names
    assert {end: Path(f"{killed}{end}").read_bytes() for end in ("", "-wal")} == before
    assert kept_in(killed) == found


def test_a_copy_is_nobody_elses_to_read_and_goes_with_the_log(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = left(path, tmp_path / "killed")
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))

    async def scenario(log: SqliteLog) -> int:
        await log.tables()
        [folder] = place.iterdir()
        assert list(folder.iterdir())
        return folder.stat().st_mode & 0o777

    assert reading(killed, scenario) == 0o700
    assert not list(place.iterdir())


def test_where_no_copy_can_be_made_it_is_said(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = left(path, tmp_path / "killed")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(Unavailable, match="read in a copy alone"):
        reading(killed, everything)


@pytest.mark.parametrize("golden", sorted(GOLDEN.glob("*.db")), ids=lambda golden: golden.stem)
def test_a_file_of_every_schema_is_read_and_stays_of_that_schema(
    golden: Path, tmp_path: Path
) -> None:
    path = tmp_path / "log.db"
    shutil.copy(golden, path)
    before = state_of(tmp_path)
    expected = json.loads(golden.with_suffix(".json").read_text(encoding="utf-8"))
    found = reading(path, everything)
    assert {table: in_words(entries) for table, entries in found.items()} == expected
    assert state_of(tmp_path) == before


def test_a_file_of_an_older_schema_is_read_in_a_copy_that_is_upgraded(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    making = "CREATE TABLE later (word TEXT) STRICT"
    later = Schema(SCHEMA.number + 1, (*SCHEMA.statements, making), {SCHEMA.number: (making,)})
    monkeypatch.setattr(lookers, "is_current", partial(is_current, schema=later))
    monkeypatch.setattr(lookers, "prepare", partial(prepare, schema=later))
    before = state_of(path.parent)
    assert looked(path, lambda known: known.execute("SELECT * FROM later").fetchall()) == []
    assert len(looked(path, partial(rows.read, table=TABLE))) == len(kept_in(path)[TABLE])
    assert state_of(path.parent) == before


# --- beside a writer ------------------------------------------------------------------------------


def test_what_another_process_acknowledges_is_read_at_once_and_in_whole_commits(
    path: Path,
) -> None:
    async def scenario(log: SqliteLog) -> None:
        with child("write", path, "other", 60) as process:
            assert process.stdout is not None
            for line in process.stdout:
                table, stop = line.split()[1].decode(), int(line.split()[-1])
                found = await log.read(table)
                assert len(found) >= stop
                commits_of(found)  # fails on half a commit

    reading(path, scenario)
    assert len(commits_of(kept_in(path)[TABLES[0]])) == 60


def test_a_reader_hears_what_others_keep(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        size = len(await log.read(TABLE))
        followed = log.follow(TABLE, size - 1)
        assert await anext(followed) == CaughtUp(size)
        other = await SqliteLog.open(path)
        for seq in range(size, size + 3):
            await other.append(TABLE, commit(seq), seq)
            async with asyncio.timeout(10):
                assert [await anext(followed)] == [*commit(seq)]
        await other.close()
        await followed.aclose()

    reading(path, scenario)


# --- it refuses -----------------------------------------------------------------------------------


def test_a_reader_writes_nothing(path: Path) -> None:
    before = state_of(path.parent)

    async def scenario(log: SqliteLog) -> None:
        size = len(await log.read(TABLE))
        for writes in (
            log.append(TABLE, commit(size), size),
            log.erase(TABLE, 4),
            log.keep_head(TABLE, Head(1, bytes(32), b"")),
        ):
            with pytest.raises(Refused, match="open for reading alone") as refusal:
                await writes
            assert refusal.value.code == "unreadable"

    reading(path, scenario)
    assert state_of(path.parent) == before


def test_what_is_no_log_is_refused_and_left_alone(tmp_path: Path) -> None:
    files = {
        "none.db": None,
        "empty.db": b"",
        "text.db": b"no database" * 100,
    }
    for name, content in files.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.db").mkdir()
    names = {each.name for each in tmp_path.iterdir()}
    for name in [*files, "folder.db"]:
        with pytest.raises(Refused) as refusal:
            reading(tmp_path / name, everything)
        assert refusal.value.code == "unreadable"
    assert {each.name for each in tmp_path.iterdir()} == names


def test_a_file_whose_laws_were_changed_is_damaged_for_readers_too(path: Path) -> None:
    by_hand(path, "DROP TRIGGER entries_stay")
    with pytest.raises(Damaged, match="entries_stay"):
        reading(path, everything)


# --- where nothing can be written -----------------------------------------------------------------


READS = """
import asyncio, sys
from pathlib import Path
from tests.events.sqlite.test_reading import everything, reading
print(sum(map(len, reading(Path(sys.argv[1]), everything).values())))
"""

MOUNTED = """
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
touch "$1/x" 2>/dev/null && exit 98
exec "$2" -c "$3" "$4"
"""


def sizes_in(path: Path) -> int:
    """How many entries a file holds."""
    return sum(map(len, kept_in(path).values()))


def as_root(why: str) -> None:
    """Skip, unless this process is root's."""
    if sys.platform == "win32" or os.geteuid():
        pytest.skip(f"needs to be root, {why}")


@pytest.mark.skipif(sys.platform != "linux", reason="no mounts of Linux")
@pytest.mark.parametrize("ends", [None, (), ("-shm",)], ids=["at rest", "a WAL", "WAL and index"])
def test_a_file_on_a_read_only_medium_is_read(
    path: Path, tmp_path: Path, ends: Sequence[str] | None
) -> None:
    as_root("to mount a folder read-only")
    at = path if ends is None else left(path, tmp_path / "killed", *ends)
    words = ["unshare", "-m", "sh", "-c", MOUNTED, "sh", at.parent, sys.executable, READS, at]
    done = subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, check=False)
    if done.returncode == 99 or (b"unshare" in done.stderr and done.returncode == 1):
        pytest.skip(f"needs to mount a folder read-only: {done.stderr.decode()}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert int(done.stdout) == sizes_in(path)


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of POSIX")
@pytest.mark.parametrize("ends", [None, (), ("-shm",)], ids=["at rest", "a WAL", "WAL and index"])
def test_a_file_that_this_user_may_only_read_is_read(
    path: Path, ends: Sequence[str] | None
) -> None:
    as_root("to become a user who may only read")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        at = path if ends is None else left(path, Path(folder) / "killed", *ends)
        if ends is None:
            at = Path(shutil.copy(path, folder))
        for each in at.parent.iterdir():
            each.chmod(0o644) if each.is_file() else None
        at.parent.chmod(0o755)
        names = {each.name for each in at.parent.iterdir()}

        assert as_nobody(lambda: sizes_read(at)) == str(sizes_in(path))
        assert {each.name for each in at.parent.iterdir()} == names


def sizes_read(path: Path) -> str:
    """How many entries a reader finds."""
    try:
        return str(sum(map(len, reading(path, everything).values())))
    except UrimError as error:
        return repr(error)


def as_nobody(work: Callable[[], str]) -> str:
    """What some work gives in a child that belongs to another user, who can import nothing new."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(into, work().encode())
        except BaseException as error:  # noqa: BLE001 - the parent says it
            os.write(into, repr(error).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as found:
        text = found.read().decode()
    os.waitpid(child, 0)
    return text


# --- it keeps every promise of reading ------------------------------------------------------------


class Pair:
    """A log whose every look goes through a reader's connection, beside the one that writes."""

    def __init__(self, writer: SqliteLog, reader: SqliteLog) -> None:
        self._writer = writer
        self.answered = reader.answered
        self.read = reader.read
        self.requests = reader.requests
        self.follow = reader.follow
        self.tables = reader.tables
        self.strays = reader.strays
        self.last_head = reader.last_head
        self.heads = reader.heads
        self._reader = reader
        self.listen = writer.listen
        self.erase = writer.erase
        self.settle = writer.settle
        self.keep_head = writer.keep_head

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        """See `EventLog.append`."""
        return await self._writer.append(table, entries, expected, request)

    async def close(self) -> None:
        """See `EventLog.close`."""
        await self._reader.close()
        await self._writer.close()


class TestReadBesideAWriter(EventLogConformance):
    @asynccontextmanager
    async def make_log(self) -> AsyncGenerator[EventLog, None]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.db"
            writer = await SqliteLog.open(path)
            log = Pair(writer, await SqliteLog.open_reading(path, poll=0.005))
            yield log
            await log.close()
