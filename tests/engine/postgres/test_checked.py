"""`urim check` holds the snapshots in a database against a full fold, and changes nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from secrets import token_hex
from typing import Any

import pytest

from tests.engine.check.test_check import played
from tests.engine.helpers.stages.service import TABLE, mark, noting
from tests.engine.postgres.others import asked
from tests.engine.snapshots.stores import KEY, written
from tests.events.postgres.server import run_now
from urim.engine.check import check
from urim.engine.check.report import Finding, Report
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.beside import copy_snapshots, secrets_of, snapshots_of
from urim.engine.service.postgres.snapshots import PostgresSnapshots, copying
from urim.engine.service.postgres.snapshots import rows as stored
from urim.engine.snapshots import table as tables
from urim.engine.snapshots.file import Snapshots
from urim.engine.snapshots.kind import SIZE_BYTES
from urim.engine.snapshots.packing import pack
from urim.engine.snapshots.protocol import HEAD
from urim.engine.snapshots.table import TableSnapshot, latest
from urim.events.log.location import DatabaseUrl
from urim.events.log.opening import open_log

pytestmark = pytest.mark.slow

KEPT = "SELECT table_id, generation, kind, number, size, body FROM urim_snapshots.rows ORDER BY 1"
HEADS = "SELECT table_id, generation, size, body FROM urim_snapshots.heads ORDER BY 1"


@pytest.fixture
def log(place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch) -> DatabaseUrl:
    """A log of two tables that have snapshots."""
    monkeypatch.setattr(tables, "EVERY", 5)
    run_now(serving(place, played))
    run_now(serving(place, lambda service: service.submit(TABLE, NARRATOR, mark(99))))
    return place


async def serving(place: DatabaseUrl, work: Callable[[Service], Awaitable[object]]) -> None:
    """Do some work with a service on a database, and close it."""
    log = await open_log(place)
    with closing(secrets_of(place)) as secrets:
        service = Service(log, secrets, snapshots=snapshots_of(place))
        await work(service)
        await service.close()
        await log.close()


def checked(place: DatabaseUrl, table: str | None = None) -> Report:
    """What a check finds."""
    return asyncio.run(check(place, table))


def of_snapshots(report: Report) -> list[Finding]:
    """What was found, which is of snapshots alone."""
    assert {each.what for each in report.findings} <= {"snapshots"}
    return list(report.findings)


def in_hand(place: DatabaseUrl, work: Callable[[TableSnapshot], None]) -> None:
    """Do some work with the table's latest snapshot, as who has its secret could."""
    store = PostgresSnapshots(place.reveal())
    with closing(secrets_of(place)) as secrets, closing(store):
        secret = secrets.find(TABLE)
        assert secret is not None
        work(latest(store.table(TABLE, secret)))


def test_snapshots_that_are_right_are_counted_and_not_touched(log: DatabaseUrl) -> None:
    before = [asked(log, each) for each in (KEPT, HEADS)]
    assert len(before[0]) > 20
    report = checked(log)
    assert report.findings == ()
    assert report.checked["snapshots"] == 2
    assert checked(log, TABLE).checked["snapshots"] == 1
    assert [asked(log, each) for each in (KEPT, HEADS)] == before


def test_a_row_that_a_fold_does_not_come_to_is_a_fault_with_a_way_out(log: DatabaseUrl) -> None:
    def forged(kept: TableSnapshot) -> None:
        number = kept.rows.numbers("entry_rolls")[-1]
        body = kept.rows.read("entry_rolls", number)
        assert body is not None
        row = ("entry_rolls", number, body[:SIZE_BYTES] + pack(9))
        kept.rows.write([row], [row[:2]], kept.size)

    in_hand(log, forged)
    [found] = of_snapshots(checked(log))
    assert (found.kind, found.table, found.file) == ("fault", TABLE, f"snapshots in {log}")
    assert found.why.startswith("entry_rolls ")
    assert found.why.endswith(": a full fold comes to something else")
    assert found.way_out is not None
    statement, _, then = found.way_out.partition(": ")
    assert then == "it is made again"
    asked(log, statement)
    assert checked(log).findings == ()
    run_now(serving(log, lambda service: service.submit(TABLE, NARRATOR, mark(98))))
    report = checked(log)
    assert (report.findings, report.checked["snapshots"]) == ((), 2)


