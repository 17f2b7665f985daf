"""A log in a PostgreSQL database: for more than one machine, and acknowledged is on its disk.

    log = await PostgresLog.open("postgresql://urim@db.example/tables")

Any number of processes may have it open and follow one another's commits, on any machine that
reaches the server. Triggers in the database forbid every program to change or delete what was kept.
It needs the extra `postgres`, PostgreSQL 14 or newer, and a connection of its own for each of: the
commits, the wake-ups, and up to four reads. A pooler between is to be in session mode: one that
lends a session for a transaction alone is refused.

The driver is asyncpg, not psycopg 3. On the same statements psycopg took 1.76, 1.97, 1.34 and 1.24
times the processor at 1, 8, 64 and 512 rows a statement; of callers that gave up while they fought
for its pool, 7 of 240 went on as if nobody had cancelled them, and of asyncpg's none of 226 (Python
3.11, tests/bench/results.md; tests/bench/drivers.py measures both).
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

from ....errors import Refused, Unavailable, UrimError
from ...entry import Entry
from ..bell import Bell
from ..head import Head
from ..hints import Heard
from ..protocol import (
    Answered,
    Appended,
    Conflict,
    Followed,
    Request,
    check_commit,
    check_range,
    follow_rows,
)
from ..rowed import RowedLog, check_storable, is_storable, known
from . import heads as signed
from . import rows
from .bells import Bells
from .place import Place, backed_off, shut
from .readers import Readers
from .schema import SCHEMA, Schema, prepare
from .writer import Writer

if TYPE_CHECKING:
    from .place import Connection


class PostgresLog(RowedLog[Readers]):
    """An `EventLog` in a PostgreSQL database. Make one with `open`, in the loop that will use it.

    An append that is cancelled may still be kept: send the same request again to learn it. When the
    server goes away, whatever is asked for raises Unavailable until it is back, and followers wait.
    """

    ROWS: ClassVar[Any] = rows
    HEADS: ClassVar[Any] = signed

    def __init__(self, place: Place, connection: "Connection | None", *, poll: float) -> None:
        """Use `open` instead: it makes the database fit to be written first."""
        self.place = place
        self._bells: WeakValueDictionary[str, Bell] = WeakValueDictionary()
        self._closed = False
        self._shutting: asyncio.Task[None] | None = None
        self._readers = Readers(place)
        self._writer: Writer | None = None
        if connection is not None:
            self._writer = Writer(place, connection, self._readers, self._settled)
        self._calls = Bells(
            place,
            heard=self._ring,
            heard_all=self._ring_all,
            listened=lambda: list(self._bells),
            size_of=lambda table: 0 if self._writer is None else self._writer.size_of(table),
            poll=poll,
        )

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        make: bool = True,
        busy: float = 30.0,
        poll: float = 0.5,
        lax: Collection[str] = (),
    ) -> "PostgresLog":
        """Open the log in a database, or `make` one there: `postgresql://USER@HOST/NAME`.

        `busy` is how many seconds a statement may take, waiting for others included; `poll` after
        how many, at most, a follower gets another process's commit though no notification came.
        Raises Refused("unreadable") for a server, user or database that cannot be used, one with
        fsync, full_page_writes or synchronous_commit off (unless `lax` names the setting: then a
        power failure may lose what was acknowledged), a pooler that lends sessions, and a newer
        schema; Damaged for one without its tables or triggers; Unavailable where it cannot be
        reached. None of them shows the password. An older schema is upgraded. Where none shall be
        made, a database without a log is refused as `open_reading` does.
        """
        return await cls.open_at(Place(url, busy=busy, lax=tuple(lax), make=make), poll=poll)

    @classmethod
    async def open_reading(
        cls, url: str, *, busy: float = 30.0, poll: float = 0.5
    ) -> "PostgresLog":
        """Open a log for reading alone, on a standby too; see `open`.

        Whatever would write is refused with "unreadable", and so is a database without a log in it,
        or with one of an older schema.
        """
        return await cls.open_at(Place(url, busy=busy, reading=True), poll=poll)

    @classmethod
    async def open_at(
        cls, place: Place, *, poll: float = 0.5, schema: Schema = SCHEMA
    ) -> "PostgresLog":
        """Open a log with settings that only tests want; see `open`."""
        connection = await place.connect()
        try:
            await prepare(place, connection, schema)
        except BaseException:
            connection.terminate()
            raise
        if place.reading:
            await shut(connection)
        log = cls(place, None if place.reading else connection, poll=poll)
        try:
            await log._calls.open()
        except BaseException:
            await log.close()
            raise
        return log

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        """Keep a commit; see `EventLog.append`.

        Also raises Unavailable when the server is not there, goes away before it has answered, or
        waits too long for others; and Damaged, naming the entry, where the missed entries are.
        """
        self._check_open()
        kept = tuple(entries)
        check_commit(table, kept, expected)
        check_storable(kept)
        return await self._writing.submit(rows.Keep(table, kept, expected, request))

    def follow(self, table: str, after: int = -1) -> Followed:
        """History, one CaughtUp, then live; see `EventLog.follow`. Raises Damaged as `read` does.

        Commits of other processes come too. While the server is not there, it waits.
        """
        check_range(after)
        bell = self.listen(table)

        async def page(after: int, limit: int) -> Sequence[Entry] | None:
            turn = 0
            while not self._closed:
                try:
                    return await self.read(table, after, limit)
                except Unavailable:
                    await backed_off(turn)
                    turn += 1
            return None

        async def size() -> int:
            turn = 0
            while not self._closed and is_storable(table):
                try:
                    return await self._readers.look(partial(rows.size_of, table=table))
                except Unavailable:
                    await backed_off(turn)
                    turn += 1
            return 0

        return follow_rows(page, size, bell, after)

    def listen(self, table: str) -> Bell:
        """A bell that rings after every commit; see `EventLog.listen`.

        It rings for another process's commits of its table alone, or for all tables where something
        may have been missed.
        """
        self._check_open()
        return self._bells.setdefault(table, Bell())

    def hint(self, about: str, words: str) -> None:
        """Give other processes a hint; see `Hints.hint`. None is given by who only reads."""
        if self._writer is not None and not self._closed:
            self._calls.hint(about, words)

    def hear(self, heard: Heard) -> Callable[[], None]:
        """Call this with every hint that comes; see `Hints.hear`. To a standby none comes."""
        return self._calls.hear(heard)

    async def erase(self, table: str, seq: int) -> None:
        """Remove one entry's salt and payload; see `EventLog.erase`.

        When this returns the row holds neither, on the server's disk, for every reader that begins
        now. The bytes of the old row stay in the server's files until they are written over, which
        VACUUM FULL does at once, and in its write-ahead log, standbys and backups for as long as
        these keep theirs.
        """
        self._check_open()
        _ = self._writing
        await self._readers.look(partial(rows.erase, table=known(table), seq=seq))

    async def settle(self) -> None:
        """Make sure that no commit of a dead process comes later; see `EventLog.settle`."""
        self._check_open()
        _ = self._writing
        await self._readers.look(rows.settle)

    async def keep_head(self, table: str, head: Head) -> Head:
        """Keep a signed head, on the server's disk when this returns; see `EventLog.keep_head`."""
        self._check_open()
        _ = self._writing
        keeping = partial(signed.keep, table=known(table), head=head)
        return await self._readers.look(keeping)

    async def check(self) -> None:
        """Read everything, and hold the entries against the signed heads.

        Raises Damaged for the first entry, commit or head that is not whole. Signatures are the
        service's to check: it has the key.
        """
        self._check_open()
        await self._readers.look(rows.check)
        await self._readers.look(signed.check)

    async def structure(self) -> tuple[str, ...]:
        """What is wrong beside the entries, in words; its tables and triggers `open` looked at."""
        self._check_open()
        return await self._readers.look(rows.structure)

    async def close(self) -> None:
        """Finish what was begun, end the followers, refuse further work; see `EventLog.close`."""
        if not self._closed:
            self._closed = True
            self._ring_all()
            self._shutting = asyncio.create_task(self._shut())
        if self._shutting is not None:
            await asyncio.shield(self._shutting)

    async def _shut(self) -> None:
        if self._writer is not None:
            await self._writer.close()
        await self._readers.close()
        await self._calls.close()

    @property
    def _writing(self) -> Writer:
        if self._writer is None:
            why = f"the {self.place.shown} is open for reading alone"
            raise Refused("unreadable", why, allowed=["a log that is open for writing"])
        return self._writer

    def _settled(self, table: str, outcome: Appended | UrimError) -> None:
        """Ring for a commit that was kept, or perhaps was, and tell other processes."""
        if isinstance(outcome, Appended):
            self._ring(table, outcome.size)
        elif isinstance(outcome, Unavailable):
            self._ring(table)
        else:
            return
        self._calls.announce(table)
