"""Commits on PostgreSQL: Urim's log, the same rows through asyncpg alone."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import asyncpg

from tests.bench.script import Commit
from tests.events.postgres.server import Databases
from urim.engine.testing.log.harness import MAC, commit
from urim.events.log.postgres import PostgresLog
from urim.events.log.protocol import Appended, Request

ENTRIES = 3
"""Of a commit."""

TABLES = """
CREATE TABLE entries (table_id text COLLATE "C", seq bigint, at bigint, kind text, digest bytea,
    leaf bytea, start bigint, salt bytea, payload bytea, PRIMARY KEY (table_id, seq));
CREATE TABLE commits (table_id text COLLATE "C", seat text, request text, mac bytea, start bigint,
    stop bigint, PRIMARY KEY (table_id, seat, request))"""

BARE = """WITH kept AS (
    INSERT INTO entries SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[],
        $5::bytea[], $6::bytea[], $7::bigint[], $8::bytea[], $9::bytea[])
) INSERT INTO commits SELECT * FROM unnest($10::text[], $11::text[], $12::text[], $13::bytea[],
    $14::bigint[], $15::bigint[])"""


def ids(tables: int) -> list[str]:
    """The ids of so many tables."""
    return [f"bench{at:04}" for at in range(tables)]


def commits(turns: int) -> list[Commit]:
    """The commits of any table, in order."""
    return [
        Commit(commit(start, ENTRIES), start, Request(f"ask-{start}", "p1", MAC))
        for start in range(0, turns * ENTRIES, ENTRIES)
    ]


def _on_new(
    databases: Databases, work: Callable[[str], Coroutine[Any, Any, float]], *, log: bool
) -> float:
    url = asyncio.run(databases.log() if log else databases.new())
    return asyncio.run(work(url))


def log_alone(databases: Databases, tables: int, turns: int, *, wake: bool = True) -> float:
    """Seconds of the clock in which every table takes so many commits, one after another."""
    given = commits(turns)

    async def table(log: PostgresLog, id: str) -> None:
        for each in given:
            found = await log.append(id, each.entries, each.expected, each.request)
            assert isinstance(found, Appended)

    async def all_tables(url: str) -> float:
        log = await PostgresLog.open(url)
        if not wake:
            log._calls.announce = lambda _: None  # type: ignore[assignment,method-assign]  # noqa: SLF001
        start = time.perf_counter()
        await asyncio.gather(*(table(log, id) for id in ids(tables)))
        taken = time.perf_counter() - start
        await log.close()
        return taken

    return _on_new(databases, all_tables, log=True)


def bare(databases: Databases, tables: int, turns: int) -> float:
    """The same rows, one statement for all tables each turn, and nothing that could refuse them."""
    batches = [_columns(ids(tables), each) for each in commits(turns)]

    async def all_turns(url: str) -> float:
        connection = await asyncpg.connect(url)
        await connection.execute(TABLES)
        start = time.perf_counter()
        for columns in batches:
            await connection.execute(BARE, *columns)
        taken = time.perf_counter() - start
        await connection.close()
        return taken

    return _on_new(databases, all_turns, log=False)


def _columns(tables: list[str], each: Commit) -> list[list[Any]]:
    asked, stop = each.request, each.expected + len(each.entries)
    entries = [
        (id, e.seq, e.at, e.kind, e.digest, e.leaf, e.commit, e.salt, e.payload)
        for id in tables
        for e in each.entries
    ]
    requests = [(id, asked.seat, asked.id, asked.mac, each.expected, stop) for id in tables]
    return [list(column) for rows in (entries, requests) for column in zip(*rows, strict=True)]
