"""An event loop on a thread of its own, for callers that block; or for those whose loop goes on.

Work that is not written for an event loop, as the folding of a table is, may come to a row that is
in a database. `apart` runs such work as a greenlet: where it has to wait, it is left as it stands,
the loop that called it goes on, and it goes on when the answer is there. What finds everything in
memory is not slowed down by that, as it would be by a thread.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

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
        """What some work gives, once it is done in the loop. Raises what it raises.

        It blocks, unless it is called `apart`.
        """
        return _waited(asyncio.run_coroutine_threadsafe(work(), self._running()))

    def settle(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Do some work, if there is a loop; from a thread in which a loop runs it is only begun.

        It is never waited for for ever: who forgets something last may be about to end.
        """
        loop = self._loop
        if loop is not None and not loop.is_closed():
            doing = asyncio.run_coroutine_threadsafe(work(), loop)
            if not _in_a_loop():
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


def _in_a_loop() -> bool:
    """Whether an event loop runs in this thread, which nothing must hold up."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Apart(greenlet):
    """Work that is left as it stands while it waits."""


async def apart(work: Callable[[], T]) -> T:
    """What some work gives; while it waits for a `LoopThread`, this event loop goes on.

    Raises what it raises. It must hold no lock while it waits that others take in this loop.
    """
    doing = _Apart(work)
    doing.gr_context = copy_context()
    found: Any = doing.switch()
    while not doing.dead:
        try:
            answer = await asyncio.wrap_future(found)
        except BaseException as error:  # noqa: BLE001 - it is the work's
            found = doing.throw(error)
        else:
            found = doing.switch(answer)
    return found  # type: ignore[no-any-return]  # what it waited for, until it is dead


def _waited(answer: "Future[T]") -> T:
    """An answer, waited for: here, or where this work was called from."""
    here = getcurrent()
    if isinstance(here, _Apart) and here.parent is not None:
        return here.parent.switch(answer)  # type: ignore[no-any-return]
    return answer.result()
