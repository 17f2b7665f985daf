"""What waits shares one transaction and one sync; each job still succeeds or fails on its own."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from tests.events.sqlite.runs import kept_in, on_log
from urim.engine.testing.log.harness import ASK, TABLE, commit, entry
from urim.errors import Defect, Refused, UrimError
from urim.events.log.protocol import Answered, Appended, Conflict, Request
from urim.events.log.sqlite import SqliteLog, rows
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.schema import prepare
from urim.events.log.sqlite.writer import MOST, Job, Writer


class Counting(Writer):
    """Counts what it does together, and waits to begin until it is released."""

    sizes: list[int]
    go: Event

    def transact(self, batch: Sequence[Job]) -> list[object]:
        self.sizes.append(len(batch))
        return super().transact(batch)

    def hold(self) -> None:
        """Be busy until `go` is set."""
        go = self.go = Event()
        _ = self.submit_alone(lambda _: go.wait(10))


def on_writer(test: Callable[[Counting], Awaitable[None]]) -> Callable[[Path], None]:
    """Run a test on a writer that is busy until `go` is set."""

    async def within(place: Place) -> None:
        connection = prepare(place)
        writer = Counting(
            place, connection, heard=lambda: None, listening=lambda: False, poll=0.01
        )  # fmt: skip
        writer.sizes = []
        writer.hold()
        try:
            await asyncio.wait_for(test(writer), 20)
        finally:
            writer.go.set()
            writer.stop()
            writer.join()
            connection.close()

    def runs(tmp_path: Path) -> None:
        asyncio.run(within(Place(tmp_path / "log.db")))

    runs.__name__ = test.__name__
    return runs


def keeping(
    writer: Counting, table: str, expected: int = 0, request: Request | None = None
) -> "asyncio.Future[rows.Result]":
    """Append three entries as a job."""
    return writer.submit(rows.Keep(table, commit(expected, 3), expected, request))


@on_writer
async def test_what_waits_goes_in_one_transaction(writer: Counting) -> None:
    futures = [keeping(writer, f"table{n:03}") for n in range(MOST + 10)]
    writer.go.set()
    assert await asyncio.gather(*futures) == [Appended(3)] * (MOST + 10)
    assert writer.sizes == [MOST, 10]


@on_writer
async def test_work_that_raises_leaves_nothing_of_itself_and_all_of_others(
    writer: Counting,
) -> None:
    def fail(connection: sqlite3.Connection) -> object:
        rows.Keep("failing0", commit(0, 3), 0, None)(connection)
        raise Refused("unknown", "it was a mistake")

    def break_a_law(connection: sqlite3.Connection) -> object:
        rows.Keep("failing1", commit(0, 3), 0, None)(connection)
        return connection.execute("DELETE FROM entries")

    before, failing = keeping(writer, "before00"), writer.submit(fail)
    breaking, after = writer.submit(break_a_law), keeping(writer, "after000")
    writer.go.set()
    assert await before == await after == Appended(3)
    with pytest.raises(Refused, match="a mistake"):
        await failing
    with pytest.raises(Defect, match="never deleted"):
        await breaking
    assert rows.tables(writer.connection) == ("after000", "before00")


@on_writer
async def test_of_commits_written_at_once_each_still_has_its_own_outcome(
    writer: Counting,
) -> None:
    tables = [f"table{n:03}" for n in range(6)]
    known = [keeping(writer, table) for table in tables]
    writer.go.set()
    await asyncio.gather(*known)
    writer.hold()
    others = rows.Keep(tables[4], commit(3), 3, None)
    first = keeping(writer, tables[0], 3, ASK)
    again, late = keeping(writer, tables[0], 3, ASK), keeping(writer, tables[1], 0)
    early, early_too = keeping(writer, tables[2], 3), keeping(writer, tables[2], 6)
    fine, beaten = keeping(writer, tables[3], 3, ASK), keeping(writer, tables[4], 3)
    gone_back = writer.submit(rows.Keep(tables[5], [entry(3, at=0)], 3, None))
    with sqlite3.connect(writer.place.path) as elsewhere:
        others(elsewhere)
    elsewhere.close()
    writer.go.set()
    assert await first == await early == await fine == Appended(6)
    assert await early_too == Appended(9)
    assert await again == Answered(ASK.mac, commit(3, 3))
    assert await late == Conflict(commit(0, 3))
    assert await beaten == Conflict(commit(3))
    with pytest.raises(Refused, match="before the one that it follows"):
        await gone_back
    assert writer.sizes == [6, 8]


@on_writer
async def test_commits_after_what_the_writer_wrote_itself_are_judged_by_the_file_alone(
    writer: Counting,
) -> None:
    tables = [f"table{n:03}" for n in range(6)]
    statements: list[str] = []
    writer.connection.set_trace_callback(statements.append)
    for expected, judged in ((0, 6), (3, 0)):
        futures = [
            keeping(writer, table, expected, Request(f"{expected}", "p1", bytes(32)))
            for table in tables
        ]
        writer.go.set()
        assert await asyncio.gather(*futures) == [Appended(expected + 3)] * 6
        assert sum("SAVEPOINT" in statement for statement in statements) == judged
        statements.clear()
        writer.hold()


@on_writer
async def test_what_was_given_up_before_it_was_begun_is_not_done(writer: Counting) -> None:
    called: list[tuple[int, object]] = []

    def then(number: int, outcome: object) -> None:
        called.append((number, outcome))

    futures = [
        writer.submit(rows.Keep(f"table{n:03}", commit(0), 0, None), partial(then, n))
        for n in range(4)
    ]
    assert futures[1].cancel()
    writer.go.set()
    assert await futures[3] == Appended(1)
    assert rows.tables(writer.connection) == ("table000", "table002", "table003")
    assert called == [(number, Appended(1)) for number in (0, 2, 3)]


@on_writer
async def test_what_was_given_up_after_it_was_begun_is_done_and_told(writer: Counting) -> None:
    begun, called = Event(), asyncio.Event()

    def work(connection: sqlite3.Connection) -> object:
        begun.set()
        time.sleep(0.05)
        return rows.Keep(TABLE, commit(0), 0, None)(connection)

    future = writer.submit(work, lambda _: called.set())
    writer.go.set()
    await asyncio.to_thread(begun.wait, 10)
    assert future.cancel()
    await called.wait()
    assert rows.tables(writer.connection) == (TABLE,)


@on_writer
async def test_what_was_submitted_before_the_end_is_done(writer: Counting) -> None:
    future = keeping(writer, TABLE)
    writer.go.set()
    writer.stop()
    assert await future == Appended(3)


@on_writer
async def test_what_is_done_alone_comes_between_transactions_in_its_turn(writer: Counting) -> None:
    first = keeping(writer, "table000")
    alone = writer.submit_alone(lambda c: (c.in_transaction, rows.tables(c)))
    last = keeping(writer, "table001")
    writer.go.set()
    assert await first == await last == Appended(3)
    assert await alone == (False, ("table000",))
    assert writer.sizes == [1, 1]


def _given(number: int, _: sqlite3.Connection) -> int:
    """Work that gives a number."""
    return number


def in_memory(test: Callable[[Counting], Awaitable[None]]) -> None:
    """Run a test on a writer without a file, busy until `go` is set."""

    async def within() -> None:
        found = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with closing(found) as db:
            writer = Counting(
                Place(Path("memory.db")), db, heard=lambda: None, listening=lambda: False, poll=0.01
            )  # fmt: skip
            writer.sizes = []
            writer.hold()
            try:
                await asyncio.wait_for(test(writer), 20)
            finally:
                writer.go.set()
                writer.stop()
                writer.join()

    asyncio.run(within())


@pytest.mark.parametrize("count", [1, 2, 3, MOST - 1, MOST, MOST + 1, 2 * MOST])
def test_as_many_jobs_as_wait_go_together_up_to_256(count: int) -> None:
    async def test(writer: Counting) -> None:
        futures = [writer.submit(partial(_given, number)) for number in range(count)]
        writer.go.set()
        assert await asyncio.gather(*futures) == [*range(count)]
        whole, rest = divmod(count, MOST)
        assert writer.sizes == [MOST] * whole + [rest] * (rest > 0)

    in_memory(test)
    assert MOST == 256


@pytest.mark.parametrize("count", [1, 2, 3])
def test_where_sqlite_cannot_do_one_job_the_others_are_done(count: int) -> None:
    def fail(_: sqlite3.Connection) -> int:
        raise sqlite3.OperationalError("the disk failed for this one")

    async def test(writer: Counting) -> None:
        failing = writer.submit(fail)
        futures = [writer.submit(lambda _: 7) for _ in range(count - 1)]
        writer.go.set()
        with pytest.raises(UrimError):
            await failing
        assert await asyncio.gather(*futures) == [7] * (count - 1)
        assert writer.sizes == ([1] if count == 1 else [count, *[1] * count])

    in_memory(test)


def test_nobody_is_answered_before_commit_has_returned(tmp_path: Path) -> None:
    class Slow(Writer):
        """Looks, some time after COMMIT has returned, whether anybody was answered before."""

        answered_early = False

        def transact(self, batch: Sequence[Job]) -> list[object]:
            outcomes = super().transact(batch)
            time.sleep(0.02)  # the loop would have heard by now
            Slow.answered_early |= any(job.future.done() for job in batch)
            return outcomes

    async def scenario(log: SqliteLog) -> None:
        tables = [f"table{n:03}" for n in range(20)]
        for size in range(3):
            await asyncio.gather(*(log.append(table, commit(size), size) for table in tables))
        await log.append(TABLE, commit(0), 0)

    on_log(tmp_path / "log.db", scenario, writer=Slow)
    assert not Slow.answered_early


def test_who_listens_for_a_while_in_vain_can_still_write(tmp_path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        bell = log.listen(TABLE)
        await asyncio.sleep(0.05)  # five times as long as it waits for others' commits
        async with asyncio.timeout(5):
            assert await log.append(TABLE, commit(0), 0) == Appended(1)
        del bell

    on_log(tmp_path / "log.db", scenario)


def test_a_loop_that_ended_before_the_log_was_closed_loses_nothing(tmp_path: Path) -> None:
    async def leave() -> SqliteLog:
        log = await SqliteLog.open(tmp_path / "log.db")
        waiting = asyncio.create_task(log.append(TABLE, commit(0), 0))
        await asyncio.sleep(0)
        assert not waiting.done()
        return log

    log = asyncio.run(leave())
    asyncio.run(log.close())
    assert kept_in(tmp_path / "log.db") in ({}, {TABLE: commit(0)})
