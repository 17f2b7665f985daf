"""Connections for reading: as many as are at work at once, and no more than may be."""

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

from tests.events.postgres.runs import on_log
from urim.engine.testing.log.harness import TABLE, commit
from urim.errors import Unavailable
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.readers import MOST, Readers
from urim.events.log.protocol import CaughtUp

if TYPE_CHECKING:
    from urim.events.log.postgres.place import Connection


def test_readers_are_as_many_as_are_at_work_at_once(url: str) -> None:
    """One after another they need one connection; together each has its own, up to the most."""

    async def asleep(connection: "Connection") -> int:
        await connection.execute("SELECT pg_sleep(0.2)")
        return connection.get_server_pid()

    async def scenario(log: PostgresLog) -> None:
        found = Readers(log.place)
        alone = {await found.look(asleep) for _ in range(4)}
        assert len(alone) == 1
        assert len({*await asyncio.gather(*(found.look(asleep) for _ in range(3)))}) == 3
        at_most = await asyncio.gather(*(found.look(asleep) for _ in range(2 * MOST)))
        assert len({*at_most}) == MOST
        await found.close()

    on_log(url, scenario)


def test_who_follows_while_the_database_is_away_goes_on_once_it_is_back(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, away = Readers.look, 0

    def sometimes(readers: Readers, work: Any) -> Any:
        nonlocal away
        away -= 1
        if away >= 0:
            raise Unavailable("the database is away")
        return look(readers, work)

    async def scenario(log: PostgresLog) -> None:
        nonlocal away
        monkeypatch.setattr(Readers, "look", sometimes)
        away = 3
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            await log.append(TABLE, commit(0), 0)
            away = 3
            assert [await anext(followed)] == [*commit(0)]

    on_log(url, scenario)
