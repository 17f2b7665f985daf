"""What the tests of the PostgreSQL log share: scenarios, and commits that are asked for by name."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from tests.events.sqlite.runs import signed
from tests.tree import ROOT
from urim.engine.testing.log.harness import MAC
from urim.errors import Unavailable
from urim.events.entry import Entry
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import Place
from urim.events.log.protocol import Answered, Appended, Conflict, Request

T = TypeVar("T")

PATIENCE = 60
"""Seconds until a scenario is given up."""

WORDS = {"search_path": "urim_log"}
"""The settings of a session in which tests name the log's tables."""


def on_log(
    url: str,
    scenario: Callable[[PostgresLog], Awaitable[T]],
    *,
    busy: float = 30.0,
    poll: float = 0.5,
    patience: float = PATIENCE,
) -> T:
    """Run a scenario on the log in a database."""

    async def within() -> T:
        async with asyncio.timeout(patience):
            log = await PostgresLog.open_at(Place(url, busy=busy), poll=poll)
            try:
                return await scenario(log)
            finally:
                await log.close()

    return asyncio.run(within())


def by_others(url: str, *statements: str, forced: bool = False) -> None:
    """Run statements as any other program could; `forced` by one that turns off all triggers."""

    async def within() -> None:
        settings = {**WORDS, "session_replication_role": "replica" if forced else "origin"}
        connection = await asyncpg.connect(url, server_settings=settings)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(within())


async def everything(log: PostgresLog) -> dict[str, tuple[Entry, ...]]:
    """All entries of all tables."""
    return {table: await log.read(table) for table in await log.tables()}


def kept_in(url: str) -> dict[str, tuple[Entry, ...]]:
    """All entries in a database that passes the log's own check."""

    async def scenario(log: PostgresLog) -> dict[str, tuple[Entry, ...]]:
        await log.check()
        return await everything(log)

    return on_log(url, scenario)


async def asked(
    log: PostgresLog,
    table: str,
    who: str,
    turn: int,
    length: int,
    known: int,
    *,
    filler: int = 0,
    failed: Callable[[Unavailable], None] = lambda _: None,
) -> int:
    """Append under a request until it is known to be kept; where it stops. `failed` hears why not.

    Each entry has so many bytes of `filler`.
    """
    request, start = Request(f"{who}.{turn}", "p1", MAC), known
    while True:
        entries = signed(start, length, who, turn, filler)
        try:
            result = await log.append(table, entries, start, request)
        except Unavailable as error:
            failed(error)
            await asyncio.sleep(0.02)
            continue
        match result:
            case Appended(size):
                return size
            case Answered(_, kept):
                return kept[-1].seq + 1
            case Conflict(missed):
                start += len(missed)


def child(*words: object) -> "subprocess.Popen[bytes]":
    """Start tests/events/postgres/child.py; what it reports comes through its standard output."""
    command = [sys.executable, "-m", "tests.events.postgres.child", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
