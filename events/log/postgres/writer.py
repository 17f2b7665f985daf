"""The one task that commits: whatever waits goes in one statement, answered once it is on disk.

Of each table one commit goes at a time. Who did not win is judged on a reader's connection, and the
next batch does not wait for it. Callers wait on futures: the driver never hears of one that gives
up, so that no cancellation is lost in it, and none of it can hurt a commit of others.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from ....errors import UrimError
from ..protocol import Appended
from ..rowed import LARGEST
from . import rows
from .place import Place, is_law, is_lost, shut
from .readers import Readers
from .rows import Keep, Result

if TYPE_CHECKING:
    from .place import Connection

MOST = 512
"""Commits that one statement takes together: what waits longer shares the next one."""

KNOWN = 10_000
"""Tables whose size is remembered, at most."""


class Job(Struct, eq=False):
    """A commit to be kept, and who waits for what becomes of it."""

    keep: Keep
    future: asyncio.Future[Result]


class Writer:
    """A connection that commits, for those in the event loop that made it.

    `settled` is called with a table and what came of its commit, whether anybody still waits or
    not: Appended, or Unavailable where it is perhaps kept.
    """

    def __init__(
        self,
        place: Place,
        connection: "Connection",
        readers: Readers,
        settled: Callable[[str, Appended | UrimError], None],
    ) -> None:
        self.place = place
        self._connection: Connection | None = connection
        self._readers = readers
        self._settled = settled
        self._fence = -1  # none: the first batch learns it
        self._lines: dict[str, deque[Job]] = {}
        self._sizes: dict[str, int] = {}
        self._flying: frozenset[str] = frozenset()
        self._judging: set[asyncio.Future[Result | None]] = set()
        self._wanted = asyncio.Event()
        self._closing = False
        self._task = asyncio.create_task(self._run())

    def submit(self, keep: Keep) -> "asyncio.Future[Result]":
        """Keep a commit in the next batch; Appended once it is on the server's disk.

        Raises as `EventLog.append`. Cancelled before it was begun, it is not done.
        """
        job = Job(keep, asyncio.get_running_loop().create_future())
        self._put(job)
        return job.future

    def size_of(self, table: str) -> int | None:
        """The size after the last commit from here; None while one is on its way, 0 for none."""
        return None if table in self._flying else self._sizes.get(table, 0)

    async def close(self) -> None:
        """Finish what was submitted, then end. Submit nothing more after this."""
        self._closing = True
        self._wanted.set()
        await asyncio.wait([self._task])

    def _put(self, job: Job) -> None:
        self._lines.setdefault(job.keep.table, deque()).append(job)
        self._wanted.set()

    async def _run(self) -> None:
        try:
            while batch := await self._next():
                self._flying = frozenset(job.keep.table for job in batch)
                await self._together(batch)
                self._flying = frozenset()
            if self._connection is not None:
                await shut(self._connection)
        finally:
            if self._connection is not None:
                self._connection.terminate()
            for line in self._lines.values():
                for job in line:
                    job.future.cancel()

    async def _next(self) -> list[Job]:
        """The first of each table's line, as many as go together; none once it is closed."""
        while True:
            batch: list[Job] = []
            for table in list(self._lines):
                if len(batch) == MOST:
                    break
                line = self._lines.pop(table)
                while line and line[0].future.done():  # who gave up has nothing done
                    line.popleft()
                if line:
                    batch.append(line.popleft())
                if line:
                    self._lines[table] = line  # behind those who have not had their turn
            if batch:
                return batch
            if self._closing and not self._judging:
                return []
            self._wanted.clear()
            await self._wanted.wait()

    async def _together(self, batch: Sequence[Job]) -> None:
        """Keep what can be kept; where a law of the database refuses one, each alone."""
        try:
            won = await self._kept(batch)
        except asyncio.CancelledError:
            for job in batch:
                job.future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - those who wait get it, and the others go on
            if is_law(error) and len(batch) > 1:
                for job in batch:
                    await self._together([job])
                return
            self._drop(error)
            self._failed(batch, self.place.worded(error))
            return
        for job in batch:
            if job.keep.table in won:
                self._win(job)
            else:
                self._judge(job)

    def _drop(self, error: Exception) -> None:
        """Give up the connection where it is of no more use."""
        if self._connection is not None and is_lost(self._connection, error):
            self._connection.terminate()
            self._connection = None

    async def _kept(self, batch: Sequence[Job]) -> frozenset[str]:
        """The tables whose commits were kept, of all of them by one statement."""
        commits = [job.keep for job in batch if job.keep.size <= LARGEST]
        if not commits:
            return frozenset()
        while True:
            if self._connection is None or self._connection.is_closed():
                self._connection = await self.place.connect()
            won, fence = await rows.keep_all(self._connection, commits, self._fence)
            if fence == self._fence:
                return won
            # Somebody has settled since: what this living process sends now is meant.
            self._fence = fence

    def _win(self, job: Job) -> None:
        table, size = job.keep.table, job.keep.size
        if len(self._sizes) > KNOWN:
            self._sizes.clear()
        self._sizes[table] = size
        if not job.future.done():
            job.future.set_result(Appended(size))
        self._settled(table, Appended(size))
        line = self._lines.get(table, ())
        if any(other.keep.expected < size for other in line):
            # They have missed it, and nothing can change that.
            self._lines[table] = deque(other for other in line if other.keep.expected >= size)
            for other in line:
                if other.keep.expected < size:
                    self._judge(other)

    def _failed(self, batch: Sequence[Job], error: UrimError) -> None:
        for job in batch:
            if not job.future.done():
                job.future.set_exception(error)
                job.future.exception()  # so that asyncio does not warn where nobody waits
            self._settled(job.keep.table, error)

    def _judge(self, job: Job) -> None:
        """Find out why a commit was not kept, and answer; or try again."""
        if job.future.done():
            return
        judging = self._readers.look(partial(rows.judge, keep=job.keep))
        self._judging.add(judging)
        judging.add_done_callback(partial(self._judged, job))

    def _judged(self, job: Job, judging: "asyncio.Future[Result | None]") -> None:
        self._judging.discard(judging)
        self._wanted.set()
        if judging.cancelled():
            job.future.cancel()
        elif job.future.done():
            judging.exception()
        elif error := judging.exception():
            job.future.set_exception(error)
            job.future.exception()
        elif (found := judging.result()) is None:
            self._put(job)
        else:
            job.future.set_result(found)
