"""Services in processes of their own on one database: what their commands take, and who hears.

    python -m tests.bench.services play URL TABLES ROLLS FIRST STEP PLAYERS
    python -m tests.bench.services hear URL TURNS

`play` plays so many recorded rolls at every STEP-th of the tables from the FIRST on, for both
players ("01") or one of them: a player whose turn it is has heard all that came before. It prints
the processor's seconds. `hear` prints when it had each entry of the first table. Both write `R`
once they are ready; `play` then waits for a line.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import NamedTuple

from msgspec import json

from tests.bench.durable import OneSecret
from tests.bench.many import PLENTY
from tests.bench.postgres import ids
from tests.bench.script import STRIKER, TOAD, Script, around, script
from tests.events.postgres.server import Databases
from tests.tree import ROOT
from urim.engine.service import Service
from urim.engine.service.feed import Commit, Subscription
from urim.engine.testing.log.harness import commit
from urim.events.entry import Entry
from urim.events.log.postgres import PostgresLog
from urim.events.log.protocol import Appended, CaughtUp

SEATS = (STRIKER, TOAD)

PAUSE = 0.01
"""Seconds between commits of which it is measured when they are heard."""


class Share(NamedTuple):
    """What one of the services does: its tables, and whose players are at it."""

    first: int
    step: int
    players: str


ONE = (Share(0, 1, "01"),)
"""All at one service."""

APART = (Share(0, 2, "01"), Share(1, 2, "01"))
"""Two services, each table at one of them."""

ACROSS = (Share(0, 1, "0"), Share(0, 1, "1"))
"""Two services, and the two players of each table at different ones."""


def steps(tables: int, rolls: int) -> int:
    """How many commands so many rolls at each of so many tables are."""
    return sum(len(script(id, rolls).steps) for id in ids(tables))


def processor(databases: Databases, tables: int, rolls: int, shares: Sequence[Share]) -> float:
    """The processor's seconds of all services that play so; those of the database are not in it."""
    url = asyncio.run(databases.log())
    asyncio.run(_open(url, tables))
    children = [_child("play", url, tables, rolls, *share) for share in shares]
    for each in children:
        _ready(each)
    found = [_input(each) for each in children]
    return sum(float(_output(each)) for each in found)


def heard(databases: Databases, turns: int) -> tuple[float, float]:
    """Seconds from an append to the entry at a follower here, and in another process: medians."""
    url = asyncio.run(databases.log())
    with _child("hear", url, turns) as other:
        _ready(other)
        starts, here = asyncio.run(_told(url, turns))
        there: list[float] = json.decode(_output(other), type=list[float])
    return (
        statistics.median(b - a for a, b in zip(starts, here, strict=True)),
        statistics.median(b - a for a, b in zip(starts, there, strict=True)),
    )


async def _open(url: str, tables: int) -> None:
    """Write the commits that open the tables."""
    log = await PostgresLog.open(url)

    async def opened(id: str) -> None:
        found = script(id, 0)
        for each in found.commits:
            answer = await log.append(id, each.entries, each.expected, each.request)
            assert isinstance(answer, Appended)

    await asyncio.gather(*map(opened, ids(tables)))
    await log.close()


async def _told(url: str, turns: int) -> tuple[list[float], list[float]]:
    """When each commit was asked for, and when a follower on the same log had it."""
    log = await PostgresLog.open(url)
    starts, there = list[float](), list[float]()
    async with aclosing(log.follow(ids(1)[0])) as followed:
        assert await anext(followed) == CaughtUp(0)
        for seq in range(turns):
            starts.append(time.monotonic())
            waiting = asyncio.ensure_future(anext(followed))
            await log.append(ids(1)[0], commit(seq), seq)
            await waiting
            there.append(time.monotonic())
            await asyncio.sleep(PAUSE)
    await log.close()
    return starts, there


# --- the processes --------------------------------------------------------------------------------


def _child(*words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.bench.services", *map(str, words)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    found: subprocess.Popen[str] = subprocess.Popen(command, cwd=ROOT, **pipes)  # type: ignore[call-overload]
    return found


def _ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "R\n"


def _input(process: "subprocess.Popen[str]") -> "subprocess.Popen[str]":
    """Let it begin."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process


def _output(process: "subprocess.Popen[str]") -> str:
    """What it says at its end."""
    found = process.communicate()[0]
    assert process.returncode == 0
    return found


async def play(url: str, tables: str, rolls: str, first: str, step: str, players: str) -> None:
    """Play as a part of the players, at a part of the tables."""
    log = await PostgresLog.open(url)
    service = Service(log, OneSecret(), environments=lambda dice, secret: around(), budgets=PLENTY)
    scripts = [script(id, int(rolls)) for id in ids(int(tables))[int(first) :: int(step)]]
    playing = [(each, int(who)) for each in scripts for who in players]
    messages = [service.subscribe(each.table, SEATS[who]) for each, who in playing]
    await asyncio.gather(*map(_caught_up, messages))
    print("R", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    start = time.process_time()
    await asyncio.gather(
        *(_played(service, *each, heard) for each, heard in zip(playing, messages, strict=True))
    )
    print(time.process_time() - start, flush=True)
    os._exit(0)  # nothing after it is measured


async def _caught_up(messages: Subscription) -> None:
    while not isinstance(await anext(messages), CaughtUp):
        pass


async def _played(service: Service, asked: Script, who: int, messages: Subscription) -> None:
    """Do every second command of a table, each once all before it were heard here."""
    seen = 0
    for turn, (step, kept) in enumerate(zip(asked.steps, asked.played, strict=True)):
        if turn % len(SEATS) != who:
            continue
        while seen < kept.expected and turn:
            message = await anext(messages)
            seen = message.size if isinstance(message, Commit) else seen
        await service.submit(asked.table, step.seat, step.command, step.request)
    while seen < len(asked.entries):
        message = await anext(messages)
        seen = message.size if isinstance(message, Commit) else seen


async def hear(url: str, turns: str) -> None:
    """Follow the first table, and say when each of its entries came."""
    log = await PostgresLog.open(url)
    came: list[float] = []
    async with aclosing(log.follow(ids(1)[0])) as followed:
        assert await anext(followed) == CaughtUp(0)
        print("R", flush=True)
        async for item in followed:
            came += [time.monotonic()] if isinstance(item, Entry) else []
            if len(came) == int(turns):
                break
    await log.close()
    print(json.encode(came).decode())


if __name__ == "__main__":
    _, what, *given = sys.argv
    ways: dict[str, Callable[..., Coroutine[None, None, None]]] = {"play": play, "hear": hear}
    asyncio.run(ways[what](*given))