def test_a_row_that_somebody_changed_is_to_be_looked_at(log: DatabaseUrl) -> None:
    changed = "UPDATE urim_snapshots.rows SET body = body || '?'::bytea WHERE kind = 'entries'"
    asked(log, f"{changed} AND table_id = $1", TABLE)
    before = asked(log, KEPT)
    [found] = of_snapshots(checked(log))
    assert (found.kind, found.table) == ("look", TABLE)
    assert "is not what was written" in found.why
    assert asked(log, KEPT) == before


def test_it_is_the_snapshot_of_one_moment_while_others_write_the_next(log: DatabaseUrl) -> None:
    async def scenario(service: Service) -> list[Report]:
        async def play() -> None:
            for turn in range(40):
                await service.submit(TABLE, NARRATOR, noting(f"The note of turn {turn}."))

        playing = asyncio.create_task(play())
        reports = [await check(log)]
        while not playing.done():
            reports.append(await check(log))
        await playing
        return reports

    found: list[Report] = []

    async def work(service: Service) -> None:
        found.extend(await scenario(service))

    run_now(serving(log, work))
    assert [each.findings for each in found] == [()] * len(found)
    assert all(each.checked["snapshots"] == 2 for each in found)
    forms = "SELECT 1 FROM urim_snapshots.rows GROUP BY kind, number, table_id HAVING count(*) > 1"
    assert len(asked(log, forms)) > 1


def test_rows_are_copied_in_the_forms_that_the_copied_head_knows(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write three snapshots in between: the forms of the first are gone by then."""
    with closing(PostgresSnapshots(place.reveal())) as store, closing(Snapshots()) as copy:
        rows = store.table(TABLE, KEY)
        written(rows, 10, [("kind", 1, b"ten")])

        async def and_then_others(*given: Any) -> Any:
            found = await stored.head(*given)
            for size in (20, 30, 40):
                written(rows, size, [("kind", 1, f"{size}".encode())])
            return found

        monkeypatch.setattr(copying, "head", and_then_others)
        copy_snapshots(place, copy)
        found = copy.table(TABLE, KEY)
        assert (found.read(HEAD, 0), found.read("kind", 1)) == (b"10", b"ten")
        assert rows.read("kind", 1) == b"40"


def test_a_role_that_may_only_read_checks_them_too(log: DatabaseUrl) -> None:
    role = f"urim_reader_{token_hex(4)}"
    asked(log, f"CREATE ROLE {role} LOGIN")
    for schema in ("urim_log", "urim_secrets"):
        asked(log, f"GRANT USAGE ON SCHEMA {schema} TO {role}")
        asked(log, f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}")
    reader = DatabaseUrl(log.reveal().replace("//urim@", f"//{role}@"))
    [found] = of_snapshots(checked(reader))
    assert (found.kind, found.table) == ("look", None)
    assert found.why.startswith("they were not checked: ")
    assert "permission denied" in found.why
    asked(log, f"GRANT USAGE ON SCHEMA urim_snapshots TO {role}")
    asked(log, f"GRANT SELECT ON ALL TABLES IN SCHEMA urim_snapshots TO {role}")
    report = checked(reader)
    assert (report.findings, report.checked["snapshots"]) == ((), 2)


def test_what_no_service_uses_is_to_be_looked_at(log: DatabaseUrl) -> None:
    asked(log, "ALTER TABLE urim_snapshots.heads ADD COLUMN more integer")
    report = checked(log)
    [found] = of_snapshots(report)
    assert (found.kind, report.checked["snapshots"]) == ("look", 0)
    assert found.why.startswith("no service uses them: ")
    assert "column heads.more" in found.why
    assert found.way_out is not None
    asked(log, found.way_out.partition(",")[0])
    assert checked(log).findings == ()
