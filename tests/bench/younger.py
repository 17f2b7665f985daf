"""Snapshots of a table as it was a little while ago: what comes after them is folded from its log.

A table is opened through a snapshot that is half as old, in the mean, as one gets at most.
"""

import asyncio
from pathlib import Path
from typing import cast

from tests.bench.durable import OneSecret
from tests.bench.script import around
from urim.engine.service import Service
from urim.engine.snapshots import Snapshots
from urim.engine.snapshots.table import EVERY
from urim.events.entry import Entry
from urim.events.log.protocol import Commit
from urim.events.log.sqlite import SqliteLog

BEHIND = EVERY // 2
"""Entries behind a snapshot, in the mean."""


class Younger(SqliteLog):
    """A log as it was when its tables had fewer entries, to be read alone."""

    sizes: dict[str, int]

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        """The entries that were there."""
        found = await super().read(table, after, limit)
        return tuple(entry for entry in found if entry.seq < self._size(table))

    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        """The requests that were answered."""
        found = await super().requests(table, after, limit)
        return tuple(commit for commit in found if commit.start < self._size(table))

    def _size(self, table: str) -> int:
        return self.sizes[table]


def prepare(path: Path, sizes: dict[str, int]) -> None:
    """Write a snapshot of each table of a log as it had about so many entries, at least 200."""
    asyncio.run(_prepared(path, sizes))


async def _prepared(path: Path, sizes: dict[str, int]) -> None:
    log = await SqliteLog.open(path)
    whole = {table: await _between(log, table, size) for table, size in sizes.items()}
    await log.close()
    younger = cast(Younger, await Younger.open(path))
    younger.sizes = whole
    service = Service(
        younger,
        OneSecret(),
        memory=0,
        environments=lambda dice, secret: around(),
        snapshots=Snapshots.beside(path),
    )
    for table in whole:
        await service.state(table)
    await service.close()
    await younger.close()


async def _between(log: SqliteLog, table: str, size: int) -> int:
    """The size of the table between two commits, after about so many entries."""
    found = await log.read(table, size - 1, BEHIND)
    return next(entry.seq for entry in found if entry.commit == entry.seq)
