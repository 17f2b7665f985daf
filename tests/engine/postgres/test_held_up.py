"""A database that keeps a service waiting for rows or secrets keeps no other table waiting."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing

import asyncpg
import pytest

from tests.engine.helpers.snapshotted import LITTLE
from tests.engine.helpers.stages.service import TABLE, declare, mark, noting, seated
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service, feed
from urim.engine.service.beside import key_file
from urim.engine.service.postgres import PostgresVault
from urim.engine.service.postgres.snapshots import PostgresSnapshots
from urim.engine.service.secrets import Secrets
from urim.engine.snapshots import table as tables
from urim.events.log.location import DatabaseUrl
from urim.events.log.opening import open_log
from urim.events.log.protocol import CaughtUp

OTHER = "table002"

BUSY = 4.0
"""Seconds after which a read that is held up is given up: where it blocks, nothing else goes on."""


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "EVERY", 20)


@asynccontextmanager
async def serving(place: DatabaseUrl, memory: int = LITTLE) -> AsyncGenerator[Service]:
    """A service on a database, with nearly no rows in memory."""
    log = await open_log(place)
    rows = PostgresSnapshots(place.reveal(), memory, busy=BUSY)
    with closing(Secrets(PostgresVault(place.reveal(), key_file(), busy=BUSY))) as secrets:
        service = Service(log, secrets, snapshots=rows)
        try:
            yield service
        finally:
            await service.close()
            await log.close()


@asynccontextmanager
async def locked(place: DatabaseUrl, table: str) -> AsyncGenerator[None]:
    """Nobody else reads or writes a table of the database meanwhile."""
    connection = await asyncpg.connect(place.reveal())
    try:
        async with connection.transaction():
            await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
    finally:
        await connection.close()


async def played(service: Service) -> None:
    """A table that has a snapshot with a roll in it, and a fresh one."""
    await seated(service, dice="fair")
    await service.submit(TABLE, "p1", declare())
    for turn in range(12):
        await service.submit(TABLE, NARRATOR, noting(f"The note of turn {turn}."))
        await asyncio.sleep(0.01)


async def history(service: Service) -> int:
    """How many messages come until a seat has caught up."""
    found = 0
    async with aclosing(service.subscribe(TABLE, "p1")) as messages:
        async for message in messages:
            found += 1
            if isinstance(message, CaughtUp):
                break
    return found


ASKED: Mapping[str, Callable[[Service], Awaitable[object]]] = {
    "decide": lambda service: service.submit(TABLE, "p1", noting("Once more.")),
    "history": history,
    "view": lambda service: service.view(TABLE, "p1"),
    "account": lambda service: service.account(TABLE, "p1", 1),
    "bundle": lambda service: service.bundle(TABLE, "p1"),
    "proof": lambda service: service.inclusion(TABLE, 1),
}
"""What a table cannot answer without rows of its snapshot."""


async def is_held_up(
    service: Service, place: DatabaseUrl, what: str, which: str = "urim_snapshots.rows"
) -> None:
    """Ask for something while nobody can read rows: another table answers, and then this one."""
    async with locked(place, which):
        waiting = asyncio.ensure_future(ASKED[what](service))
        await asyncio.sleep(0.05)
        await service.submit(OTHER, NARRATOR, mark())
        assert not waiting.done(), what
    await waiting


async def test_another_table_answers_while_rows_are_waited_for(place: DatabaseUrl) -> None:
    async with serving(place) as service:
        await played(service)
        await seated(service, OTHER)
        for what in ASKED:
            await is_held_up(service, place, what)


async def test_another_table_answers_while_a_table_is_opened_through_rows(
    place: DatabaseUrl,
) -> None:
    async with serving(place) as service:
        await played(service)
        await seated(service, OTHER)
    for which in ("urim_snapshots.rows", "urim_snapshots.heads"):
        async with serving(place) as service:
            await service.state(OTHER)
            await is_held_up(service, place, "view", which)


async def test_another_table_answers_while_a_long_history_waits_for_rows(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "SLICE", 1)

    async with serving(place) as service:
        await played(service)
        await seated(service, OTHER)
        async with aclosing(service.subscribe(TABLE, "p1")) as messages:
            first = await anext(messages)
            assert isinstance(first, feed.Commit)
            async with locked(place, "urim_snapshots.rows"):
                waiting = asyncio.ensure_future(anext(messages))
                await asyncio.sleep(0.05)
                await service.submit(OTHER, NARRATOR, mark())
                assert not waiting.done()
            second = await waiting
            assert isinstance(second, feed.Commit)
            assert second.size > first.size


async def test_another_table_answers_while_a_secret_is_set_aside(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process died before it opened the table; its secret is set aside while that has to wait."""
    async with serving(place) as service, AsyncExitStack() as stack:
        await seated(service, OTHER)
        secrets = service._loader.secrets  # noqa: SLF001
        await asyncio.to_thread(lambda: secrets.keep(TABLE, bytes(32)).release())
        settle, is_locked = service.log.settle, asyncio.Event()

        async def settled() -> None:
            await settle()
            await stack.enter_async_context(locked(place, "urim_secrets.records"))
            is_locked.set()

        monkeypatch.setattr(service.log, "settle", settled)
        opening = asyncio.create_task(seated(service, TABLE, dice="fair"))
        await is_locked.wait()
        await asyncio.sleep(0.05)
        await service.submit(OTHER, NARRATOR, mark())
        assert not opening.done()
        await stack.aclose()
        await opening
