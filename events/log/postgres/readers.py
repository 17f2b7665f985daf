"""Some connections for all that is short: reads, and what is written one at a time.

Each connection belongs to a task that lends it to no one: who waits can be cancelled at any moment,
and the driver never hears of it. A connection that was lost is opened again, and what it was at is
done once more: nothing that is done here does harm twice.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct

from ....errors import Defect
from .place import FAULTS, Place, is_lost, shut

if TYPE_CHECKING:
    from .place import Connection

T = TypeVar("T")

Work: TypeAlias = "Callable[[Connection], Awaitable[T]]"

MOST = 4
"""Connections for reading that one log has at once, at most."""


class _Job(Struct):
    work: Callable[[Any], Awaitable[Any]]
    future: asyncio.Future[Any]


class Readers:
    """Connections that are opened when they are needed, at most so many."""

    def __init__(self, place: Place, most: int = MOST) -> None:
        self._place = place
        self._most = most
        self._jobs: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._idle = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def look(self, work: "Work[T]") -> "asyncio.Future[T]":
        """Do some work on a connection; what it gives or raises.

        Raises Unavailable where the server cannot be reached, and as `Place.worded` where it
        refuses; Defect once this is closed. Cancelled before it was begun, it is not done.
        """
        if self._closed:
            raise Defect("the log is closed")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait(_Job(work, future))
        if self._idle < self._jobs.qsize() and len(self._tasks) < self._most:
            task = asyncio.create_task(self._run())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return future

    async def close(self) -> None:
        """Finish what was asked for, and close all connections."""
        self._closed = True
        for _ in self._tasks:
            self._jobs.put_nowait(None)
        if self._tasks:
            await asyncio.wait(list(self._tasks))

    async def _run(self) -> None:
        connection: Connection | None = None
        try:
            while (job := await self._next()) is not None:
                if not job.future.done():
                    connection = await self._done(job, connection)
                del job  # or whatever it was for would live until the next one
            if connection is not None:
                await shut(connection)
        finally:
            if connection is not None:
                connection.terminate()

    async def _next(self) -> _Job | None:
        self._idle += 1
        try:
            return await self._jobs.get()
        finally:
            self._idle -= 1

    async def _done(self, job: _Job, connection: "Connection | None") -> "Connection | None":
        """Do a job, and settle it; the connection, None where it was lost."""
        fresh = connection is None
        try:
            connection = connection or await self._place.connect()
            outcome = await job.work(connection)
        except asyncio.CancelledError:
            job.future.cancel()
            if connection is not None:
                connection.terminate()
            raise
        except FAULTS as error:
            if connection is not None and is_lost(connection, error):
                connection.terminate()
                connection = None
                if not fresh:
                    return await self._done(job, None)
            _fail(job.future, self._place.worded(error))
        except Exception as error:  # noqa: BLE001 - the one who asked gets it
            _fail(job.future, error)
        else:
            if not job.future.done():
                job.future.set_result(outcome)
        return connection


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # so that asyncio does not warn where nobody waits
