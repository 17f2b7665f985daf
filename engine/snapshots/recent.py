"""The rows that were used last, as objects, of all tables together: bounded in bytes."""

from collections import OrderedDict
from threading import Lock
from typing import Any, TypeAlias

Place: TypeAlias = tuple[str, str, int]
"""A table, a kind of rows, a number."""

OBJECT = 4.5
"""Bytes of memory, at most, that an object takes for each byte of its row; see `PER_BYTE` of the
service's tables, which was measured."""

LEAST = 200
"""Bytes of memory that an object takes, however short its row is."""


class Recent:
    """Objects by their places, the longest unused dropped first. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Place, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()
        self.size = 0

    def get(self, place: Place) -> Any:
        """The object there; None where it is not in memory."""
        with self._lock:
            found = self._held.get(place)
            if found is None:
                return None
            self._held.move_to_end(place)
            return found[0]

    def put(self, place: Place, item: object, row: int) -> None:
        """Hold an object whose row has so many bytes."""
        size = LEAST + round(OBJECT * row)
        with self._lock:
            before = self._held.pop(place, None)
            self.size += size - (before[1] if before else 0)
            self._held[place] = (item, size)
            while self.size > self._most:
                _, (_, dropped) = self._held.popitem(last=False)
                self.size -= dropped

    def drop(self, table: str) -> None:
        """Forget all of a table."""
        with self._lock:
            for place in [place for place in self._held if place[0] == table]:
                self.size -= self._held.pop(place)[1]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._held.clear()
            self.size = 0
