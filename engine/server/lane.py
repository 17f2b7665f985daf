"""What takes the processor long, for a seat: one thing at a time in all of the server, in a thread.

A what-if decides a whole log again, and a case file does so many times. Who asks for such
things waits for their turn, seat by seat, and after each turn the lane rests: so all of them
together leave the greater part of the processor to those who play.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from ...errors import Refused
from ..service.turns import Turns
from .admission.denied import Denied

T = TypeVar("T")

ENTRIES = 10_000
"""Entries of a table of which such things are done, at most: some thirty evenings. On a machine of
today a what-if of these takes a second, a case file some eight."""

WAITING = 20
"""Seats that wait at once, at most."""

AGAIN = 1.0
"""Seconds after which to ask again where a seat has something under way, or too many wait."""

REST = 3
"""Times as long as a turn took, the lane rests."""

LONGEST = 3.0
"""Seconds that the lane rests, at most."""


def short_enough(size: int, command: str) -> None:
    """Refuse a table that is too long; `command` is what does the same at the shell.

    Raises Refused("out-of-range").
    """
    if size > ENTRIES:
        why = f"the table has {size:,} entries, too many for this server to decide again"
        raise Refused(
            "out-of-range", why, allowed=[f"at most {ENTRIES:,}", f"{command} with its bundle"]
        )


class Lane:
    """A lane of a server; `what` goes through it. With `rests` it rests after each turn."""

    def __init__(self, what: str = "a what-if or a case file", *, rests: bool = True) -> None:
        self._what = what
        self._rests = rests
        self._turns: Turns[tuple[str, str]] = Turns()
        self._under_way: set[tuple[str, str]] = set()

    async def do(self, table: str, seat: str, work: Callable[[], T]) -> T:
        """What `work` gives, done in a thread when it is this seat's turn. Raises as `turn`."""
        return await self.turn(table, seat, partial(asyncio.to_thread, work))

    async def turn(self, table: str, seat: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `work` gives when it is this seat's turn. Raises as it does.

        Raises Denied("too-fast") where the seat has something under way, or too many wait.
        """
        key = table, seat
        if key in self._under_way:
            why = f"this seat has {self._what} under way: wait for that"
            raise Denied("too-fast", why, retry_after=AGAIN)
        if len(self._under_way) >= WAITING:
            why = f"too many wait for {self._what}"
            raise Denied("too-fast", why, retry_after=AGAIN)
        self._under_way.add(key)
        try:
            await self._turns.acquire(key)
        except BaseException:
            self._under_way.discard(key)
            raise
        start = monotonic()
        job = asyncio.ensure_future(work())
        # The turn ends with the work, even if who asked gives up waiting.
        job.add_done_callback(lambda _: self._leave(key, start))
        return await asyncio.shield(job)

    def _leave(self, key: tuple[str, str], start: float) -> None:
        self._under_way.discard(key)
        rest = min(REST * (monotonic() - start), LONGEST) if self._rests else 0
        asyncio.get_running_loop().call_later(rest, self._turns.release)
