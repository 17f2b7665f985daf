"""A store of access in one SQLite file, beside the log and never in it, its owner's alone.

    store = await SqliteAccess.beside(Path("table.db"))

The file has mode 0600 in a directory of mode 0700, is in WAL mode and synced at every commit.
Several processes may have it open: each hears what the others revoke. Who reads it can let nobody
in, but could call hooks in the server's name; who can write it can let in anybody. An older copy
that is put back has what was revoked since: revoke its tables then.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from ....errors import Damaged
from ....events.log.sqlite.file import Place
from ....events.log.sqlite.readers import Readers
from ....events.log.sqlite.schema import prepare
from ....events.log.sqlite.writer import Work, Writer
from ...service.files import make_file
from ...service.secrets import ENDING
from .. import rows
from ..protocol import DEFAULT, Ended, Limits
from ..store import AccessStore, rings
from .schema import SCHEMA, WHAT

T = TypeVar("T")

NAME = "access.db"
"""The file's name in the directory of a database's secrets."""

POLL = 0.25
"""Seconds until another process's revocation is heard, at most, while somebody follows."""


class SqliteAccess(AccessStore):
    """An `AccessStore` on one SQLite file. Make one with `open`, in the loop that will use it."""

    def __init__(
        self, place: Place, connection: sqlite3.Connection, limits: Limits, writer: type[Writer]
    ) -> None:
        """Use `open` instead: it makes the file fit to be written first."""
        super().__init__(limits)
        self._place = place
        self._followers = 0
        self._writer = writer(
            place,
            connection,
            heard=self._bell.ring,
            listening=lambda: self._followers > 0,
            poll=POLL,
        )
        self._readers = Readers(place)

    @classmethod
    async def open(
        cls,
        path: str | Path,
        *,
        limits: Limits = DEFAULT,
        busy: float = 30.0,
        writer: type[Writer] = Writer,
    ) -> "SqliteAccess":
        """Open a store's file, or make a new one; its directory too.

        `busy` is how many seconds to wait for a lock that another process holds. Raises
        Refused("unreadable") where others may read or write the file or its directory, for a link,
        a directory, a file that is no store of access (a log's, too) or cannot be written, and a
        newer schema; Damaged for a file that is not whole; Unavailable for a lock held too long, or
        a disk that is full or fails.
        """
        place = Place(Path(path), busy=busy, what=WHAT)

        def opened() -> sqlite3.Connection:
            make_file(place.path)
            return prepare(place, SCHEMA)

        return cls(place, await asyncio.to_thread(opened), limits, writer)

    @classmethod
    async def beside(cls, database: Path, *, limits: Limits = DEFAULT) -> "SqliteAccess":
        """Open the store of a database's tables, in the directory of their secrets; see `open`."""
        return await cls.open(database.with_name(database.name + ENDING) / NAME, limits=limits)

    # --- the end of what was good -----------------------------------------------------------------

    async def follow(
        self, held: Callable[[], Iterable[str]], *, every: float = 0.5
    ) -> AsyncGenerator[Ended, None]:
        """See `AccessStore.follow`."""
        self._check_open()
        checked: Ended = frozenset()
        self._followers += 1
        self._writer.wake()
        try:
            while not self._closed:
                ticket = self._bell.ticket()
                ids = frozenset(held())
                if not ids <= checked:
                    ended = await self._look(partial(rows.ended, ids=ids))
                    checked = ids - ended
                    if ended:
                        yield ended
                if await rings(ticket, every):
                    checked = frozenset()
        finally:
            self._followers -= 1

    # --- the end ----------------------------------------------------------------------------------

    async def check(self) -> None:
        """Read the whole file. Raises Damaged for the first page that is not whole."""
        await self._look(_check)

    async def close(self) -> None:
        """Finish what was begun, end the followers, refuse further work."""
        if not self._closed:
            self._closed = True
            self._writer.stop()
            self._bell.ring()
            await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._writer.join()
        self._readers.close()
        # The last to be closed writes the WAL back and removes it, which a reader may not.
        self._writer.connection.close()

    async def _write(self, work: Work[T], *, rings: bool = False) -> T:
        self._check_open()
        # Rung by the writer's answer: anybody who gave up waiting has perhaps revoked.
        return await self._writer.submit(work, self._ring if rings else None)

    def _ring(self, _outcome: object) -> None:
        self._bell.ring()

    async def _look(self, work: Work[T]) -> T:
        """Do some work on a connection that reads, as of one moment, off the loop's thread."""
        self._check_open()
        return await self._readers.look(work)


def _check(connection: sqlite3.Connection) -> None:
    """Raises Damaged for the first page that is not whole."""
    (words,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if words != "ok":
        raise Damaged(f"the store of access is damaged: {words}")
