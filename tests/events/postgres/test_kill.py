"""A server or a writer killed at any instant loses nothing acknowledged, and halves no commit."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing

import asyncpg
import pytest

from tests.events.postgres.child import TABLES
from tests.events.postgres.runs import asked, child, kept_in, on_log
from tests.events.postgres.server import Databases, Server, run_now, running
from tests.events.sqlite.runs import chance, commits_of, insist
from urim.errors import Unavailable
from urim.events.entry import Entry
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import Place
from urim.events.log.protocol import CaughtUp

pytestmark = pytest.mark.slow

Promise = tuple[str, str, int]
"""Table, who and turn of a commit that was acknowledged."""


def database_on(server: Server) -> str:
    """A new database with nothing in it."""
    return run_now(Databases(server.url).new())


async def write(log: PostgresLog, writer: int, done: asyncio.Event) -> list[Promise]:
    """Append under requests until `done`, whatever fails meanwhile; what was acknowledged."""
    table, who, promised, size = TABLES[writer % len(TABLES)], f"w{writer}", list[Promise](), 0
    while not done.is_set():
        turn = len(promised)
        size = await asked(log, table, who, turn, 1 + turn % 3, size)
        promised.append((table, who, turn))
    return promised


async def hear(log: PostgresLog, table: str, heard: list[Entry]) -> None:
    """Follow a table for ever."""
    async with aclosing(log.follow(table)) as followed:
        async for item in followed:
            heard += [item] if isinstance(item, Entry) else []


END: dict[str, Callable[[Server], None]] = {"killed": Server.kill, "immediate": Server.stop}
"""SIGKILL to all its processes, or PostgreSQL's own immediate mode."""


async def killed(
    server: Server, url: str, kills: int, luck: Callable[[], float], end: Callable[[Server], None]
) -> tuple[list[Promise], dict[str, list[Entry]]]:
    """End a server again and again under load; what was promised, and what followers heard."""
    log, other = await PostgresLog.open(url), await PostgresLog.open(url, poll=0.1)
    done = asyncio.Event()
    heard: dict[str, list[Entry]] = {table: [] for table in TABLES}
    hearing = [asyncio.create_task(hear(other, table, heard[table])) for table in TABLES]
    writing = [asyncio.create_task(write(log, writer, done)) for writer in range(8)]
    for _ in range(kills):
        await asyncio.sleep(0.05 + luck() * 0.2)
        await asyncio.to_thread(end, server)
        await asyncio.sleep(luck() * 0.1)
        await asyncio.to_thread(server.start)
    await asyncio.sleep(0.1)
    done.set()
    promised = [each for some in await asyncio.gather(*writing) for each in some]
    sizes = {table: len(await log.read(table)) for table in TABLES}
    async with asyncio.timeout(30):
        while any(len(heard[table]) < sizes[table] for table in TABLES):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    for task in hearing:
        task.cancel()
    await asyncio.gather(*hearing, return_exceptions=True)
    await log.close()
    await other.close()
    return promised, heard


