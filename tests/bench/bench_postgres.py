"""A log in PostgreSQL beside bare batched inserts, its wake-ups, two services, two drivers."""

import asyncio
from functools import partial
from pathlib import Path

from tests.bench import drivers, measure, postgres, services
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.events.postgres.server import Databases, running

ON_DISK = Path("/tmp")  # noqa: S108 - where a server's user may go; memory would sync nothing
MANY = 4_096
"""Commits of a run, at most, spread over its tables."""

ROLLS = 256
"""Rolls of a run of services, at most, spread over their tables: one a table at least."""

SERVICES = 1 / 1.15
"""Two services may take 1.15 times the processor of one."""

HEARD = ("in another process", "on the log that writes")


def rows(size: Size, _folder: Path) -> list[Row]:
    """The log at 1 table and more, how soon others hear, and the drivers."""
    with running(base=ON_DISK) as server:
        databases = Databases(server.url)
        found = [row for tables in size.postgres for row in _log(size, databases, tables)]
        found += _heard(size, databases)
        for tables in size.postgres:
            found += _services(size, databases, tables)
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
    services.heard(databases, size.rolls)  # one round that does not count
    rounds = [services.heard(databases, size.rolls) for _ in range(min(size.rounds, 5))]
    here, there = zip(*rounds, strict=True)
    return measure.rows(
        "A commit on PostgreSQL until a follower has it, median",
        "commit",
        1,
        dict(zip(HEARD, (there, here), strict=True)),
        aims={"on the log that writes": 1 / 3},
        more=dict.fromkeys(HEARD, f"{size.rolls} commits a round"),
    )


def _services(size: Size, databases: Databases, tables: int) -> list[Row]:
    """Two services beside one: each table at one of them, or its players at both."""
    rolls = max(1, min(size.rolls_alone, ROLLS // tables))
    shares = {"one": services.ONE, "its players at both": services.ACROSS}
    if tables > 1:
        shares["each at one of them"] = services.APART
    ways: dict[str, measure.Way] = {
        what: partial(services.processor, databases, tables, rolls, each)
        for what, each in shares.items()
    }
    one, *two = measure.in_turn(ways, min(size.rounds, 3)).items()
    which = "one table" if tables == 1 else f"{tables} tables"
    return [
        row
        for what, taken in two
        for row in measure.rows(
            f"Services on PostgreSQL, {which}, {what}, the processor's seconds",
            "command",
            services.steps(tables, rolls),
            {"two services": taken, "one service": one[1]},
            aims={"one service": SERVICES},
        )
    ]


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
