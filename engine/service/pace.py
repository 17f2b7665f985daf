"""Seats that ask much wait behind those that ask little: one at a time, in all of a service.

What a seat asks for takes the same threads, the same loop and the same file as what all others do,
at every table. Up to its pace a seat is served at once. Beyond it, it is served in the one lane of
all who are, each in turn, and after each turn the lane rests. So however many misbehave, what they
take is bounded, and nobody is refused. Where nobody asks little there is nobody to wait for.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

from msgspec import Struct

from .turns import Turns

BURST = 5
"""Seconds of its pace that a seat may ask at once, after it was quiet for as long."""

REST = 3
"""Times as long as a turn took, the lane rests: it takes a quarter of the time, at most."""

LONGEST = 1.0
"""Seconds that the lane rests, at most: a turn that loads a long table may take many."""

QUIET = 60.0
"""Seconds after which a seat does not count any more as one that asks."""

USUAL = 0.005
"""Seconds of the processor's time that a usual call takes; one that takes more counts as many."""

KEPT = 10_000
"""Seats that are remembered, at least, before those that were quiet for long are forgotten."""

Leave: TypeAlias = Callable[[], None]
"""Ends a turn."""


def no_turn() -> None:
    """End the turn of who needs none."""


class Calls(Struct):
    """How many calls a seat is ahead of its pace, as of a moment."""

    ahead: float
    when: float


class Pace:
    """The pace of every seat at every table: `most` calls a second."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seats: dict[tuple[str, str], Calls] = {}
        self._room = KEPT
        self._lane: Turns[tuple[str, str]] = Turns()
        # When each seat asked last that asks little, the latest last.
        self._little: dict[tuple[str, str], float] = {}

    def __len__(self) -> int:
        """How many seats are remembered."""
        return len(self._seats)

    async def enter(self, table: str, seat: str) -> Leave:
        """Count a call of a seat, and wait for its turn if it asks too much; call what this gives.

        It is to be called when what was asked for is done. A turn in the lane must not wait for
        another one.
        """
        if not self._beyond(table, seat, monotonic()) or self._alone():
            return no_turn
        await self._lane.acquire((table, seat))
        start = monotonic()
        loop = asyncio.get_running_loop()

        def leave() -> None:
            if self._alone():
                self._lane.release()
            else:
                rest = min(REST * (monotonic() - start), LONGEST)
                loop.call_later(rest, self._lane.release)

        return leave

    def _alone(self) -> bool:
        """Whether nobody asks who asks little."""
        latest = next(reversed(self._little.values()), None)
        return latest is None or monotonic() - latest >= QUIET

    def spend(self, table: str, seat: str, seconds: float) -> None:
        """Count what a call took of the processor's time beyond that of a usual one."""
        calls = self._seats.get((table, seat))
        if calls is not None:
            calls.ahead = min(calls.ahead + seconds / USUAL, 2 * self._most * BURST)

    def _beyond(self, table: str, seat: str, now: float) -> bool:
        """Count a call; whether the seat is beyond its pace."""
        burst = self._most * BURST
        calls = self._seats.get((table, seat))
        if calls is None:
            if len(self._seats) >= self._room:
                self._forget(now)
            calls = self._seats[table, seat] = Calls(0, now)
        calls.ahead = max(0.0, calls.ahead - self._most * (now - calls.when))
        calls.when = now
        beyond = calls.ahead >= burst
        self._little.pop((table, seat), None)
        if calls.ahead < burst / 2:
            self._little[table, seat] = now
        # Who goes on asking is not served at once between two turns of the lane.
        calls.ahead = min(calls.ahead + 1, 2 * burst)
        return beyond

    def _forget(self, now: float) -> None:
        """Forget every seat that did not ask for long: each has its whole burst again."""
        for known in [id for id, calls in self._seats.items() if now - calls.when >= QUIET]:
            del self._seats[known]
            self._little.pop(known, None)
        self._room = max(KEPT, 2 * len(self._seats))
