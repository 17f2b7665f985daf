"""How long a client waits, and how it tries again."""

import secrets
from collections.abc import Callable

from msgspec import Struct

from ...errors import Refused


def _between() -> float:
    """A number from 0 up to 1."""
    return secrets.randbelow(1 << 32) / (1 << 32)


class Manners(Struct, frozen=True, kw_only=True):
    """Times of a client, in seconds.

    A connection that fails is tried again after a random part of `first`, then of twice as much,
    and of `most` in the end. A request that is not answered within `patience` raises. What a seat
    was shown is kept every `keep` at least; `draw` gives numbers from 0 up to 1.
    Raises Refused("out-of-range") for a negative time.
    """

    first: float = 0.5
    most: float = 30.0
    patience: float = 30.0
    keep: float = 5.0
    draw: Callable[[], float] = _between

    def __post_init__(self) -> None:
        for name in ("first", "most", "patience", "keep"):
            if getattr(self, name) < 0:
                raise Refused("out-of-range", f"{name} is below 0", allowed=["0 or more"])

    def delay(self, attempt: int) -> float:
        """How long to wait before attempt number `attempt`, counted from 0."""
        return float(min(self.most, self.first * 2 ** min(attempt, 30)) * self.draw())


DEFAULT = Manners()
"""The times of a client that is given no others."""
