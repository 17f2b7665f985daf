"""Connections for reading: as many as are at work at once, and no more than may be."""

import asyncio
from typing import TYPE_CHECKING

from tests.events.postgres.runs import on_log
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.readers import MOST, Readers

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
