"""A log in PostgreSQL beside bare batched inserts, its wake-ups, and two drivers at its work."""

import asyncio
from functools import partial
from pathlib import Path

from tests.bench import drivers, measure, postgres
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.events.postgres.server import Databases, running

ON_DISK = Path("/tmp")  # noqa: S108 - where a server's user may go; memory would sync nothing
MANY = 4_096
"""Commits of a run, at most, spread over its tables."""


def rows(size: Size, _folder: Path) -> list[Row]:
    """The log at 1 table and more, how soon others hear, and the drivers."""
    with running(base=ON_DISK) as server:
        databases = Databases(server.url)
        found = [row for tables in size.postgres for row in _log(size, databases, tables)]
        found += _heard(size, databases)
        for tables in size.postgres:
            found += _drivers(size, asyncio.run(databases.new()), tables)
        return found + _cancelled(size, asyncio.run(databases.new()))


def _log(size: Size, databases: Databases, tables: int) -> list[Row]:
    turns = max(4, min(size.rolls, MANY // tables))
    ways: dict[str, measure.Way] = {
        "Urim's log": partial(postgres.log_alone, databases, tables, turns),
        "without wake-ups": partial(postgres.log_alone, databases, tables, turns, wake=False),
        "batched inserts alone": partial(postgres.bare, databases, tables, turns),
    }
    which = "one table" if tables == 1 else f"{tables} tables at once"
    return measure.rows(
        f"Commits on PostgreSQL, {which}",
        "commit",
        tables * turns,
        measure.in_turn(ways, min(size.rounds, 5)),
        aims={"batched inserts alone": 0.4, "without wake-ups": 0.9},
        more={"batched inserts alone": f"{tables} commits a transaction"},
    )


def _heard(size: Size, databases: Databases) -> list[Row]:
    turns = size.rolls
    ways: dict[str, measure.Way] = {
        "on another log": partial(postgres.heard, databases, turns, here=False),
        "on the log that writes": partial(postgres.heard, databases, turns, here=True),
    }
    return measure.rows(
        "A commit on PostgreSQL until a follower has it",
        "commit",
        turns,
        measure.in_turn(ways, min(size.rounds, 5)),
        aims={"on the log that writes": 1 / 3},
    )


def _drivers(size: Size, url: str, tables: int) -> list[Row]:
    turns = max(4, min(size.rolls, MANY // tables))

    def seconds(driver: drivers.Driver) -> float:
        return asyncio.run(drivers.batches(driver, url, tables, turns)).processor

    ways: dict[str, measure.Way] = {
        name: partial(seconds, driver) for name, driver in drivers.DRIVERS.items()
    }
    return measure.rows(
        f"Drivers for PostgreSQL, {tables} rows a statement, the processor's seconds",
        "row",
        tables * turns,
        measure.in_turn(ways, min(size.rounds, 5)),
    )


def _cancelled(size: Size, url: str) -> list[Row]:
    found = {
        name: asyncio.run(drivers.cancelled(driver, url, 24, max(1, size.rolls // 8)))
        for name, driver in drivers.DRIVERS.items()
    }
    return [
        Row(
            group="Drivers for PostgreSQL, 24 callers that give up, 4 connections",
            what=name,
            unit="caller",
            count=each.asked,
            each=(each.processor / max(1, each.asked),),
            more=f"{each.lost:,} of {each.asked:,} went on, {each.hung:,} hung",
        )
        for name, each in found.items()
    ]


def test_postgres(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
