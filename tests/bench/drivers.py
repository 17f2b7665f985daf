"""Two drivers at the same work: compare-and-set in batches, and callers that give up.

A batch is one statement that moves rows of a table each, and inserts as many, from arrays; a pool
of a few connections is used by many callers at once, some of whom are cancelled at any moment.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeAlias

import asyncpg
import psycopg_pool
from msgspec import Struct

SETUP = """
CREATE TABLE IF NOT EXISTS sizes (id text PRIMARY KEY, size bigint NOT NULL);
CREATE TABLE IF NOT EXISTS rows (id text, seq bigint, leaf bytea, payload bytea,
    PRIMARY KEY (id, seq));
TRUNCATE sizes, rows"""

STATEMENT = """WITH asked AS (
    SELECT * FROM unnest({0}::text[], {1}::bigint[], {2}::bytea[], {3}::bytea[])
    AS asked (id, size, leaf, payload)
), won AS (
    UPDATE sizes SET size = sizes.size + 1 FROM asked
    WHERE sizes.id = asked.id AND sizes.size = asked.size RETURNING sizes.id
)
INSERT INTO rows SELECT asked.* FROM asked JOIN won USING (id) RETURNING id"""

Send: TypeAlias = Callable[[list[str], list[int], list[bytes], list[bytes]], Awaitable[int]]
"""Sends a batch, and gives how many of it were kept."""

Lent: TypeAlias = Callable[[], AbstractAsyncContextManager[Send]]

Driver: TypeAlias = Callable[[str, int], AbstractAsyncContextManager[Lent]]
"""A pool of so many connections, which lends one at a time."""

LONGEST = 0.02
"""Seconds until a caller gives up, at most."""

LEAF, PAYLOAD = b"l" * 32, b"p" * 500


@asynccontextmanager
async def with_asyncpg(url: str, connections: int) -> AsyncGenerator[Lent]:
    """Asyncpg's pool."""
    statement = STATEMENT.format("$1", "$2", "$3", "$4")
    async with asyncpg.create_pool(url, min_size=connections, max_size=connections) as pool:

        @asynccontextmanager
        async def lent() -> AsyncGenerator[Send]:
            async with pool.acquire() as connection:

                async def send(*columns: list[Any]) -> int:
                    return len(await connection.fetch(statement, *columns))

                yield send

        yield lent


@asynccontextmanager
async def with_psycopg(url: str, connections: int) -> AsyncGenerator[Lent]:
    """psycopg's, with all that it can do in bytes and not in text."""
    statement = STATEMENT.format("%b", "%b", "%b", "%b")
    pool = psycopg_pool.AsyncConnectionPool(
        url, min_size=connections, max_size=connections, open=False, kwargs={"autocommit": True}
    )
    async with pool:
        await pool.wait()

        @asynccontextmanager
        async def lent() -> AsyncGenerator[Send]:
            async with pool.connection() as connection:

                async def send(*columns: list[Any]) -> int:
                    async with connection.cursor(binary=True) as cursor:
                        await cursor.execute(statement, columns, prepare=True)
                        return len(await cursor.fetchall())

                yield send

        yield lent


DRIVERS: dict[str, Driver] = {"asyncpg": with_asyncpg, "psycopg 3": with_psycopg}


async def prepare(url: str, tables: int) -> list[str]:
    """Empty tables of sizes and rows; the ids."""
    ids = [f"bench{at:04}" for at in range(tables)]
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(SETUP)
        await connection.execute("INSERT INTO sizes SELECT unnest($1::text[]), 0", ids)
    finally:
        await connection.close()
    return ids


class Took(Struct, frozen=True):
    """Seconds of the clock, and of this process."""

    clock: float
    processor: float


async def batches(driver: Driver, url: str, tables: int, turns: int) -> Took:
    """One connection that sends so many batches, one row of each table in each."""
    ids = await prepare(url, tables)
    leaves, payloads = [LEAF] * tables, [PAYLOAD] * tables
    async with driver(url, 1) as lent, lent() as send:
        await send([], [], [], [])
        clock, processor = time.perf_counter(), time.process_time()
        for turn in range(turns):
            kept = await send(ids, [turn] * tables, leaves, payloads)
            assert kept == tables
        return Took(time.perf_counter() - clock, time.process_time() - processor)


class Cancelled(Struct, frozen=True):
    """What became of callers that were cancelled.

    `lost` went on as if nobody had cancelled them; `hung` had not ended seconds after it.
    """

    asked: int
    lost: int
    hung: int
    processor: float


async def cancelled(
    driver: Driver, url: str, callers: int, turns: int, seed: int = 1, connections: int = 4
) -> Cancelled:
    """Callers that fight for a few connections and one row, each cancelled at some moment."""
    [id] = await prepare(url, 1)
    luck = random.Random(seed)  # noqa: S311 - when a caller gives up need not be a secret
    asked = lost = hung = 0
    loop = asyncio.get_running_loop()
    processor = time.process_time()
    async with driver(url, connections) as lent:

        async def call() -> None:
            async with lent() as send:
                await send([id], [0], [LEAF], [PAYLOAD])
                await send([id], [1], [LEAF], [PAYLOAD])

        def give_up(task: asyncio.Task[None]) -> None:
            if not task.done():
                task.set_name("cancelled")
                task.cancel()

        for _ in range(turns):
            tasks = [asyncio.create_task(call()) for _ in range(callers)]
            for task in tasks:
                loop.call_later(luck.random() * LONGEST, give_up, task)
            _, late = await asyncio.wait(tasks, timeout=10)
            hung += len(late)
            given_up = [task for task in tasks if task.get_name() == "cancelled"]
            asked += len(given_up)
            lost += sum(task.done() and not task.cancelled() for task in given_up)
            for task in late:
                task.cancel()
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*late, return_exceptions=True), 5)
    return Cancelled(asked, lost, hung, time.process_time() - processor)
