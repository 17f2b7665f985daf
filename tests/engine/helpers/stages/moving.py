"""What the tests of copies share: a table in which much has happened, and how it goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from tests.engine.helpers.stages.epochs import thrown
from tests.engine.helpers.stages.heads import served
from tests.engine.helpers.stages.service import TABLE, declare, mark, noting, seated
from tests.events.sqlite.runs import kept_in
from urim.engine.core.commands import Erase
from urim.engine.service import Service
from urim.errors import Refused
from urim.events.entry import withhold
from urim.events.log.protocol import EventLog
from urim.events.log.sqlite import SqliteLog

T = TypeVar("T")

SECOND = "table002"

TEXT = "a word that nobody is to find"
"""What is written in the table, and erased."""


async def eventful(service: Service, table: str = TABLE, epochs: int = 2) -> None:
    """A fair table with requests, a hidden roll, an erased text, several epochs, signed heads."""
    await seated(service, table, "fair")
    await service.submit(table, "p1", declare(), "a")
    if table == TABLE:
        await thrown(service, request="b")
    await service.checkpoint(table)
    await service.submit(table, "p1", declare("gm"), "c")
    noted = await service.submit(table, "p1", noting(TEXT), "d")
    await service.submit(table, "p1", noting("stays"), "e")
    for _ in range(epochs):
        await service.begin_epoch(table, restored=True)
    await service.submit(table, "p1", Erase(noted[-1].seq), "f")
    await service.submit(table, "p1", declare(), "g")
    await service.checkpoint(table)


async def more(service: Service, table: str = TABLE) -> None:
    """What happens later: marks and notes, and a head."""
    for value in (1, 2):
        await service.submit(table, "narrator", mark(value))
        await service.submit(table, "p1", noting("later"))
    await service.checkpoint(table)


def played(folder: Path, name: str = "from.db") -> Path:
    """A database with two such tables, which nobody has open."""
    path = folder / name

    async def work(service: Service) -> None:
        await eventful(service)
        await eventful(service, SECOND, epochs=0)

    served(path, work)
    return path


async def prefix(source: EventLog, target: EventLog, table: str = TABLE) -> int:
    """The size of a copy, after it was seen to be how the table begins, whole commits alone."""
    whole, copied = await source.read(table), await target.read(table)
    for entry, other in zip(whole, copied, strict=False):
        assert withhold(entry) == withhold(other)
    size = len(copied)
    assert size == len(whole) or whole[size].commit == size
    commits = [each for each in await source.requests(table) if each.stop <= size]
    assert list(await target.requests(table)) == commits
    return size


def on_both(path: Path, other: Path, work: Callable[[EventLog, EventLog], Awaitable[T]]) -> T:
    """Run some work on the logs in two files, which are only read."""

    async def run() -> T:
        logs = [await SqliteLog.open_reading(path), await SqliteLog.open_reading(other)]
        try:
            return await work(logs[0], logs[1])
        finally:
            for log in logs:
                await log.close()

    return asyncio.run(run())


def sizes(path: Path, other: Path) -> dict[str, int]:
    """How much of each table is in a copy; it is seen to be how the table begins.

    A copy that was cut short before it was a log holds nothing.
    """

    async def work(log: EventLog, copy: EventLog) -> dict[str, int]:
        return {id: await prefix(log, copy, id) for id in await copy.tables()}

    try:
        return on_both(path, other, work)
    except Refused as error:
        if "holds nothing yet" not in error.why:
            raise
    return {}


def alike(path: Path, other: Path) -> None:
    """Fails unless two files hold the same tables."""

    async def work(log: EventLog, copy: EventLog) -> None:
        assert await log.tables() == await copy.tables()
        for id in await log.tables():
            assert await log.read(id) == await copy.read(id)
            assert await log.requests(id) == await copy.requests(id)
            assert await log.heads(id) == await copy.heads(id)

    on_both(path, other, work)
    kept_in(other)


async def plays_on(service: Service) -> None:
    """The table is served, and goes on."""
    assert await service.submit(TABLE, "narrator", mark())
    await service.checkpoint(TABLE)
