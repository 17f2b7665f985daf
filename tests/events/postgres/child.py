"""Another process that writes to a log, and reports on its standard output what it was answered.

    python -m tests.events.postgres.child load URL NAME          many writers, until it is killed
    python -m tests.events.postgres.child race URL NAME TURNS    so many commits to one table
    python -m tests.events.postgres.child power FOLDER NAME      a server and writers, to be traced

Lines: `P NAME` a phase begins, `R` it is ready (and waits for a line), `A TABLE WHO TURN START
STOP` a commit was acknowledged, `C PLACE` one had a conflict at that place.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import asyncpg

from tests.events.postgres.server import PATIENCE, Server, binaries
from tests.events.sqlite.runs import insist, signed
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import Place
from urim.events.log.protocol import Appended, Conflict

TABLES = tuple(f"killed{n:02}" for n in range(6))
WRITERS = 12


def report(*words: object) -> None:
    """Write a line in one piece, past every buffer."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def load(url: str, name: str) -> None:
    """Write from many tasks to some tables until killed."""
    log = await PostgresLog.open(url)

    async def write(writer: int) -> None:
        turn, table = 0, TABLES[writer % len(TABLES)]
        size = len(await log.read(table))
        while True:
            length = 1 + (writer + turn) % 4
            who = f"{name}-{writer}"
            start = await insist(log, table, length, who, turn, known=size)
            size = start + length
            report("A", table, who, turn, start, size)
            turn += 1

    await asyncio.gather(*map(write, range(WRITERS)))


async def race(url: str, name: str, turns: str) -> None:
    """Fight for every place of the first table, and report every fight."""
    log = await PostgresLog.open(url)
    report("R")
    await asyncio.to_thread(sys.stdin.readline)
    start = 0
    for turn in range(int(turns)):
        while True:
            result = await log.append(TABLES[0], signed(start, 1, name, turn), start)
            if isinstance(result, Appended):
                report("A", TABLES[0], name, turn, start, start + 1)
                start += 1
                break
            assert isinstance(result, Conflict)
            report("C", start)
            start += len(result.missed)
    await log.close()


POWER = (
    # So little that pages are written, and the log's parts used again, in the midst of it all.
    "shared_buffers=256kB",
    "max_wal_size=4MB",
    "min_wal_size=2MB",
    # When it comes would be chance; a VACUUM is asked for.
    "autovacuum=off",
    # What commits leave to others is left for long.
    "wal_writer_delay=10s",
    "wal_writer_flush_after=1GB",
)
"""Settings of a server whose power fails."""


class Phase(NamedTuple):
    """A part of a traced life.

    `before` is asked of the server first, then `turns` of each writer; after each turn of the
    first one it is asked the next of `beside`.
    """

    turns: int
    before: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    lax: tuple[str, ...] = ()
    settings: Mapping[str, str] = MappingProxyType({})


USED_AGAIN = ("SELECT pg_switch_wal()", "CHECKPOINT")
"""Fills a part of the write-ahead log, and gives one that is no longer needed a later name."""

PHASES = {
    "full": Phase(
        turns=16,
        beside=(*USED_AGAIN * 3, "VACUUM urim_log.tables, urim_log.entries", *USED_AGAIN * 3),
    ),
    "hasty": Phase(turns=6, lax=("synchronous_commit",), settings={"synchronous_commit": "off"}),
    "torn": Phase(
        turns=12,
        before=(
            "ALTER SYSTEM SET full_page_writes = off",
            "SELECT pg_reload_conf()",
            "CHECKPOINT",
        ),
        lax=("full_page_writes",),
    ),
}
"""As a log is; without a sync at every commit; without the pages that mend torn ones."""


async def lived(url: str, name: str) -> None:
    """One phase: writers on some tables, and what a server does in time."""
    phase = PHASES[name]
    server = await asyncpg.connect(url)
    for statement in phase.before:
        await server.execute(statement)
    place = Place(url, lax=phase.lax, settings=dict(phase.settings))
    log = await PostgresLog.open_at(place)

    async def write(writer: int) -> None:
        table = TABLES[writer % len(TABLES)]
        size = len(await log.read(table))
        for turn in range(phase.turns):
            length, filler = 1 + (writer + turn) % 4, (writer + turn) * 397 % 3_000
            who = f"{name}-{writer}"
            start = await insist(log, table, length, who, turn, known=size, filler=filler)
            size = start + length
            report("A", table, who, turn, start, size)
            if writer == 0 and turn < len(phase.beside):
                await server.execute(phase.beside[turn])

    report("P", name)
    await asyncio.gather(*map(write, range(WRITERS)))
    await log.close()
    await server.close()


async def power(folder: str, database: str) -> None:
    """Start the server in a folder, and live all phases."""
    programs = binaries()
    assert programs is not None
    server = Server(programs, POWER, folder=Path(folder))
    try:
        await asyncio.to_thread(server.start)
        async with asyncio.timeout(PATIENCE):
            for name in PHASES:
                await lived(server.url_of(database), name)
            report("P", "end")
    finally:
        await asyncio.to_thread(server.stop)  # a kill would leave its shared memory


if __name__ == "__main__":
    _, what, *words = sys.argv
    ways: dict[str, Callable[..., Coroutine[None, None, None]]] = {
        "load": load, "race": race, "power": power,
    }  # fmt: skip
    asyncio.run(ways[what](*words))
