"""How fast a seat may ask: so many requests a second and some at once, by socket and HTTP."""

from collections.abc import Callable
from time import monotonic

from ...wire import numbers

ROUNDING = 1e-6
"""Seconds that sums of times may be wrong by."""


class Buckets:
    """One bucket for each seat of a table; a seat that rests long enough is forgotten.

    `rate` is requests a second, `burst` how many may come at once. `clock` gives seconds.
    """

    def __init__(
        self,
        rate: float = numbers.RATE,
        burst: int = numbers.BURST,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._each = 1 / rate
        self._room = (burst - 1) / rate
        self._clock = clock
        # When each seat's bucket is full again; the seat that asked longest ago is first.
        self._full: dict[tuple[str, str], float] = {}

    def __len__(self) -> int:
        """How many seats are remembered."""
        return len(self._full)

    def take(self, table: str, seat: str) -> float:
        """Let a seat ask once: 0, or the seconds after which it may; then nothing was taken."""
        now = self._clock()
        self._forget(now)
        full = max(self._full.get((table, seat), now), now)
        wait = full - now - self._room
        if wait > ROUNDING:
            return wait
        self._full.pop((table, seat), None)
        self._full[table, seat] = full + self._each
        return 0.0

    def _forget(self, now: float) -> None:
        """Forget those whose bucket is full: they asked no later than a whole bucket ago."""
        while self._full:
            first = next(iter(self._full))
            if self._full[first] > now:
                return
            del self._full[first]
