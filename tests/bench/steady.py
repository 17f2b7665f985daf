"""One table that is written to and read from all the time: memory and descriptors, as it goes on.

    URIM_COUNT=600 python -m tests.bench.steady

plays rolls at full speed for so many seconds, 600 unless given, at a table that begins with 10,000
entries: after each command something old is read, in turn an account, moves, what a dispute would
lead to, what waits, a subscription that is resumed; now and then an old entry gets a note, and a
roll is bundled. The bound is smaller than a server's, so that it is soon reached. It prints a line
for each tenth of the time.
"""

import asyncio
import gc
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.bench.bench_opening import TABLE, made
from tests.bench.load.run import held
from tests.bench.many import MIB, Peeking, Player, served
from tests.bench.measure import middle
from tests.bench.opening import resident
from tests.bench.report import duration
from tests.bench.script import STRIKER, TOAD
from urim.engine.core import commands as asked
from urim.events.log.protocol import CaughtUp
from urim.events.log.sqlite import SqliteLog

SECONDS = 600
ENTRIES = 10_000
ROOM = 32
"""MiB for the table and its rows."""

TENTHS = 10
NOTE = 50
"""A note and a bundle come after so many commands."""

BACK = 200
"""Entries that a subscription is resumed with, at most."""


class Sample(Struct, frozen=True):
    """What the process has at a moment; `files` are the bytes of both write-ahead logs."""

    at: float
    memory: int
    descriptors: int
    tasks: int
    entries: int
    files: int
    command: float


class Steady:
    """The table, who plays at it, and what was seen of the process."""

    def __init__(self, service: Peeking, path: Path) -> None:
        self.service = service
        self.samples: list[Sample] = []
        self.taken: list[float] = []
        self._path = path
        self._luck = Random(1)  # noqa: S311 - nothing secret
        self._player = Player(service, TABLE, count())
        self._reads: Sequence[Callable[[int], Awaitable[object]]] = (
            lambda roll: service.account(TABLE, TOAD, roll),
            lambda roll: service.moves(TABLE, STRIKER, roll),
            lambda roll: service.preview(TABLE, TOAD, _disputed(roll)),
            lambda roll: service.waiting(TABLE, STRIKER),
            self._resume,
        )

    async def run(self, seconds: float) -> None:
        """Play and read for so long, and look at the process about 200 times."""
        start, next_look = time.monotonic(), 0.0
        for turn in count():
            now = time.monotonic() - start
            if now >= next_look:
                self._look(now, (await self.service.peeked(TABLE)).opened.size)
                next_look += seconds / 200
            if now >= seconds:
                return
            await self._turn(turn)

    async def _turn(self, turn: int) -> None:
        before = time.perf_counter()
        await self._player.play()
        self.taken.append(time.perf_counter() - before)
        state = (await self.service.peeked(TABLE)).opened
        if turn % NOTE == 0:
            note = asked.worded(asked.Note(self._luck.randrange(state.size)), "It fell.")
            await self.service.submit(TABLE, STRIKER, note)
            await self._bundle(self._luck.randrange(1, state.next_roll))
        roll = self._luck.randrange(1, state.next_roll)
        await self._reads[turn % len(self._reads)](roll)

    async def _bundle(self, roll: int) -> None:
        async for _ in await self.service.bundle(TABLE, TOAD, roll):
            pass

    async def _resume(self, roll: int) -> None:
        size = (await self.service.peeked(TABLE)).opened.size
        after = size - 1 - self._luck.randrange(BACK)
        async with aclosing(self.service.subscribe(TABLE, TOAD, after)) as messages:
            async for message in messages:
                if isinstance(message, CaughtUp):
                    return

    def _look(self, now: float, entries: int) -> None:
        taken, self.taken = self.taken, []
        kept, beside = held(), f"{self._path.name}.snapshots"
        files = (self._path.with_name(f"{name}-wal") for name in (self._path.name, beside))
        sizes = sum(file.stat().st_size for file in files if file.exists())
        command = middle(taken) if taken else 0.0
        memory = resident("VmRSS")
        self.samples.append(
            Sample(now, memory, kept.descriptors, kept.tasks, entries, sizes, command)
        )


def _disputed(roll: int) -> asked.AnyCommand:
    plain, _ = asked.apart(asked.worded(asked.Dispute(roll), "It fell."))
    return plain


async def steady(path: Path, seconds: float) -> list[Sample]:
    """Play at the table of a log for so many seconds."""
    log = await SqliteLog.open(path)
    service = served(log, path, ROOM)
    found = Steady(service, path)
    await service.state(TABLE)
    gc.collect()
    await found.run(seconds)
    await service.close()
    await log.close()
    return found.samples


def lines(samples: Sequence[Sample], seconds: float) -> list[str]:
    """A line for each tenth of the time, medians."""
    tenths = [[s for s in samples if int(s.at * TENTHS / seconds) == at] for at in range(TENTHS)]
    return [_line(tenth) for tenth in tenths if tenth]


def _line(tenth: Sequence[Sample]) -> str:
    last = tenth[-1]
    return (
        f"{last.at:5.0f} s: {middle([s.memory for s in tenth]) / MIB:.1f} MiB, "
        f"{middle([s.descriptors for s in tenth]):.0f} descriptors, "
        f"{middle([s.tasks for s in tenth]):.0f} tasks, {last.entries:,} entries, "
        f"{last.files >> 10:,} KiB write-ahead, "
        f"{duration(middle([s.command for s in tenth]) or 1e-9)} a command"
    )


def main() -> None:
    """Do it, and say what was seen."""
    seconds = float(os.environ.get("URIM_COUNT", SECONDS))
    with TemporaryDirectory() as folder:
        path = made(ENTRIES, Path(folder))
        found = asyncio.run(steady(path, seconds))
    sys.stdout.write("\n".join([*lines(found, seconds), ""]))


if __name__ == "__main__":
    main()
