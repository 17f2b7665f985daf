"""A damaged write-ahead log is named or takes nothing; what kills leave is not called damaged."""

import asyncio
import os
import random
import shutil
import sqlite3
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.events.sqlite.runs import chance, child, commits_of, everything, flip, on_log
from tests.events.sqlite.test_kill import kill
from urim.errors import Damaged
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog, wal
from urim.events.log.sqlite.wal import lost

PROMISES = list[tuple[str, str, int, int, int]]

PAGES = (1000, 12)
"""Pages between checkpoints: all that was written is in the write-ahead log, or rounds of it."""


class Left(NamedTuple):
    """What a killed writer left behind, and all that it had acknowledged."""

    folder: Path
    promised: PROMISES

    def copied(self, to: Path, *, index: bool) -> Path:
        """A copy of its files, with the index or as a machine leaves them that was started anew."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.folder, to)
        if not index:
            (to / "log.db-shm").unlink()
        return to / "log.db"


def left_by(folder: Path, pages: int, heard: int) -> Left:
    """Kill a writer after so many acknowledgements; and one before it, whose log was closed."""
    folder.mkdir()
    path = folder / "log.db"
    first = kill(path, "first", "telling", 5, 0).acknowledged
    on_log(path, everything)
    return Left(folder, first + kill(path, "left", "telling", heard, 0, pages).acknowledged)


@pytest.fixture(scope="module")
def lefts(tmp_path_factory: pytest.TempPathFactory) -> list[Left]:
    """What some writers left."""
    folder = tmp_path_factory.mktemp("left")
    return [
        left_by(folder / f"{pages}-{heard}", pages, heard) for pages in PAGES for heard in (20, 200)
    ]


@pytest.fixture
def path(lefts: list[Left], tmp_path: Path) -> Path:
    """A copy of what one left, all of it in its write-ahead log."""
    return lefts[1].copied(tmp_path / "copy", index=True)


def end(path: Path, ending: str = "-wal") -> Path:
    """A file beside another one."""
    return path.with_name(path.name + ending)


def found(path: Path) -> wal.Lost | None:
    """What SQLite would drop."""
    return lost(end(path), end(path, "-shm"))


def read(path: Path, *, left: bool = False) -> dict[str, tuple[Entry, ...]]:
    """All entries, as one who only reads gets them from a log that passes its check."""

    async def reading() -> dict[str, tuple[Entry, ...]]:
        log = await SqliteLog.open_reading(path, left=left)
        try:
            await log.check()
            return await everything(log)
        finally:
            await log.close()

    return asyncio.run(reading())


def missing(shown: dict[str, tuple[Entry, ...]], promised: PROMISES) -> PROMISES:
    """The promises that what is shown does not keep."""
    kept = {(table, *each) for table, entries in shown.items() for each in commits_of(entries)}
    return [each for each in promised if each not in kept]


def frames(content: bytes) -> Iterator[tuple[int, int]]:
    """Where each frame of the round that was written last begins, and its size after a commit."""
    page, salts = struct.unpack_from(">8xI4x8s", content)
    for place in range(32, len(content) - page - 23, page + 24):
        number, size, own = struct.unpack_from(">2I8s", content, place)
        if own == salts and number:
            yield place, size


def last_commit(content: bytes) -> int:
    """Where the frames of the last transaction begin."""
    *_, before, _ = [0, *(place for place, size in frames(content) if size)]
    return next(place for place, _ in frames(content) if place > before)


# --- the laws -------------------------------------------------------------------------------------


def damaged(path: Path, luck: random.Random) -> str:
    """Cut the write-ahead log, flip a bit of it, or take it away; which, and whether it is the end.

    It ends in "?" where no program can tell what is left from what a crash leaves.
    """
    file = end(path)
    content = file.read_bytes()
    match how := luck.choice(("cut", "flipped", "flipped", "gone")):
        case "cut":
            file.write_bytes(content[: luck.randrange(len(content))])
        case "gone":
            file.unlink()
        case _:
            place = luck.randrange(len(content))
            flip(file, place, luck.randrange(8))
            return how if place < last_commit(content) else "last flipped?"
    return f"{how}?"


@pytest.mark.prove
def test_a_damaged_write_ahead_log_is_named_or_shows_all_that_was_acknowledged(
    lefts: list[Left], tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck = chance("wal", seed)
    outcomes = Counter[str]()
    how_many = max(16, min(200, count))
    for turn in range(how_many):
        left, index = lefts[turn % len(lefts)], luck.random() < 0.5
        path = left.copied(tmp_path / "copy", index=index)
        how = damaged(path, luck)
        before = end(path).read_bytes() if end(path).exists() else b""
        try:
            shown = read(path)
        except Damaged as named:
            shown, why = {}, named.why
        else:
            why = ""
        if why and f"{end(path)} is " not in why:
            assert how.endswith("?") and not index, (turn, how, why)
            outcomes["not whole"] += 1  # what is left does not fit the database
        elif why:
            with pytest.raises(Damaged):  # nor does anybody write to it
                on_log(path, everything)
            assert (end(path).read_bytes() if end(path).exists() else b"") == before
            outcomes["named"] += 1
        elif lacking := missing(shown, left.promised):
            assert how.endswith("?") and not index, (turn, how, lacking[0])
            outcomes["no trace in the files"] += 1
        else:
            outcomes["all shown"] += 1
    tried(", ".join(f"{what} {n}" for what, n in [("damaged", how_many), *outcomes.most_common()]))
    assert outcomes["named"]


@pytest.mark.prove
def test_what_a_kill_leaves_is_never_called_damaged(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck = chance("undamaged", seed)
    how_many = max(4, min(200, count // 5))
    for turn in range(how_many):
        path = tmp_path / f"{turn // 10}.db"
        kill(path, f"k{turn}", "telling", luck.randint(1, 30), luck.random() / 20, PAGES[turn % 2])
        assert found(path) is None, turn
        assert lost(end(path), tmp_path / "none") is None, turn
        if turn % 3 == 1:
            on_log(path, everything)
    tried(f"{how_many} kills")


@pytest.mark.prove
def test_a_log_that_another_process_writes_is_never_called_damaged(
    tmp_path: Path, count: int, tried: Callable[[str], None]
) -> None:
    path, looks, sizes = tmp_path / "log.db", 0, set[int]()
    until = time.monotonic() + max(2, min(60, count / 20))
    with child("load", path, "busy", "telling", PAGES[1]) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while time.monotonic() < until:
            assert found(path) is None
            looks += 1
            sizes.add(end(path).stat().st_size)
            os.read(process.stdout.fileno(), 1 << 20)
        process.kill()
    tried(f"{looks} looks")
    assert looks > 10


# --- what is said ---------------------------------------------------------------------------------


def test_it_says_which_frame_is_bad_and_how_many_whole_commits_are_behind(path: Path) -> None:
    content = end(path).read_bytes()
    every = [*frames(content)]
    commits = [at for at, (_, size) in enumerate(every) if size]
    bad = commits[-3] + 1  # the first of the last commit but one
    flip(end(path), every[bad][0] + 100)
    with pytest.raises(Damaged) as named:
        read(path)
    assert named.value.why.startswith(
        f"{end(path)} is damaged: frame {bad + 1} (byte {every[bad][0]}) is not what was written. "
        f"SQLite would read {bad} of {commits[-1] + 1} frames that were committed, and drop whole "
        "commits: 2. Copy it, log.db and log.db-shm away before any program opens them, and "
    )
    assert named.value.why.endswith(
        f"or cut it to {every[bad][0]} bytes and remove log.db-shm, and lose the rest"
    )


def test_who_cuts_it_as_is_said_goes_on_with_what_is_left(path: Path) -> None:
    flip(end(path), 20_000)
    left = read(path, left=True)
    named = found(path)
    assert named is not None
    end(path).write_bytes(end(path).read_bytes()[: named.keeps])
    end(path, "-shm").unlink()
    assert read(path) == left
    assert on_log(path, everything) == left


def test_what_is_left_is_read_and_nothing_is_touched(path: Path, lefts: list[Left]) -> None:
    end(path).unlink()
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    with pytest.raises(Damaged, match=r"-wal is gone or empty: .* remove it and log\.db-shm"):
        read(path)
    assert missing(read(path, left=True), lefts[1].promised)
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


@pytest.mark.parametrize("place", [0, 5, 9, 17, 30])
def test_a_damaged_header_is_named(path: Path, place: int) -> None:
    flip(end(path), place)
    with pytest.raises(Damaged, match="its first 32 bytes are not what was written"):
        read(path)


def test_a_header_of_zeros_is_damaged_where_frames_are_behind_it(path: Path) -> None:
    end(path).write_bytes(bytes(32) + end(path).read_bytes()[32:])
    with pytest.raises(Damaged, match="its first 32 bytes are not what was written"):
        read(path)


def test_nothing_is_lost_where_all_frames_were_written_back(tmp_path: Path) -> None:
    """The index says how many were: more than 255, for it is read byte by byte."""
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as writer:
        writer.executescript("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;")
        writer.execute("CREATE TABLE words (word TEXT)")
        writer.execute("INSERT INTO words VALUES (hex(zeroblob(600000)))")
        writer.commit()
        [(_, frames, written)] = writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        assert frames == written > 255
        shutil.copytree(tmp_path, tmp_path / "copy")
    copy = tmp_path / "copy" / "some.db"
    assert found(copy) is None
    end(copy).unlink()
    assert found(copy) is None


@pytest.mark.parametrize("content", [None, b"", b"\0" * 31, b"\0" * 40_000, "header"])
def test_one_that_has_nothing_is_not_damaged(path: Path, content: bytes | str | None) -> None:
    whole = end(path).read_bytes()
    end(path, "-shm").unlink()
    end(path).unlink()
    if content is not None:
        end(path).write_bytes(whole[:32] if isinstance(content, str) else content)
    assert found(path) is None


def test_the_last_commit_is_named_where_the_index_knows_of_it(path: Path) -> None:
    """Without, it may be one that the power cut short before anybody was answered."""
    content = end(path).read_bytes()
    *_, (place, _) = (frame for frame in frames(content) if frame[1])
    end(path).write_bytes(content[: place + 24 + 4096])  # what was in flight is no part of it
    flip(end(path), last_commit(content) + 100)
    assert found(path) is not None
    end(path, "-shm").unlink()
    assert found(path) is None


@pytest.mark.parametrize("how", ["older than the machine runs", "torn", "not set up", "short"])
def test_an_index_that_cannot_be_relied_on_says_nothing(
    path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(path).unlink()
    index = end(path, "-shm")
    assert found(path) is not None
    match how:
        case "older than the machine runs":
            monkeypatch.setattr(wal, "_started", lambda: time.time() + 60)
        case "torn":
            flip(index, 16)
        case "not set up":
            index.write_bytes(bytes(index.stat().st_size))
        case _:
            index.write_bytes(index.read_bytes()[:99])
    assert found(path) is None


def test_a_file_that_this_process_has_open_is_not_looked_at(tmp_path: Path) -> None:
    """It was, when it was opened; and its locks would go with the index."""
    path = tmp_path / "log.db"

    async def scenario(log: SqliteLog) -> None:
        flip(end(path), 5)
        await (await SqliteLog.open_reading(path)).close()

    on_log(path, scenario)


# --- the format -----------------------------------------------------------------------------------


def sums(data: bytes | bytearray, begun: tuple[int, int], order: str) -> tuple[int, int]:
    """A checksum as SQLite's page on the format has it, word by word."""
    one, two = begun
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for at in range(0, len(words), 2):
        one = (one + words[at] + two) & 0xFFFFFFFF
        two = (two + words[at + 1] + one) & 0xFFFFFFFF
    return one, two


