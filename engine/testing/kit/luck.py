"""The draws of a history: a stream of numbers that follows from a text, the same in every run."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

DRAWS = 1 << 64
"""The values that one digest gives: its first 8 bytes."""


class Luck:
    """A stream of draws that follows from a text; never for real dice: the text gives it away."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._count = 0

    def below(self, most: int) -> int:
        """A number from 0 to `most` - 1, each as likely as the others."""
        fair = DRAWS - DRAWS % most
        while True:
            text = f"urim kit\n{self.seed}\n{self._count}\n".encode()
            self._count += 1
            value = int.from_bytes(sha256(text).digest()[:8], "big")
            if value < fair:
                return value % most

    def one_in(self, times: int) -> bool:
        """Whether something happens that happens once in so many times."""
        return self.below(times) == 0

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items, which may not be empty."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in another order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in items]

    def some_of(self, items: Sequence[T], count: int) -> tuple[T, ...]:
        """So many of the items, each at most once."""
        return tuple(self.shuffled(items)[:count])
