"""An event loop on a thread of its own, for callers that block."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar

T = TypeVar("T")

GRACE = 5.0
"""Seconds after which the end of something is no longer waited for."""


class LoopThread:
    """The loop starts with the first call, and ends with `close` or with the process."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._starting = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def call(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What some work gives, once it is done in the loop. Raises what it raises."""
        return asyncio.run_coroutine_threadsafe(work(), self._running()).result()

    def settle(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Do some work, if there is a loop; from its own thread it is only begun.

        It is never waited for for ever: who forgets something last may be about to end.
        """
        loop = self._loop
        if loop is not None and not loop.is_closed():
            doing = asyncio.run_coroutine_threadsafe(work(), loop)
            if current_thread() is not self._thread:
                with suppress(TimeoutError):
                    doing.result(GRACE)

    def close(self, last: Callable[[], object] = lambda: None) -> None:
        """Cancel what goes on in the loop, do what comes `last` there, and end it.

        A later call starts another one.
        """
        with self._starting:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None or loop.is_closed():
            return
        if current_thread() is thread:
            # The last who had it ended there. A program's end waits for a thread of this kind.
            Thread(target=_ended, args=(loop, thread, last)).start()
        else:
            _ended(loop, thread, last)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A program that ends without closing it must not wait for this thread for ever.
                self._thread = Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _ended(loop: asyncio.AbstractEventLoop, thread: Thread, last: Callable[[], object]) -> None:
    """End a loop, and wait for its thread."""
    asyncio.run_coroutine_threadsafe(_cancelled(loop, last), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _cancelled(loop: asyncio.AbstractEventLoop, last: Callable[[], object]) -> None:
    """Cancel all other tasks of a loop, wait until they have ended, and do what comes last."""
    others = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    last()
