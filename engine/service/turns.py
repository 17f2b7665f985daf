"""One at a time; of those who wait, first the one that was served longest ago."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

K = TypeVar("K")


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
