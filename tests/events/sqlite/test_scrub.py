"""Erased bytes leave the files in the background: no commit waits for that, though others read."""

import asyncio
import logging
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.events.sqlite.runs import on_log
from tests.sealing import sealed_raw
from urim.engine.testing.log.harness import OTHER, TABLE, commit, erasing
from urim.errors import Defect
from urim.events.entry import Entry, withhold
from urim.events.log.protocol import Appended
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.scrub import LONGEST, PAUSE, Scrubber
from urim.events.log.sqlite.writer import Job, Writer

WORDS = b"words that somebody wants to be forgotten"


def texts(count: int) -> tuple[Entry, ...]:
    """So many texts, each a commit of its own, with the words in them."""
    words = (b'"%s %d"' % (WORDS, seq) for seq in range(count))
    return tuple(
        sealed_raw(seq, 0, text, b"salt of what is erased %09d" % seq, "text", first=seq)
        for seq, text in enumerate(words)
    )


def erasing_all(count: int) -> tuple[Entry, ...]:
    """The entries that erase so many texts."""
    return tuple(erasing(count + seq, seq) for seq in range(count))


def held(path: Path) -> bool:
    """Whether the words are in any file of the log."""
    return any(WORDS in each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


def pending(log: SqliteLog) -> bool:
    """Whether erased bytes may still be in the files."""
    return log.scrubbing


@contextmanager
def reading(path: Path) -> Generator[sqlite3.Connection]:
    """Another program that holds a snapshot of the log."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM entries").fetchone()
        yield connection
    finally:
        connection.close()


def test_erased_bytes_leave_the_files_though_nobody_asks_again(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def scenario(log: SqliteLog) -> None:
        for text in texts(3):
            await log.append(TABLE, [text], text.seq)
        await log.append(TABLE, erasing_all(3), 3)
        for seq in range(3):
            await log.erase(TABLE, seq)
        assert (await log.read(TABLE))[:3] == tuple(map(withhold, texts(3)))
        await log.scrubbed()
        assert not held(path)

    on_log(path, scenario)


def test_no_commit_waits_for_the_scrubbing_while_a_reader_holds_a_snapshot(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.db"
    statements: list[str] = []

    class Seen(Writer):
        """Notes every statement of the connection that writes."""

        def transact(self, batch: Sequence[Job]) -> list[object]:
            self.connection.set_trace_callback(statements.append)
            return super().transact(batch)

    async def scenario(log: SqliteLog) -> None:
        for text in texts(5):
            await log.append(TABLE, [text], text.seq)
        await log.append(TABLE, erasing_all(5), 5)
        with reading(path) as reader:
            for seq in range(5):
                await log.erase(TABLE, seq)
                assert await log.append(OTHER, commit(seq), seq) == Appended(seq + 1)
            assert (await log.read(TABLE))[:5] == tuple(map(withhold, texts(5)))
            assert statements
            assert not any("checkpoint" in each for each in statements)
            assert pending(log)
            assert held(path)  # the reader may still see them
            reader.execute("COMMIT")
            await log.scrubbed()
        assert not pending(log)
        assert not held(path)

    on_log(path, scenario, writer=Seen)


def test_many_erasures_share_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.db"
    tried: list[bool] = []
    scrub = Scrubber.scrub

    def counted(connection: sqlite3.Connection) -> bool:
        tried.append(scrub(connection))
        return tried[-1]

    monkeypatch.setattr(Scrubber, "scrub", staticmethod(counted))

    async def scenario(log: SqliteLog) -> None:
        for text in texts(40):
            await log.append(TABLE, [text], text.seq)
        await log.append(TABLE, erasing_all(40), 40)
        with reading(path):
            await asyncio.gather(*(log.erase(TABLE, seq) for seq in range(40)))
            assert pending(log)
        await log.scrubbed()
        assert sum(tried) <= 2  # one where the first of them came alone
        assert not held(path)

    on_log(path, scenario)


def test_while_somebody_reads_each_try_waits_twice_as_long_as_the_last_up_to_a_bound(
    tmp_path: Path,
) -> None:
    waits: list[float] = []

    class Noting(Scrubber):
        def _tried(self) -> bool:
            return len(waits) == 6

        def _rest(self, wait: float) -> None:
            waits.append(wait)

    scrubber = Noting(Place(tmp_path / "log.db"))
    scrubber.want()
    assert scrubber.idle.wait(10)
    scrubber.stop()
    assert waits == [2 * PAUSE, 4 * PAUSE, 8 * PAUSE, LONGEST, LONGEST, LONGEST, PAUSE]
    assert (PAUSE, LONGEST) == (0.05, 0.5)


def test_a_file_that_cannot_be_opened_is_tried_again_later(tmp_path: Path) -> None:
    """Who writes next is refused in words; the thread that scrubs goes on."""
    path, tried = tmp_path / "log.db", list[bool]()

    class Noting(Scrubber):
        def _tried(self) -> bool:
            tried.append(super()._tried())
            return len(tried) == 2

    path.write_bytes(b"no database at all " * 100)
    scrubber = Noting(Place(path))
    scrubber.want()
    assert scrubber.idle.wait(10)
    scrubber.stop()
    assert tried == [False, False]


async def test_closing_scrubs_what_was_erased_though_its_answer_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    class Silent(Writer):
        """Answers nothing more, as where the loop that asked has ended."""

        silent = False

        def settle(self, batch: Sequence[Job], outcomes: Sequence[object]) -> None:
            if not self.silent:
                super().settle(batch, outcomes)

    log = await SqliteLog.open_at(Place(path), writer=Silent)
    other = await SqliteLog.open(path)
    await log.append(TABLE, (*texts(1), *erasing_all(1)), 0)
    Silent.silent = True
    waiting = asyncio.create_task(log.erase(TABLE, 0))
    while (await other.read(TABLE, limit=1))[0].payload is not None:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    assert held(path)
    waiting.cancel()
    await log.close()
    assert not held(path)  # though the other has the file open still
    await other.close()


async def test_closing_scrubs_what_waits(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    log, other = await SqliteLog.open(path), await SqliteLog.open(path)
    for text in texts(2):
        await log.append(TABLE, [text], text.seq)
    await log.append(TABLE, erasing_all(2), 2)
    with reading(path):
        await log.erase(TABLE, 0)
        await log.erase(TABLE, 1)
    await log.close()
    assert not held(path)  # though the other has the file open still
    await other.close()


def test_closing_logs_what_it_could_not_scrub(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.db"
    monkeypatch.setattr(logging.getLogger("urim"), "propagate", True)

    async def scenario() -> None:
        log = await SqliteLog.open(path)
        await log.append(TABLE, (*texts(1), *erasing_all(1)), 0)
        with reading(path):
            await log.erase(TABLE, 0)
            await log.close()
            assert held(path)
        assert f"{path}-wal" in caplog.text
        assert WORDS.decode() not in caplog.text
        again = await SqliteLog.open(path)  # the file's last user removes them
        await again.close()
        assert not held(path)

    with caplog.at_level(logging.WARNING, "urim"):
        asyncio.run(scenario())


async def test_nobody_waits_for_a_closed_log(tmp_path: Path) -> None:
    log = await SqliteLog.open_at(Place(tmp_path / "log.db"))
    await log.close()
    with pytest.raises(Defect, match="closed"):
        await log.scrubbed()
