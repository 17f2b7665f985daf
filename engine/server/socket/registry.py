"""All open sockets of a server: how many there may be, and when they must be closed.

A token that is revoked, by this process or another one, closes its sockets within a second; one
that expires, at that time. When the server stops, every socket is closed once the request that it
began is answered.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from typing import Protocol, TypeVar

from ...access.protocol import Ended, Grant
from ...access.store import AccessStore
from ...logs import logger
from ...wire import numbers
from ..process.config import Config
from .frames import Frames

K = TypeVar("K")

LOOK_AHEAD = 3_600_000
"""Milliseconds that a timer runs, at most: longer ones are set again after that."""

PAUSE = 1.0
"""Seconds after which to look again where the access store could not be read."""


class Open(Protocol):
    """An open socket, as far as it is to be closed."""

    grant: Grant

    def end(self, code: int) -> None:
        """Close it at once, with a code of `wire.numbers`; nothing more is sent to it."""
        ...

    def stop(self) -> None:
        """Close it as the server stops, once the request that it began is answered."""
        ...


class Sockets:
    """The open sockets of one process. `frames` are what they share of what is sent."""

    def __init__(self) -> None:
        self.frames = Frames()
        self.stopped = False
        self._open: dict[Open, asyncio.TimerHandle] = {}
        self._by_grant: dict[str, set[Open]] = {}
        self._seats: Counter[tuple[str | None, str | None]] = Counter()
        self._tables: Counter[str | None] = Counter()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._open)

    def at(self, table: str, seat: str | None = None) -> int:
        """How many there are at a table, or of one seat there."""
        return self._tables[table] if seat is None else self._seats[table, seat]

    # --- opened and closed ------------------------------------------------------------------------

    def add(self, socket: Open, config: Config, now: Callable[[], int]) -> int:
        """Count an open socket until `remove`: 0, or the code that it must be closed with."""
        grant = socket.grant
        table, seat = grant.table, (grant.table, grant.seat)
        if self.stopped:
            return numbers.RESTART
        if self._seats[seat] >= config.seat_sockets or self._tables[table] >= config.table_sockets:
            return numbers.MANY
        self._seats[seat] += 1
        self._tables[table] += 1
        self._by_grant.setdefault(grant.id, set()).add(socket)
        self._watch(socket, now)
        return 0

    def remove(self, socket: Open) -> None:
        """Count it no more."""
        timer = self._open.pop(socket, None)
        if timer is None:
            return
        timer.cancel()
        grant = socket.grant
        _less(self._seats, (grant.table, grant.seat))
        _less(self._tables, grant.table)
        held = self._by_grant[grant.id]
        held.discard(socket)
        if not held:
            del self._by_grant[grant.id]

    def _watch(self, socket: Open, now: Callable[[], int]) -> None:
        # A clock may be set, so it is looked at once an hour at least.
        seconds = min(max(socket.grant.expires - now(), 0), LOOK_AHEAD) / 1000
        later = asyncio.get_running_loop().call_later
        self._open[socket] = later(seconds, self._expire, socket, now)

    def _expire(self, socket: Open, now: Callable[[], int]) -> None:
        if socket.grant.expires <= now():
            socket.end(numbers.REFUSED)
        else:
            self._watch(socket, now)

    # --- closed for all ---------------------------------------------------------------------------

    async def follow(self, access: AccessStore) -> None:
        """Close the sockets of tokens that are revoked, until cancelled.

        Where the store cannot be read, nobody knows: all are closed, and their clients try again.
        """
        while True:
            try:
                async with aclosing(access.follow(lambda: tuple(self._by_grant))) as news:
                    async for ended in news:
                        self._revoke(ended)
            except Exception as error:  # noqa: BLE001 - whatever it was, nobody watches meanwhile
                logger.error("revocations cannot be followed", error=type(error).__name__)
            self.end(numbers.AGAIN)
            await asyncio.sleep(PAUSE)

    def _revoke(self, ended: Ended) -> None:
        for id in ended:
            for socket in tuple(self._by_grant.get(id, ())):
                socket.end(numbers.REFUSED)

    def end(self, code: int) -> None:
        """Close all at once."""
        for socket in tuple(self._open):
            socket.end(code)

    def stop(self) -> None:
        """Close each as soon as the request that it began is answered, and let no more come."""
        self.stopped = True
        for socket in tuple(self._open):
            socket.stop()


def _less(counter: Counter[K], key: K) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
