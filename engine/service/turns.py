"""One at a time; of those who wait, first the one that was served longest ago."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Turns(Generic[K]):
    """A lock that is handed round: who waits often has one turn while every other has one.

    Who waits under one key is served first come, first served.
    """

    def __init__(self) -> None:
        self._taken = False
        # In the order of their turns: who was served goes behind all others.
        self._waiting: dict[K, deque[asyncio.Future[None]]] = {}

    async def acquire(self, key: K) -> None:
        """Wait for a turn. Give it back with `release`."""
        if not self._taken:
            self._taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.release()  # it came just then
            raise

    def release(self) -> None:
        """Let the next have its turn."""
        while self._waiting:
            key = next(iter(self._waiting))
            line = self._waiting.pop(key)
            turn = line.popleft()
            if line:
                self._waiting[key] = line
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False


def settle(answer: asyncio.Future[T], task: asyncio.Task[T]) -> None:
    """Give an answer what came of a task, unless its caller gave up waiting."""
    error = None if task.cancelled() else task.exception()
    if answer.done():
        return
    if task.cancelled():
        answer.cancel()
    elif error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(task.result())
