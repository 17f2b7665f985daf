"""Several processes share a file: they wait for one another, and each hears what others do."""

import asyncio
import sqlite3
import threading
import time
from contextlib import aclosing, closing, suppress
from pathlib import Path

import pytest

from tests.events.sqlite.child import TABLES
from tests.events.sqlite.runs import child, commits_of, insist, kept_in, on_log
from urim.engine.testing.log.harness import TABLE, commit
from urim.errors import Unavailable
from urim.events.entry import Entry
from urim.events.log.protocol import Appended, CaughtUp, Conflict
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.schema import prepare


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a log may be."""
    return tmp_path / "log.db"


class Held:
    """Another's lock on the file, as any program could hold it."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        """Let go."""
        self.connection.close()


def test_a_file_locked_for_longer_than_allowed_fails_the_appends_and_not_the_reads(
    path: Path,
) -> None:
    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(0), 0)
        held = Held(path)
        start = time.monotonic()
        results = await asyncio.gather(
            *(log.append(TABLE, commit(1), 1) for _ in range(5)), return_exceptions=True
        )
        # All that wait together give up together, not one after another.
        assert 0.2 <= time.monotonic() - start < 1.5
        for result in results:
            assert isinstance(result, Unavailable)
            assert f"{path} was locked by another process for 0.3 s" in str(result)
        assert await log.read(TABLE) == commit(0)
        held.release()
        assert await log.append(TABLE, commit(1), 1) == Appended(2)

    on_log(path, scenario, busy=0.3)
    assert kept_in(path) == {TABLE: commit(0, 2)}


def test_a_file_locked_for_a_while_is_waited_for(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        held = Held(path)
        threading.Timer(0.2, held.release).start()
        assert await log.append(TABLE, commit(0), 0) == Appended(1)

    on_log(path, scenario, busy=20)


def test_opening_a_locked_file_waits_and_then_says_so(path: Path) -> None:
    assert kept_in(path) == {}
    with closing(Held(path).connection), pytest.raises(Unavailable, match=r"for 0\.2 s"):
        on_log(path, SqliteLog.tables, busy=0.2)
    assert kept_in(path) == {}


async def test_many_may_make_the_same_file_at_once(path: Path) -> None:
    logs = await asyncio.gather(*(SqliteLog.open(path) for _ in range(8)))
    results = await asyncio.gather(*(log.append(TABLE, commit(0), 0) for log in logs))
    assert results.count(Appended(1)) == 1
    assert results.count(Conflict(commit(0))) == 7
    await asyncio.gather(*(log.close() for log in logs))


def test_who_opens_a_file_while_others_make_it_does_not_take_it_for_a_strangers(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = Place.connect
    looked: list[str] = []

    def meanwhile(statement: str) -> None:
        looked.append(statement)
        if looked.count("PRAGMA user_version") == 1 and statement == "PRAGMA user_version":
            # Between two looks at the file; where that is one look, the other has to wait.
            with suppress(Unavailable):
                prepare(Place(path, busy=0.1)).close()

    def watched(place: Place, *, reading: bool = False) -> sqlite3.Connection:
        connection = connect(place, reading=reading)
        if not looked:
            connection.set_trace_callback(meanwhile)
            looked.append("")
        return connection

    monkeypatch.setattr(Place, "connect", watched)
    prepare(Place(path)).close()
    assert "PRAGMA user_version" in looked
    assert kept_in(path) == {}


def test_two_processes_append_and_each_hears_all_in_one_order(path: Path) -> None:
    turns = 40

    async def scenario(log: SqliteLog) -> list[Entry]:
        followed = log.follow(TABLES[0])
        assert await anext(followed) == CaughtUp(0)
        heard: list[Entry] = []
        known = 0
        async with aclosing(followed):
            with child("write", path, "other", turns) as process:
                first = await anext(followed)  # before we have written anything ourselves
                assert isinstance(first, Entry)
                heard.append(first)
                for turn in range(turns):
                    known = await insist(log, TABLES[0], 2, "this", turn, known=known) + 2
                await asyncio.to_thread(process.wait)
            size = len(await log.read(TABLES[0]))
            while len(heard) < size:
                item = await anext(followed)
                assert isinstance(item, Entry)
                heard.append(item)
        return heard

    heard = on_log(path, scenario)
    assert tuple(heard) == kept_in(path)[TABLES[0]]
    order = [(who, turn) for who, turn, _, _ in commits_of(heard)]
    for who in ("this", "other"):
        assert [turn for name, turn in order if name == who] == list(range(turns))
    assert len(order) == 2 * turns


def test_what_another_process_keeps_is_heard_though_nobody_here_writes(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        other = await SqliteLog.open(path)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            for seq in range(5):
                waiting = asyncio.ensure_future(anext(followed))
                await asyncio.sleep(0.03)  # several looks in vain
                await other.append(TABLE, commit(seq), seq)
                async with asyncio.timeout(5):
                    assert [await waiting] == [*commit(seq)]
        await other.close()

    on_log(path, scenario)


def test_an_append_given_up_is_heard_of_all_the_same_if_it_is_kept(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            for turn in range(20):
                size = len(await log.read(TABLE))
                task = asyncio.ensure_future(log.append(TABLE, commit(size), size))
                await asyncio.sleep(0.0005 * turn)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            size = len(await log.read(TABLE))
            assert [await anext(followed) for _ in range(size)] == [*commit(0, size)]

    on_log(path, scenario)


def test_closing_keeps_what_was_begun(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        tables = [f"table{n:03}" for n in range(30)]
        appending = [asyncio.ensure_future(log.append(t, commit(0, 3), 0)) for t in tables]
        await asyncio.sleep(0)
        await log.close()
        assert await asyncio.gather(*appending) == [Appended(3)] * 30

    on_log(path, scenario)
    assert len(kept_in(path)) == 30


def test_a_new_file_that_another_holds_becomes_a_log_when_they_let_go(path: Path) -> None:
    # Turning on the WAL needs a lock for which SQLite does not wait: it says no at once.
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE gone (word)")
    other.execute("DROP TABLE gone")
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.2, other.close).start()
    assert kept_in(path) == {}


def test_another_logs_commit_rings_later_and_without_its_size(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        bell = log.listen(TABLE)
        await log.append(TABLE, commit(0), 0)
        while (bell.size, bell.others) != (1, 0):
            await bell.ticket().wait()
        other = await SqliteLog.open(path)
        ticket = bell.ticket()
        await other.append(TABLE, commit(1, 2), 1)
        await ticket.wait()
        assert (bell.size, bell.others) == (1, 1)
        await other.close()

    on_log(path, scenario)