def of_other_words(content: bytes) -> bytes:
    """The same write-ahead log with big-endian checksums, which SQLite reads too."""
    header = bytearray(content)
    header[:4] = struct.pack(">I", 0x377F0683)
    begun = sums(header[:24], (0, 0), ">")
    header[24:32] = struct.pack(">2I", *begun)
    size = struct.unpack_from(">8xI", content)[0] + 24
    for place, _ in frames(content):
        begun = sums(header[place : place + 8], begun, ">")
        begun = sums(header[place + 24 : place + size], begun, ">")
        header[place + 16 : place + 24] = struct.pack(">2I", *begun)
    return bytes(header)


def test_a_log_of_big_endian_words_is_read_as_sqlite_reads_it(
    path: Path, lefts: list[Left]
) -> None:
    end(path).write_bytes(of_other_words(end(path).read_bytes()))
    end(path, "-shm").unlink()
    assert found(path) is None
    assert missing(read(path), lefts[1].promised) == []
    flip(end(path), 20_000)
    assert found(path) is not None


@pytest.mark.parametrize("page", [512, 1024, 65536])
def test_pages_of_every_size_are_read(tmp_path: Path, page: int) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {page}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE x (x)")
        for turn in range(9):
            connection.execute("INSERT INTO x VALUES (?)", (bytes([turn]) * 900,))
        shutil.copytree(tmp_path, tmp_path / "copy")
    copy = tmp_path / "copy" / "x.db"
    assert found(copy) is None
    flip(end(copy), 32 + 24 + 7)
    assert found(copy) is not None


def test_one_with_more_frames_than_are_read_at_once_is_read_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "TOGETHER", 3)
    assert found(path) is None
    place = [*frames(end(path).read_bytes())][-9][0]
    flip(end(path), place + 30)
    named = found(path)
    assert named is not None
    assert named.keeps <= place
