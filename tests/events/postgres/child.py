"""Another process that writes to a log, and reports on its standard output what it was answered.

    python -m tests.events.postgres.child load URL NAME          many writers, until it is killed
    python -m tests.events.postgres.child race URL NAME TURNS    so many commits to one table

Lines: `R` it is ready (and waits for a line), `A TABLE WHO TURN START STOP` a commit was
acknowledged, `C PLACE` one had a conflict at that place.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine

from tests.events.sqlite.runs import insist, signed
from urim.events.log.postgres import PostgresLog
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


if __name__ == "__main__":
    _, what, *words = sys.argv
    ways: dict[str, Callable[..., Coroutine[None, None, None]]] = {"load": load, "race": race}
    asyncio.run(ways[what](*words))
