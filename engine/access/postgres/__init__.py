"""A store of access in a PostgreSQL database, for servers on several machines.

    store = await PostgresAccess.open("postgresql://urim@db.example/tables")

It is in a schema of its own, and holds hashes where a secret that opens a door would be: who reads
it can let nobody in, and who can write it can let in anybody. Hooks are there as they are: who
reads it could call in the server's name. It needs the extra `postgres`.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ....events.log.postgres.place import Place, shut
from ....events.log.postgres.readers import Readers
from ....events.log.postgres.schema import prepare
from .. import rows
from ..protocol import DEFAULT, Ended, Limits
from ..store import AccessStore, Work, rings
from .asking import Asking
from .schema import ALONE, NEWS, SCHEMA, TOLD

if TYPE_CHECKING:
    from ....events.log.postgres.place import Connection

T = TypeVar("T")

POLL = 0.25
"""Seconds until another process's revocation is heard, at most, while somebody follows."""

READERS = 2
"""Connections, at most, beside the one that writes."""


class PostgresAccess(AccessStore):
    """An `AccessStore` in a database. Make one with `open`, in the loop that will use it."""

    def __init__(self, place: Place, limits: Limits) -> None:
        """Use `open` instead: it makes the database fit to be written first."""
        super().__init__(limits)
        self._readers = Readers(place, READERS)
        self._writer = Readers(place, 1)

    @classmethod
    async def open(
        cls, url: str, *, limits: Limits = DEFAULT, busy: float = 30.0
    ) -> "PostgresAccess":
        """Open the store in a database, or make one there.

        `busy` is how many seconds a statement may take, waiting for others included. Raises as
        `PostgresLog.open`.
        """
        place = Place(url, busy=busy, schema=SCHEMA.name)
        connection = await place.connect()
        try:
            await prepare(place, connection, SCHEMA)
            await shut(connection)
        finally:
            connection.terminate()
        return cls(place, limits)

    async def follow(
        self, held: Callable[[], Iterable[str]], *, every: float = 0.5
    ) -> AsyncGenerator[Ended, None]:
        """See `AccessStore.follow`."""
        self._check_open()
        checked: Ended = frozenset()
        known = -1
        while not self._closed:
            ticket = self._bell.ticket()
            ids = frozenset(held())
            news = await self._readers.look(_news)
            if news != known:
                known, checked = news, frozenset()
            if not ids <= checked:
                ended = await self._look(partial(rows.ended, ids=ids))
                checked = ids - ended
                if ended:
                    yield ended
            await rings(ticket, min(every, POLL))

    async def close(self) -> None:
        """Finish what was begun, end the followers, refuse further work."""
        if not self._closed:
            self._closed = True
            self._bell.ring()
            await self._writer.close()
            await self._readers.close()

    async def _write(self, work: Work[T], *, rings: bool = False) -> T:
        self._check_open()

        async def written(connection: "Connection") -> T:
            async with connection.transaction():
                await connection.execute(ALONE)
                found = await _asked(connection, work)
                if rings:
                    await connection.execute(TOLD)
            return found

        writing = self._writer.look(written)
        if rings:
            # Rung by the answer: anybody who gave up waiting has perhaps revoked.
            writing.add_done_callback(lambda _: self._bell.ring())
        return await asyncio.shield(writing)

    async def _look(self, work: Work[T]) -> T:
        self._check_open()

        async def looked(connection: "Connection") -> T:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                return await _asked(connection, work)

        return await self._readers.look(looked)


async def _asked(connection: "Connection", work: Work[T]) -> T:
    """Do some work that asks, and waits for each answer, on a thread."""
    return await asyncio.to_thread(work, Asking(connection, asyncio.get_running_loop()))


async def _news(connection: "Connection") -> int:
    """A number that is another one after anything that was good has ended."""
    return int(await connection.fetchval(NEWS))
