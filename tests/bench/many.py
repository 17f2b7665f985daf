"""Many tables in turn, in a process of its own, beside one table alone; prints what they took.

    python -m tests.bench.many FILE ROUNDS MIB

plays rolls at all tables of a file, through the snapshots beside it, under a bound of so many MiB,
half for tables and half for rows, as a server does. In each round every table has one command; then
the last table has as many. Processor time, snapshots written in between too.
"""

import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path

from msgspec import Struct, json

from tests.bench import durable, script
from tests.bench.durable import OneSecret
from tests.bench.opening import resident
from tests.tree import ROOT
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate
from urim.engine.service import Service
from urim.engine.service.budgets import Budgets
from urim.engine.snapshots import Snapshots
from urim.events.log.sqlite import SqliteLog

PLENTY = Budgets(log_bytes=1 << 40, texts=1 << 40, pace=1 << 40)
"""Budgets that no benchmark meets."""

MIB = 1024 * 1024


class Taken(Struct, frozen=True):
    """Processor seconds: of all openings, and of each round, in turn and alone; bytes of memory.

    `before` is what the process had before it opened anything, `opened` its peak when all tables
    had been opened, `peak` at the end; `loaded` is how many tables were in memory at the end.
    """

    openings: float
    in_turn: tuple[float, ...]
    alone: tuple[float, ...]
    before: int
    opened: int
    peak: int
    loaded: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The bytes of memory, in their order."""
        return self.before, self.opened, self.peak


def measured(path: Path, rounds: int, mib: int) -> Taken:
    """Play so many rounds in a fresh process."""
    command = [sys.executable, "-m", "tests.bench.many", str(path), str(rounds), str(mib)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return json.decode(done.stdout, type=Taken)


async def fill(path: Path, tables: Sequence[str], entries: int) -> None:
    """Write a log of tables of at least so many entries: all rolls are those of the first."""
    first = list(script.commits(tables[0], entries))
    for table in tables:
        opening = list(script.commits(table, 0))
        await durable.fill(path, table, (*opening, *first[len(opening) :]))


class Peeking(Service):
    """A service whose tables can be looked at where they are in memory."""

    async def peeked(self, table: str) -> Aggregate:
        """The table, from its log only where it is not in memory."""
        known = self._cache.loaded(table)
        return known.aggregate if known is not None else await self.aggregate(table)


def served(log: SqliteLog, path: Path, mib: int) -> Peeking:
    """A service as a server has it."""
    half = mib * MIB // 2
    return Peeking(
        log,
        OneSecret(),
        memory=half,
        environments=lambda dice, secret: script.around(),
        budgets=PLENTY,
        snapshots=Snapshots.beside(path, half),
    )


class Player:
    """Plays rolls at one table, a command at a time."""

    def __init__(self, service: Peeking, table: str, requests: Iterator[int]) -> None:
        self.service = service
        self.table = table
        self.number = 0
        self._requests = requests

    async def play(self) -> None:
        """The next command of the roll, or the first one of the next roll."""
        step = await self._next()
        await self.service.submit(self.table, *step, f"again{next(self._requests)}")

    async def _next(self) -> tuple[str, asked.AnyCommand]:
        state = (await self.service.peeked(self.table)).opened
        roll = state.rolls.get(self.number)
        if roll is not None and roll.state == "declared":
            return script.TOAD, asked.React(self.number, "c2", script.ANSWER)
        nonce = sha256(str(self.number).encode()).hexdigest()
        step = None if roll is None else script.next_step(state, roll, nonce)
        if step is None:
            self.number = state.next_roll
            return script.STRIKER, asked.Declare("c1", script.STRIKE)
        return step


async def _played(path: Path, rounds: int, mib: int) -> Taken:
    gc.collect()
    before = resident("VmRSS")
    log = await SqliteLog.open(path)
    service = served(log, path, mib)
    start = time.process_time()
    tables = await service.tables()
    for table in tables:
        await service.state(table)
    openings, opened = time.process_time() - start, resident("VmHWM")
    requests = count()
    *players, single = (Player(service, table, requests) for table in tables)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for seconds, turns in zip(found, (players, [single] * len(players)), strict=True):
            start = time.process_time()
            for player in turns:
                await player.play()
            seconds.append(time.process_time() - start)
    loaded = service.loaded
    await service.close()
    await log.close()
    in_turn, alone = (tuple(seconds[1:]) for seconds in found)
    return Taken(openings, in_turn, alone, before, opened, resident("VmHWM"), loaded)


def main() -> None:
    """Play, and say what it took."""
    path, rounds, mib = sys.argv[1:]
    found = asyncio.run(_played(Path(path), int(rounds), int(mib)))
    sys.stdout.buffer.write(json.encode(found))


if __name__ == "__main__":
    main()
