"""Another process with a service, which reports what it was answered.

    python -m tests.engine.service.child live FOLDER STEP …    these steps of a life; see `life`
    python -m tests.engine.service.child race FOLDER NAME      races that its standard input starts
    python -m tests.engine.service.child busy FOLDER           commits, until it is killed

Lines: `S STEP` a step begins, `A STEP PART WORD` a part of it was answered, `F …` what failed in
words, `E STEP` the step has ended, and everything is closed. Of a race: `A WHAT WORD` what was
answered, `R WHAT CODE` what was refused, `U WHAT` what could not be done now, `E` it is over.
Of a busy one: `A busy SIZE` so many entries were acknowledged.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from itertools import count
from pathlib import Path

from tests.engine.helpers.stages.heads import NEVER
from tests.engine.helpers.stages.service import TABLE, mark
from tests.engine.service.life import DATABASE, LIFE
from tests.engine.service.races import RACES
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.errors import Refused, Unavailable, UrimError
from urim.events.log.sqlite import SqliteLog

TWICE = 2
"""How often something may fail, before nothing more of a step is asked for."""


def report(*words: object) -> None:
    """Write a line in one piece, past every buffer: by a call that nothing else here uses."""
    os.writev(1, [(" ".join(map(str, words)) + "\n").encode()])


async def live(folder: str, *steps: str) -> None:
    """Live some steps; one of which a part fails twice is left."""
    for step in steps:
        report("S", step)
        try:
            log = await SqliteLog.open(Path(folder) / DATABASE)
        except UrimError as error:
            report("F", type(error).__name__, error)
            continue
        service = Service(log, FileSecrets.beside(Path(folder) / DATABASE), sign_every=NEVER)
        left = TWICE
        for number, part in enumerate(LIFE[step]):
            while left:
                try:
                    report("A", step, number, await part(service))
                except UrimError as error:
                    report("F", type(error).__name__, error)
                    left -= 1
                else:
                    break
        await service.close()
        await log.close()
        report("E", step)


async def race(folder: str, name: str) -> None:
    """Do what each line says, `STEP TABLE MODE`, as soon as it is read."""
    log = await SqliteLog.open(Path(folder) / DATABASE, poll=0.01)
    service = Service(log, FileSecrets.beside(Path(folder) / DATABASE), sign_every=NEVER)
    report("E")
    while line := await asyncio.to_thread(sys.stdin.readline):
        step, table, mode = line.split()
        for what, part in RACES[step](table, name, mode):
            try:
                report("A", what, await part(service))
            except Refused as refused:
                report("R", what, refused.code)
            except Unavailable:
                report("U", what)
        report("E")
    await service.close()
    await log.close()


async def busy(folder: str) -> None:
    """Play on at a table until killed, signing its head every now and then."""
    log = await SqliteLog.open(Path(folder) / DATABASE)
    service = Service(log, FileSecrets.beside(Path(folder) / DATABASE), sign_every=0.1)
    for turn in count():
        entries = await service.submit(TABLE, NARRATOR, mark(turn), f"busy-{turn}")
        report("A", "busy", entries[-1].seq + 1)


if __name__ == "__main__":
    _, what, *words = sys.argv
    ways: dict[str, Callable[..., Coroutine[None, None, None]]] = {
        "live": live, "race": race, "busy": busy,
    }  # fmt: skip
    asyncio.run(ways[what](*words))
