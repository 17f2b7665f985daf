"""A service for callers without an event loop: it has a loop of its own, on a thread of its own.

    with BlockingService("night.db") as running:
        running.call(lambda service: service.submit("mytable1", "p1", command))

A call returns when its work is done, so what it changed is on disk. Calls may come from any thread,
also from one in which another event loop runs, as in a notebook.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, NamedTuple, Self, TypeVar
from weakref import finalize

from ...errors import Refused, Unavailable
from ...events.log.location import Location, located
from ...events.log.opening import open_log
from ..core.arguments import checked
from ..core.parse import shown
from . import Service
from .beside import secrets_of, snapshots_of
from .secrets import Secrets
from .sweep import sweep

T = TypeVar("T")


class Running(NamedTuple):
    """A service, the loop that it runs in, the event that ends both, and the calls under way."""

    service: Service
    loop: asyncio.AbstractEventLoop
    ending: asyncio.Event
    calls: "set[Future[Any]]"

    def end(self) -> None:
        """Let it finish what was begun, and end; from any thread, without waiting."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.ending.set)


@checked
class BlockingService:
    """A `Service` on the log in a file or a database, which is made, if `make`, where it is not.

    Raises as `open_log` does. One that is forgotten without `close` ends by itself. When the
    process ends first, nothing that returned is lost; the last head is signed by the next service
    that loads or changes the table.
    """

    def __init__(self, database: str | Location, *, make: bool = True) -> None:
        self.database = located(database)
        self.secrets = secrets_of(self.database)
        self._closing = Lock()
        self._closed = False
        started: Future[Running] = Future()
        # A program that ends without closing it must not wait for this thread for ever.
        self._thread = Thread(
            target=asyncio.run, args=(_serve(self.database, self.secrets, started, make=make),),
            name=f"serves {self.database.name}", daemon=True,
        )  # fmt: skip
        self._thread.start()
        self._running = started.result()
        # Not when the interpreter ends: then no thread takes on work any more.
        finalize(self, self._running.end).atexit = False

    def call(self, work: Callable[[Service], Coroutine[Any, Any, T]]) -> T:
        """What the work with the service gives, once it is done. Raises what the work raises.

        Raises Refused("malformed") for work that is no coroutine, Unavailable after `close`. A
        caller that is interrupted may find its work done.
        """
        with self._closing:
            if self._closed:
                raise Unavailable(f"{self.database} was closed")
            running = self._running
            begun: Any = work(running.service)
            if not asyncio.iscoroutine(begun):
                why = f"the work is {shown(begun)}, of type {type(begun).__name__}"
                raise Refused("malformed", why, allowed=["a coroutine"])
            future: Future[T] = asyncio.run_coroutine_threadsafe(begun, running.loop)
            running.calls.add(future)
        # Not when its caller stops waiting: it goes on then.
        future.add_done_callback(running.calls.discard)
        return future.result()

    def close(self) -> None:
        """Finish what was begun, sign what was not signed yet, close the log; again: nothing."""
        with self._closing:
            self._closed = True
            self._running.end()
        self._thread.join()

    def __enter__(self) -> Self:
        """The service itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


async def _serve(
    database: Location, secrets: Secrets, started: "Future[Running]", *, make: bool
) -> None:
    try:
        await asyncio.to_thread(sweep, database)
        log = await open_log(database, make=make)
    except BaseException as error:  # noqa: BLE001 (whatever it is, the caller raises it)
        started.set_exception(error)
        return
    service = Service(log, secrets, snapshots=snapshots_of(database))
    running = Running(service, asyncio.get_running_loop(), asyncio.Event(), set())
    started.set_result(running)
    await running.ending.wait()
    await running.service.end_subscriptions()  # a call that listens would never be done
    # Those that were begun before the end.
    calls = map(asyncio.wrap_future, tuple(running.calls))
    await asyncio.gather(*calls, return_exceptions=True)
    await running.service.close()
    await log.close()
    await asyncio.to_thread(secrets.close)