@pytest.mark.prove
@pytest.mark.parametrize("how", END)
def test_no_end_of_the_server_loses_doubles_or_halves_a_commit(
    how: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    kills = max(2, count // 10)
    with running() as server:
        url = database_on(server)
        luck = chance("server", seed)
        promised, heard = asyncio.run(killed(server, url, kills, luck.random, END[how]))
        kept = kept_in(url)
    found = Counter(
        (table, who, turn) for table in kept for who, turn, _, _ in commits_of(kept[table])
    )
    assert set(found.values()) == {1}, "a commit was kept twice"
    assert [each for each in promised if each not in found] == []
    assert {table: tuple(entries) for table, entries in heard.items()} == kept
    assert len(promised) > kills
    tried(f"{kills} times ended, {len(promised):,} acknowledged")


ENDED = """SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()"""


@pytest.mark.prove
def test_connections_that_the_server_ends_lose_double_and_halve_nothing(
    url: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck, turns, ended = chance("backends", seed), max(5, count // 5), list[int]()

    async def scenario(log: PostgresLog) -> list[Promise]:
        done = asyncio.Event()
        writing = [asyncio.create_task(write(log, writer, done)) for writer in range(8)]
        admin = await asyncpg.connect(url)
        for _ in range(turns):
            await asyncio.sleep(luck.random() * 0.1)
            ended.append(len(await admin.fetch(ENDED)))
            await log.tables()  # who only reads need not even know
        await admin.close()
        done.set()
        return [each for some in await asyncio.gather(*writing) for each in some]

    promised = on_log(url, scenario, patience=600)
    kept = kept_in(url)
    found = Counter(
        (table, who, turn) for table in kept for who, turn, _, _ in commits_of(kept[table])
    )
    assert set(found.values()) == {1}, "a commit was kept twice"
    assert [each for each in promised if each not in found] == []
    tried(f"{sum(ended):,} connections ended, {len(promised):,} acknowledged")


TURNS = 50
"""Commits that fit into the memory of the write-ahead log."""

IN_TIME = """SELECT pid, pg_sleep(0.01) FROM pg_stat_activity
WHERE backend_type IN ('walwriter', 'checkpointer', 'background writer')"""
"""The processes that write to the disk in time what no commit waited for."""


async def stop_writing(url: str) -> None:
    """From here on a server writes what a commit waits for, and nothing else."""
    admin = await asyncpg.connect(url)
    async with asyncio.timeout(30):
        while len(found := await admin.fetch(IN_TIME)) < 3:
            continue  # they too are started in time
    await admin.close()
    for row in found:
        os.kill(row["pid"], signal.SIGSTOP)


def test_a_server_that_does_not_wait_for_its_disk_is_found_out() -> None:
    async def scenario(server: Server, url: str) -> int:
        settings = {"synchronous_commit": "off"}
        place = Place(url, lax=("synchronous_commit",), settings=settings)
        log = await PostgresLog.open_at(place)
        await stop_writing(url)
        size = 0
        for turn in range(TURNS):
            size = await insist(log, TABLES[0], 1, "w", turn, known=size) + 1
        await asyncio.to_thread(server.kill)
        await log.close()
        return size

    with running(["autovacuum=off"]) as server:
        url = database_on(server)
        size = asyncio.run(scenario(server, url))
        server.start()
        assert len(kept_in(url).get(TABLES[0], ())) < size == TURNS


@pytest.mark.prove
def test_no_kill_of_a_writer_loses_what_was_acknowledged(
    databases: Databases, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck = chance("writer", seed)
    kills, url = max(2, count // 25), run_now(databases.log())
    promised: list[Promise] = []
    for turn in range(kills):
        promised += written_until_killed(url, f"k{turn}", luck.randint(1, 40), luck.random() * 0.04)

        async def settled(log: PostgresLog) -> None:
            await log.settle()
            before = [len(await log.read(table)) for table in TABLES]
            await asyncio.sleep(0.05)
            assert [len(await log.read(table)) for table in TABLES] == before

        on_log(url, settled)
        kept = {
            (table, who, turn)
            for table, entries in kept_in(url).items()
            for who, turn, _, _ in commits_of(entries)
        }
        assert [each for each in promised if each not in kept] == []
    tried(f"{kills} kills, {len(promised):,} acknowledged")


def written_until_killed(url: str, name: str, first: int, after: float) -> list[Promise]:
    """Start a writer, kill it some seconds after so many acknowledgements; what it printed."""
    with child("load", url, name) as process:
        assert process.stdout is not None
        output = b"".join(process.stdout.readline() for _ in range(first))
        time.sleep(after)
        process.kill()
        output += process.stdout.read()
    # Every line is written in one piece; what has no end was not printed.
    lines = [line.split() for line in output.decode().split("\n")[:-1]]
    assert lines, "the writer died of itself"
    return [(table, who, int(turn)) for _, table, who, turn, _, _ in lines]


def test_a_server_that_goes_away_is_said_to_be_and_waited_for() -> None:
    async def scenario(server: Server, url: str) -> None:
        log = await PostgresLog.open(url)
        async with aclosing(log.follow(TABLES[0])) as followed:
            assert await anext(followed) == CaughtUp(0)
            waiting = asyncio.create_task(anext(followed))
            await asyncio.to_thread(server.kill)
            for call in (log.read(TABLES[0]), log.settle(), insist(log, TABLES[0], 1, "w", 0)):
                with pytest.raises(Unavailable, match=r"database urim_.* at /"):
                    await call
            assert not waiting.done()
            await asyncio.to_thread(server.start)
            assert await asked(log, TABLES[0], "w", 1, 1, 0) == 1
            async with asyncio.timeout(20):
                assert await waiting == (await log.read(TABLES[0]))[0]
        await log.close()

    with running() as server:
        asyncio.run(scenario(server, database_on(server)))
