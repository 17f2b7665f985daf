"""A log in one SQLite file: acknowledged is on disk, and nothing on disk ever changes.

    log = await SqliteLog.open("table.db")

The file is in WAL mode, synced at every commit. Several processes may have it open and follow one
another's commits; it must be on a disk of this machine. Triggers in the file forbid every program
to change or delete what was kept. A process killed, or a machine that loses power, loses nothing
that was acknowledged; anybody who removes the file NAME-wal beside it removes the latest commits.

    log = await SqliteLog.open_reading("table.db")

reads a file and touches nothing: one that others write, one on a read-only medium, an older one.
"""

import asyncio
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from ....errors import Refused, Unavailable
from ...entry import Entry
from ..bell import Bell
from ..head import Head
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
from .file import Place
from .lookers import Lookers
from .readers import Readers
from .schema import prepare
from .scrub import Scrubber
from .writer import Writer


class SqliteLog(RowedLog[Readers | Lookers]):
    """An `EventLog` on one SQLite file. Make one with `open`, in the event loop that will use it.

    An append that is cancelled may still be kept: send the same request again to learn it.
    """

    ROWS: ClassVar[Any] = rows
    HEADS: ClassVar[Any] = signed

    def __init__(
        self,
        place: Place,
        connection: sqlite3.Connection | None,
        *,
        poll: float,
        writer: type[Writer],
    ) -> None:
        """Use `open` instead: it makes the file fit to be written first; or `open_reading`."""
        self._place = place
        self._poll = poll
        self._bells: WeakValueDictionary[str, Bell] = WeakValueDictionary()
        self._polling: asyncio.TimerHandle | None = None
        self._closed = False
        self._shutting = Lock()
        self._writer: Writer | None = None
        if connection is not None:
            self._writer = writer(
                place,
                connection,
                heard=self._ring_all,
                listening=lambda: len(self._bells) > 0,
                poll=poll,
            )
        self._scrubber = Scrubber(place)
        self._erasing = False
        self._readers = Lookers(place) if connection is None else Readers(place)

    @classmethod
    async def open(cls, path: str | Path, *, busy: float = 30.0, poll: float = 0.1) -> "SqliteLog":
        """Open a log's file, or make a new one.

        `busy` is how many seconds to wait for a lock that another process holds; `poll` how many
        seconds at most until a follower gets another process's commit. Raises
        Refused("unreadable") for a directory, a file that is no log or cannot be written, and a
        newer schema; Damaged for a file without its tables or triggers, and for a write-ahead log
        of which SQLite would drop commits; Unavailable for a lock held too long, or a disk that is
        full or fails. A file of an older schema is upgraded, after a
        copy of it was made beside it.
        """
        return await cls.open_at(Place(Path(path), busy=busy), poll=poll)

    @classmethod
    async def open_at(
        cls, place: Place, *, poll: float = 0.1, writer: type[Writer] = Writer
    ) -> "SqliteLog":
        """Open a log with settings that only tests want; see `open`."""
        connection = await asyncio.to_thread(prepare, place)
        return cls(place, connection, poll=poll, writer=writer)

    @classmethod
    async def open_reading(
        cls, path: str | Path, *, busy: float = 30.0, poll: float = 0.1, left: bool = False
    ) -> "SqliteLog":
        """Open a log's file for reading alone: nothing of it, or beside it, is made or changed.

        It may be in use by other processes, on a read-only medium, of an older schema, or left by a
        writer that was killed; see `urim.events.log.sqlite.lookers`. Whatever would write is
        refused with "unreadable". `busy` is how many seconds to try while others change the file,
        `poll` how often a follower looks for others' commits. With `left` a damaged write-ahead log
        is no error: what is left of it is read, in a copy. Raises Refused("unreadable") where there
        is no file, or no log in it; Damaged as `open` does; Unavailable for a file that is locked
        or changes all the time, or where there is no room for a copy.
        """
        place = Place(Path(path), busy=busy, right="read", left=left)
        log = cls(place, None, poll=poll, writer=Writer)
        try:
            with place.in_words():
                place.check()
            await log._readers.look(lambda _: None)
        except BaseException:
            await log.close()
            raise
        return log

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        """Keep a commit; see `EventLog.append`.

        Also raises Unavailable when the disk is full or fails, or the file stays locked, and
        Damaged, naming the entry, where the table's last or missed entries are.
        """
        self._check_open()
        kept = tuple(entries)
        check_commit(table, kept, expected)
        check_storable(kept)
        keeping = rows.Keep(table, kept, expected, request)
        # Not rung after the await: anybody who gave up waiting has perhaps written all the same.
        return await self._writing.submit(keeping, partial(self._settled, table))

    def follow(self, table: str, after: int = -1) -> Followed:
        """History, one CaughtUp, then live; see `EventLog.follow`. Raises Damaged as `read` does.

        Commits of other processes come too.
        """
        check_range(after)
        bell = self.listen(table)

        async def page(after: int, limit: int) -> Sequence[Entry] | None:
            return None if self._closed else await self.read(table, after, limit)

        async def size() -> int:
            if self._closed or not is_storable(table):
                return 0
            return await self._readers.look(partial(rows.size, table=table))

        return follow_rows(page, size, bell, after)

    def listen(self, table: str) -> Bell:
        """A bell that rings after every commit; see `EventLog.listen`.

        It rings without a size for every table when another process has committed to any.
        """
        self._check_open()
        bell = self._bells.setdefault(table, Bell())
        if self._writer is not None:
            self._writer.wake()
        elif self._polling is None:
            self._look_later()
        return bell

    async def erase(self, table: str, seq: int) -> None:
        """Remove one entry's salt and payload; see `EventLog.erase`.

        When this returns the row holds neither, on disk, for every reader that begins now. Their
        bytes are overwritten in the file and gone from the write-ahead log as soon as nobody reads
        an older snapshot: in the background, so that nobody's commit waits (see `scrubbed`), and at
        the latest when the file's last user closes it. Copies and backups keep theirs. Raises
        Unavailable when SQLite cannot.
        """
        self._check_open()
        erasing = partial(rows.erase, table=known(table), seq=seq)
        writing, self._erasing = self._writing, True
        # Asked for by the writer's answer: anybody who gave up waiting has perhaps erased.
        await writing.submit(erasing, lambda _: self._scrubber.want())

    @property
    def scrubbing(self) -> bool:
        """Whether bytes erased through this log may still be in its files; see `erase`."""
        return not self._scrubber.idle.is_set()

    async def scrubbed(self) -> None:
        """Wait until no bytes erased through this log are in its files, or it is closed."""
        self._check_open()
        while self.scrubbing:
            await asyncio.to_thread(self._scrubber.idle.wait, 0.1)

    async def settle(self) -> None:
        """Make sure that no commit of a killed process comes back; see `EventLog.settle`."""
        self._check_open()
        await self._writing.submit(rows.settle)

    async def keep_head(self, table: str, head: Head) -> Head:
        """Keep a signed head, on disk when this returns; see `EventLog.keep_head`."""
        self._check_open()
        keeping = partial(signed.keep, table=known(table), head=head)
        return await self._writing.submit(keeping)

    async def structure(self) -> tuple[str, ...]:
        """What is wrong with the file itself, in sentences, none for a file that is whole.

        It is what SQLite's own check of its pages finds, and what is kept of tables that have no
        entries. Raises Damaged where not even that can be read.
        """
        self._check_open()
        return await self._readers.look(rows.structure)

    async def check(self) -> None:
        """Read everything, and hold the entries against the signed heads.

        Raises Damaged for the first page, entry, commit or head that is not whole. Signatures are
        the service's to check: it has the key.
        """
        self._check_open()
        await self._readers.look(_check)

    async def close(self) -> None:
        """Finish what was begun, end the followers, refuse further work; see `EventLog.close`.

        Erased bytes are scrubbed too; where somebody reads an older snapshot, and goes on reading
        for a second, a warning is logged.
        """
        if not self._closed:
            self._closed = True
            if self._writer is not None:
                self._writer.stop()
            if self._polling is not None:
                self._polling.cancel()
            self._ring_all()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        with self._shutting:
            if self._writer is None:
                self._readers.close()
                return
            self._writer.join()
            self._readers.close()
            if self._erasing:
                self._scrubber.want()
            self._scrubber.stop()
            # The last to be closed writes the WAL back and removes it, which a reader may not.
            self._writer.connection.close()

    @property
    def _writing(self) -> Writer:
        if self._writer is None:
            why = f"{self._place.path} is open for reading alone"
            raise Refused("unreadable", why, allowed=["a log that is open for writing"])
        return self._writer

    def _look_later(self) -> None:
        """Ring after a while, and so on: what others wrote shows in the rows alone."""

        def look() -> None:
            self._polling = None
            if self._bells:
                self._ring_all()
                self._look_later()

        self._polling = asyncio.get_running_loop().call_later(self._poll, look)

    def _settled(self, table: str, outcome: object) -> None:
        """Ring for a commit that was kept, or perhaps was."""
        if isinstance(outcome, Appended):
            self._ring(table, outcome.size)
        elif isinstance(outcome, Unavailable):
            self._ring(table)


def _check(connection: sqlite3.Connection) -> None:
    rows.check(connection)
    signed.check(connection)
