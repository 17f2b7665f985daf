"""Another process that writes to a log, and reports on its standard output what it was answered.

    python -m tests.events.sqlite.child load PATH NAME BUILD [PAGES]    many writers, until it is
                                                                killed; PAGES between checkpoints
    python -m tests.events.sqlite.child write PATH NAME TURNS   so many commits, one after another
    python -m tests.events.sqlite.child fill PATH BYTES         until files may not grow, then on
    python -m tests.events.sqlite.child trace PATH SYNC         a scripted life, to be traced

Lines: `B` a transaction begins, `E` its COMMIT returned, `A TABLE WHO TURN START STOP` a commit was
acknowledged, `X TABLE SEQ` an erasure was, `F …` what failed.
"""

import asyncio
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

from tests.events.sqlite.runs import insist
from urim.engine.testing.log.harness import erasing
from urim.errors import Unavailable
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.writer import Job, Writer

TABLES = tuple(f"killed{n:02}" for n in range(12))
WRITERS = 16


def report(*words: object) -> None:
    """Write a line in one piece, past every buffer."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Telling(Writer):
    """Reports when a transaction begins and when it has ended."""

    def transact(self, batch: Sequence[Job]) -> list[object]:
        report("B")
        outcomes = super().transact(batch)
        report("E")
        return outcomes


class Hasty(Writer):
    """Acknowledges before COMMIT: the fault that the kills must find."""

    def transact(self, batch: Sequence[Job]) -> list[object]:
        report("B")
        self.connection.execute("BEGIN IMMEDIATE")
        for job in batch:
            super().settle([job], [job.work(self.connection)])
        time.sleep(3_600)  # a disk that is slow to take what COMMIT writes
        self.connection.execute("COMMIT")
        report("E")
        return []

    def settle(self, batch: Sequence[Job], outcomes: Sequence[object]) -> None:
        """It has answered everybody already."""


BUILDS: dict[str, type[Writer]] = {"telling": Telling, "hasty": Hasty}


async def acknowledged(
    log: SqliteLog, table: str, length: int, who: str, turn: int, known: int, filler: int = 0
) -> int:
    """Append, report it, and give the table's size."""
    start = await insist(log, table, length, who, turn, known=known, filler=filler)
    report("A", table, who, turn, start, start + length)
    return start + length


async def load(path: str, name: str, build: str, pages: str = "1000") -> None:
    """Write from many tasks to some tables until killed."""
    place = Place(Path(path), checkpoint=int(pages))
    log = await SqliteLog.open_at(place, writer=BUILDS[build])

    async def write(writer: int) -> None:
        turn, table = 0, TABLES[writer % len(TABLES)]
        size = len(await log.read(table))
        while True:
            length = 1 + (writer + turn) % 4
            size = await acknowledged(log, table, length, f"{name}-{writer}", turn, size)
            turn += 1

    await asyncio.gather(*map(write, range(WRITERS)))


async def write(path: str, name: str, turns: str) -> None:
    """Write some commits to the first table."""
    log = await SqliteLog.open(path)
    size = 0
    for turn in range(int(turns)):
        size = await acknowledged(log, TABLES[0], 1 + turn % 3, name, turn, size)
    await log.close()


async def fill(path: str, most: str) -> None:
    """Write until no file may grow beyond so many bytes, then let them grow, and write on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    log = await SqliteLog.open(path)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), hard))
    size, turn, failures = 0, 0, 0
    while failures < 3:
        try:
            size = await acknowledged(log, TABLES[0], 3, "fill", turn, size, filler=700)
            turn += 1
        except Unavailable as error:
            failures += 1
            report("F", error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    for later in range(turn, turn + 5):
        size = await acknowledged(log, TABLES[0], 3, "fill", later, size, filler=700)
    await log.close()


async def trace(path: str, synchronous: str) -> None:
    """Open, write, erase, close, open again, write: with many a checkpoint in between."""
    sizes = dict.fromkeys(TABLES, 0)
    turn = 0
    for life in range(3):
        log = await SqliteLog.open_at(Place(Path(path), synchronous=synchronous, checkpoint=12))
        for _ in range(20):
            table = TABLES[turn % 3]
            length, filler = 1 + turn % 3, turn * 37 % 1500
            sizes[table] = await acknowledged(
                log, table, length, "trace", turn, sizes[table], filler
            )
            turn += 1
        if life == 1:
            start = sizes[TABLES[0]]
            await log.append(TABLES[0], [erasing(start, 3, start)], start)
            sizes[TABLES[0]] = start + 1
            report("A", TABLES[0], "trace", turn, start, start + 1)
            await log.erase(TABLES[0], 3)
            report("X", TABLES[0], 3)
        await log.close()


if __name__ == "__main__":
    _, what, *words = sys.argv
    ways: dict[str, Callable[..., Coroutine[None, None, None]]] = {
        "load": load, "write": write, "fill": fill, "trace": trace,
    }  # fmt: skip
    asyncio.run(ways[what](*words))
