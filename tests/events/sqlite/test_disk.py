"""What goes wrong with disks and files is one sentence, costs nothing kept, and passes."""

import asyncio
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.events.sqlite.child import TABLES
from tests.events.sqlite.runs import Cramped, by_hand, child, commits_of, kept_in, on_log
from tests.tree import ROOT
from urim.engine.testing.log.harness import ASK, TABLE, commit, entry
from urim.errors import Refused, Unavailable
from urim.events.log.protocol import Appended
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.writer import Job, Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a log may be."""
    return tmp_path / "log.db"


def fill(path: Path, size: int = 5) -> None:
    """Make a log with some entries in one table, and close it."""

    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(0, size), 0)

    on_log(path, scenario)


# --- what is no log -------------------------------------------------------------------------------


def refusal_of(path: Path) -> str:
    """The words in which opening a file is refused."""
    with pytest.raises(Refused) as refusal:
        kept_in(path)
    assert refusal.value.code == "unreadable"
    assert refusal.value.allowed
    assert str(path) in refusal.value.why
    return refusal.value.why


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in refusal_of(tmp_path)


def test_a_file_in_no_directory_is_refused(tmp_path: Path) -> None:
    assert "is in no directory" in refusal_of(tmp_path / "nowhere" / "log.db")


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    assert "cannot be used" in refusal_of(tmp_path / ("x" * 300))


@pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\x00" + bytes(600), bytes(5000)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    assert "no SQLite database" in refusal_of(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "made", ["CREATE TABLE theirs (word)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"]
)
def test_a_database_of_another_application_is_refused_and_left_alone(made: str, path: Path) -> None:
    by_hand(path, "PRAGMA user_version = 0", made)
    before = path.read_bytes()
    assert "another application" in refusal_of(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_log(path: Path) -> None:
    path.touch()
    assert kept_in(path) == {}


def test_a_name_with_signs_in_it_is_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=ro#%41 אשר.db"
    fill(path)
    assert path.exists()
    assert kept_in(path) == {TABLE: commit(0, 5)}


READ_ONLY = """
import asyncio, os, sys
from pathlib import Path
from urim.errors import Refused
from urim.events.log.sqlite import SqliteLog
if os.geteuid() == 0:
    os.seteuid(65534)  # root may write everywhere
try:
    asyncio.run(SqliteLog.open(sys.argv[1]))
except Refused as refusal:
    print(refusal.code, refusal.why)
"""


@pytest.mark.parametrize(
    ("file", "folder", "why"),
    [
        (0o444, 0o777, "can be read but not written"),
        (0o000, 0o777, "cannot be opened"),
        (0o666, 0o555, "can be read but not written"),
    ],
)
def test_a_file_that_may_not_be_written_is_refused(file: int, folder: int, why: str) -> None:
    # Not pytest's folder: whoever runs this test as root could not go there as somebody else.
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "log.db"
        fill(path)
        path.chmod(file)
        path.parent.chmod(folder)
        command = [sys.executable, "-c", READ_ONLY, str(path)]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert run.stdout.startswith(f"unreadable {path} {why}")


# --- a disk that is full, or fails ----------------------------------------------------------------


def test_a_full_disk_fails_the_append_whole_and_not_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = tuple(entry(seq, payload=b"x" * 60_000) for seq in range(2, 5))

    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(0, 2), 0)
        monkeypatch.setattr(Cramped, "pages", 20)
        for _ in range(2):
            with pytest.raises(Unavailable, match="no space left") as failure:
                await log.append(TABLE, big, 2, ASK)
            assert str(path) in str(failure.value)
            assert await log.read(TABLE) == commit(0, 2)
            assert await log.answered(TABLE, "p1", ASK.id) is None
        monkeypatch.setattr(Cramped, "pages", 1_000_000)
        assert await log.append(TABLE, big, 2, ASK) == Appended(5)
        await log.check()

    on_log(path, scenario, writer=Cramped)
    assert kept_in(path)[TABLE] == (*commit(0, 2), *big)


def test_of_appends_that_wait_together_only_those_fail_that_find_no_space(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(log: SqliteLog) -> None:
        monkeypatch.setattr(Cramped, "pages", 20)
        big = [entry(0, payload=b"x" * 100_000)]
        results = await asyncio.gather(
            *(log.append(f"table{n:03}", big if n % 3 == 1 else commit(0, 2), 0) for n in range(9)),
            return_exceptions=True,
        )
        for n, result in enumerate(results):
            assert isinstance(result, Unavailable if n % 3 == 1 else Appended)
        assert len(await log.tables()) == 6

    on_log(path, scenario, writer=Cramped)
    assert len(kept_in(path)) == 6


@pytest.mark.parametrize("most", [60_000, 150_001, 300_000])
def test_files_that_may_not_grow_stop_the_writing_and_lose_nothing(path: Path, most: int) -> None:
    # A real short write: the system takes a part of a page of the WAL and refuses the rest.
    with child("fill", path, most) as process:
        assert process.stdout is not None
        lines = process.stdout.read().decode().splitlines()
    assert process.returncode == 0
    failures = [line for line in lines if line.startswith("F")]
    assert len(failures) == 3
    assert all(str(path) in line for line in failures)
    assert lines.index(failures[-1]) < len(lines) - 1
    assert acknowledged(lines) == [
        f"{TABLES[0]} {who} {turn} {start} {stop}"
        for who, turn, start, stop in commits_of(kept_in(path)[TABLES[0]])
    ]


def acknowledged(lines: Sequence[str]) -> list[str]:
    """What a child was promised."""
    return [line.removeprefix("A ") for line in lines if line.startswith("A ")]


class Unsynced(Writer):
    """Its second transaction cannot be synced; the system would say yes to the next."""

    failing = False

    def transact(self, batch: Sequence[Job]) -> list[object]:
        if self.failing:
            self.failing = False
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
            raise error
        outcomes = super().transact(batch)
        self.failing = True
        return outcomes


def test_after_a_sync_that_failed_nothing_is_written_until_the_log_is_opened_again(
    path: Path,
) -> None:
    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(0), 0)
        for words in ("IOERR_FSYNC", "open the log again", "open the log again"):
            with pytest.raises(Unavailable, match=words):
                await log.append(TABLE, commit(1), 1)
        assert await log.read(TABLE) == commit(0)

    on_log(path, scenario, writer=Unsynced)

    async def again(log: SqliteLog) -> None:
        assert await log.append(TABLE, commit(1), 1) == Appended(2)

    on_log(path, again)
