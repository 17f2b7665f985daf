"""A check holds every snapshot against a full fold of the log."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.check.test_check import checked, played
from tests.engine.helpers.snapshotted import (
    DATABASE,
    SECRET,
    copied,
    environments,
    evening,
    often,
)
from tests.engine.helpers.stages.service import TABLE, mark
from tests.pairs.play import TABLE as EVENING
from urim.engine.check.report import Findings
from urim.engine.check.snapshots import CheckedSnapshots
from urim.engine.core.commands import Note, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.engine.snapshots import table as tables
from urim.engine.snapshots.file import Snapshots
from urim.engine.snapshots.head import encoded
from urim.engine.snapshots.kind import SIZE_BYTES
from urim.engine.snapshots.packing import pack
from urim.engine.snapshots.protocol import HEAD
from urim.engine.snapshots.table import TableSnapshot, latest
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of two tables that have snapshots."""
    monkeypatch.setattr(tables, "EVERY", 5)
    path = tmp_path / "log.db"

    async def work() -> None:
        log = await SqliteLog.open(path)
        service = Service(log, FileSecrets.beside(path), snapshots=Snapshots.beside(path))
        await played(service)
        await service.submit(TABLE, NARRATOR, mark(99))
        await service.close()
        await log.close()

    asyncio.run(work())
    return path


def rows(path: Path) -> tuple[Snapshots, TableSnapshot]:
    """The table's snapshot, open."""
    snapshots = Snapshots.beside(path)
    secret = FileSecrets.beside(path).find(TABLE)
    assert secret is not None
    return snapshots, latest(snapshots.table(TABLE, secret))


def test_snapshots_that_are_right_are_counted_and_not_touched(path: Path) -> None:
    before = {each: each.read_bytes() for each in path.parent.rglob("*") if each.is_file()}
    report = checked(path)
    assert report.findings == ()
    assert report.checked["snapshots"] == 2
    assert before == {each: each.read_bytes() for each in path.parent.rglob("*") if each.is_file()}


@pytest.mark.usefixtures(often.__name__)
def test_the_snapshot_of_an_evening_with_all_kinds_of_rows_is_right(tmp_path: Path) -> None:
    database = copied(evening()[0], tmp_path / "copy") / DATABASE
    findings = Findings()

    async def read() -> tuple[Entry, ...]:
        log = await SqliteLog.open_reading(database)
        try:
            return await log.read(EVENING)
        finally:
            await log.close()

    found = CheckedSnapshots(database, findings)
    found.check(EVENING, asyncio.run(read()), environments("fair", SECRET), SECRET, findings)
    found.close()
    report = findings.report(str(database), 1)
    assert (report.findings, report.checked["snapshots"]) == ((), 1)


@pytest.mark.parametrize(
    ("kind", "other"),
    [("entries", None), ("moments", None), ("of_rolls", (1,)), ("entry_rolls", 9)],
)
def test_a_row_that_a_fold_does_not_come_to_is_a_fault(path: Path, kind: str, other: Any) -> None:
    snapshots, kept = rows(path)
    numbers = kept.rows.numbers(kind)
    body = kept.rows.read(kind, numbers[0])
    assert body is not None
    if other is not None:
        body = body[:SIZE_BYTES] + pack(other)
    kept.rows.write([(kind, numbers[-1], body)])
    snapshots.close()
    report = checked(path)
    found = [each for each in report.findings if each.kind == "fault"]
    assert [(each.what, each.table) for each in found] == [("snapshots", TABLE)]
    assert found[0].why == f"{kind} {numbers[-1]}: a full fold comes to something else"


def test_a_head_that_a_fold_does_not_come_to_is_a_fault(path: Path) -> None:
    snapshots, kept = rows(path)
    head = kept.head
    assert head is not None
    kept.rows.write([(HEAD, 0, encoded(replace(head, state={**head.state, "last_roll": 7})))])
    snapshots.close()
    found = [each.why for each in checked(path).findings if each.kind == "fault"]
    assert found == ["last roll: a full fold comes to something else"]


def raw(path: Path) -> dict[tuple[str, int], bytes]:
    """The rows of the table as they are in the file, each with its MAC."""
    with closing(sqlite3.connect(path.with_name(path.name + ".snapshots"))) as connection:
        asked = "SELECT kind, number, body FROM rows WHERE tbl = ?"
        return {(kind, number): body for kind, number, body in connection.execute(asked, (TABLE,))}


def test_a_row_that_was_put_back_to_an_earlier_time_is_a_fault(path: Path) -> None:
    """Who has no secret but an older file can do that, and its MAC is right."""
    before = raw(path)

    async def work() -> None:
        log = await SqliteLog.open(path)
        service = Service(log, FileSecrets.beside(path), snapshots=Snapshots.beside(path))
        for number in range(6):
            await service.submit(TABLE, NARRATOR, worded(Note(0), f"A note {number}."))
        await service.close()
        await log.close()

    asyncio.run(work())
    assert checked(path).findings == ()
    after = raw(path)
    place = next(
        place for place, body in before.items() if place[0] == "texts" and body != after[place]
    )
    file = path.with_name(path.name + ".snapshots")
    with closing(sqlite3.connect(file)) as connection, connection:
        put_back = "UPDATE rows SET body = ? WHERE tbl = ? AND kind = ? AND number = ?"
        connection.execute(put_back, (before[place], TABLE, *place))
    [found] = checked(path).findings
    assert (found.kind, found.what, found.table) == ("fault", "snapshots", TABLE)
    assert found.why == f"{place[0]} {place[1]}: a full fold comes to something else"


def test_a_snapshot_with_a_flipped_bit_is_to_be_looked_at(path: Path) -> None:
    file = path.with_name(path.name + ".snapshots")
    with sqlite3.connect(file) as connection:
        asked = "SELECT kind, number, body FROM rows WHERE tbl = ? AND kind = 'entries' LIMIT 1"
        kind, number, body = connection.execute(asked, (TABLE,)).fetchone()
        broken = bytes([body[0] ^ 1, *body[1:]])
        connection.execute(
            "UPDATE rows SET body = ? WHERE tbl = ? AND kind = ? AND number = ?",
            (broken, TABLE, kind, number),
        )
    connection.close()
    [found] = checked(path).findings
    assert (found.kind, found.what, found.table) == ("look", "snapshots", TABLE)
    assert "is not what was written" in found.why


def test_a_file_that_holds_no_snapshots_is_to_be_looked_at(path: Path) -> None:
    file = path.with_name(path.name + ".snapshots")
    file.write_bytes(b"no database")
    [found] = checked(path).findings
    assert (found.kind, found.what, found.file) == ("look", "snapshots", str(file))


def test_a_snapshot_that_is_newer_than_its_log_is_to_be_looked_at(path: Path) -> None:
    snapshots, kept = rows(path)
    assert kept.head is not None
    kept.rows.write([(HEAD, 0, encoded(replace(kept.head, size=99, peaks=(b"",) * 4)))])
    snapshots.close()
    [found] = checked(path).findings
    assert (found.kind, found.what) == ("look", "snapshots")
    assert "99 entries that the log does not have" in found.why
