"""Posting lists: what happened to each of many, in log order, looked up from any entry on."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Generic, Protocol, Self, TypeVar

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ..numbered import Indexed

LIST = 1 << 40
"""Items of one list, at most: the numbers of the next one's begin behind them."""


class Placed(Protocol):
    """What has its place in the log: entry `seq`."""

    @property
    def seq(self) -> int:
        """The entry's sequence."""
        ...


T = TypeVar("T", bound=Placed)


class Postings(Struct, Generic[T], frozen=True):
    """The items of all, `held` by number; `lists` say where those of each are.

    A list is (number of its first item, how many there are).
    """

    held: Indexed[T] = Map()
    lists: Map[str, tuple[int, int]] = Map()

    def count(self, who: str) -> int:
        """How many items there are of one."""
        return self.lists.get(who, (0, 0))[1]

    def at(self, who: str, number: int) -> T:
        """An item of one, from 0 on. Raises KeyError where there is none."""
        found = self.held.get(self.lists[who][0] + number)
        if found is None:
            raise KeyError(number)
        return found

    def first_from(self, who: str, seq: int) -> int:
        """The number of one's first item at entry `seq` or later; `count` without one."""
        return bisect_left(range(self.count(who)), seq, key=lambda each: self.at(who, each).seq)

    def between(self, who: str, first: int, last: int) -> Iterator[T]:
        """The items of one from entry `first` to entry `last`, oldest first."""
        for number in range(self.first_from(who, first), self.first_from(who, last + 1)):
            yield self.at(who, number)

    def added(self, who: str, item: T) -> Self:
        """The same with one more item at the end of one's."""
        first, count = self.lists.get(who, (LIST * len(self.lists), 0))
        held = self.held.set(first + count, item)
        return replace(self, held=held, lists=self.lists.set(who, (first, count + 1)))
