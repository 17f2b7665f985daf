"""What waits shares one transaction and one sync; each job still succeeds or fails on its own."""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Event

import pytest

from tests.events.sqlite_runs import on_log
from urim.engine.testing.log_harness import TABLE, commit
from urim.errors import Defect, Refused
from urim.events.log import sqlite_rows as rows
from urim.events.log.protocol import Appended
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite_file import Place
from urim.events.log.sqlite_schema import prepare
from urim.events.log.sqlite_writer import MOST, Job, Writer


class Counting(Writer):
    """Counts what it does together, and waits to begin until it is told to."""

    sizes: list[int]
    go: Event

    def transact(self, batch: Sequence[Job]) -> list[object]:
        self.sizes.append(len(batch))
        return super().transact(batch)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Counting]:
    """A writer that is busy until `go` is set."""
    place = Place(tmp_path / "log.db")
    connection = prepare(place)
    writer = Counting(
        place, connection, heard=lambda: None, listening=lambda: False, poll=0.01
    )  # fmt: skip
    writer.sizes, writer.go = [], Event()
    writer.submit_alone(lambda _: writer.go.wait(10))
    yield writer
    writer.stop()
    writer.join()
    connection.close()


def keep(connection: sqlite3.Connection, table: str) -> object:
    """Append three entries."""
    return rows.keep(connection, table, commit(0, 3), 0, None)


def keeping(writer: Counting, table: str) -> "Future[object]":
    """Append three entries as a job."""
    return writer.submit(lambda connection: keep(connection, table))


def test_what_waits_goes_in_one_transaction(writer: Counting) -> None:
    futures = [keeping(writer, f"table{n:03}") for n in range(MOST + 10)]
    writer.go.set()
    assert [future.result(10) for future in futures] == [Appended(3)] * (MOST + 10)
    assert writer.sizes == [MOST, 10]


def test_work_that_raises_leaves_nothing_of_itself_and_all_of_others(writer: Counting) -> None:
    def fail(connection: sqlite3.Connection) -> object:
        keep(connection, "failing0")
        raise Refused("unknown", "it was a mistake")

    def break_a_law(connection: sqlite3.Connection) -> object:
        keep(connection, "failing1")
        return connection.execute("DELETE FROM entries")

    before, failing = keeping(writer, "before00"), writer.submit(fail)
    breaking, after = writer.submit(break_a_law), keeping(writer, "after000")
    writer.go.set()
    assert before.result(10) == after.result(10) == Appended(3)
    with pytest.raises(Refused, match="a mistake"):
        failing.result(10)
    with pytest.raises(Defect, match="never deleted"):
        breaking.result(10)
    assert rows.tables(writer.connection) == ("after000", "before00")


def test_what_was_given_up_before_it_was_begun_is_not_done(writer: Counting) -> None:
    futures = [keeping(writer, f"table{n:03}") for n in range(4)]
    assert futures[1].cancel()
    writer.go.set()
    assert futures[3].result(10) == Appended(3)
    assert rows.tables(writer.connection) == ("table000", "table002", "table003")


def test_what_is_done_alone_comes_between_transactions_in_its_turn(writer: Counting) -> None:
    first = keeping(writer, "table000")
    alone = writer.submit_alone(lambda c: (c.in_transaction, rows.tables(c)))
    last = keeping(writer, "table001")
    writer.go.set()
    assert first.result(10) == last.result(10) == Appended(3)
    assert alone.result(10) == (False, ("table000",))
    assert writer.sizes == [1, 1]


def test_nobody_is_answered_before_commit_has_returned(tmp_path: Path) -> None:
    class Slow(Writer):
        """Looks, as soon as COMMIT has returned, whether anybody was answered before."""

        answered_early = False

        def transact(self, batch: Sequence[Job]) -> list[object]:
            outcomes = super().transact(batch)
            Slow.answered_early |= any(job.future.done() for job in batch)
            return outcomes

    async def scenario(log: SqliteLog) -> None:
        tables = [f"table{n:03}" for n in range(20)]
        await asyncio.gather(*(log.append(table, commit(0), 0) for table in tables))
        await log.append(TABLE, commit(0), 0)

    on_log(tmp_path / "log.db", scenario, writer=Slow)
    assert not Slow.answered_early
