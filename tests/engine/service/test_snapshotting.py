"""Snapshots of a service: written though there is no room, and what comes after them counted."""

import asyncio
from pathlib import Path

from tests.bench.durable import OneSecret, fill
from tests.bench.script import SECRET, STRIKE, STRIKER, around, commits
from tests.bench.younger import BEHIND, prepare
from urim.engine.core.commands import Declare
from urim.engine.service import Service
from urim.engine.service.budgets import Budgets
from urim.engine.snapshots import Snapshots
from urim.engine.snapshots.table import EVERY, latest
from urim.events.log.memory import MemoryLog
from urim.events.log.sqlite import SqliteLog

TABLE = "mytable1"


def test_a_table_is_in_memory_until_its_snapshot_is_written(tmp_path: Path) -> None:
    path = tmp_path / "snapshots"
    size = asyncio.run(looked_at(path, memory=0))
    snapshots = Snapshots(path)
    assert latest(snapshots.table(TABLE, SECRET)).size == size >= EVERY
    snapshots.close()


async def looked_at(path: Path, memory: int) -> int:
    """The size of a table that was looked at once, by a service that was closed at once."""
    log = MemoryLog()
    for commit in commits(TABLE, EVERY):
        await log.append(TABLE, commit.entries, commit.expected, commit.request)
    service = Service(
        log,
        OneSecret(),
        memory=memory,
        environments=lambda dice, secret: around(),
        snapshots=Snapshots(path),
    )
    size = (await service.state(TABLE)).size
    await service.close()
    return size


def test_what_comes_after_a_snapshot_counts_at_its_age(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    asyncio.run(fill(path, TABLE, commits(TABLE, EVERY + BEHIND)))
    prepare(path, {TABLE: EVERY})
    asyncio.run(went_on(path))


async def went_on(path: Path) -> None:
    """Everything was written long ago: a budget for an hour has room for one command more."""
    log = await SqliteLog.open(path)
    service = Service(
        log,
        OneSecret(),
        environments=lambda dice, secret: around(),
        budgets=Budgets(log_bytes=1),
        snapshots=Snapshots.beside(path),
    )
    assert await service.submit(TABLE, STRIKER, Declare("c1", STRIKE))
    await service.close()
    await log.close()
