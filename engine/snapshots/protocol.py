"""What keeps the rows of snapshots: a file beside a log, or a database that services share."""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias, TypeVar

from ...errors import Unavailable

T = TypeVar("T")

HEAD = "head"
"""The kind of a snapshot's head, which is written with the rows that belong to it."""

Row: TypeAlias = tuple[str, int, bytes]
"""A kind, a number, a body."""


class StaleSnapshot(Unavailable):
    """A snapshot was thrown away, or others wrote the next: the table is to be loaded again."""


class Apart(Protocol):
    """Does some work that may read rows, and gives or raises what it does."""

    async def __call__(self, work: Callable[[], T], /) -> T:
        """Do it; other tasks have their turn while rows are waited for."""
        ...


async def at_once(work: Callable[[], T], /) -> T:
    """`Apart`, where rows need no waiting."""
    return work()


class StoredRows(Protocol):
    """The rows of one table in a store, as their holder took them up or wrote them last."""

    @property
    def known_as(self) -> str:
        """What the table is called in `recent`: another name where its rows may be others."""
        ...

    @property
    def stale(self) -> bool:
        """Whether they were thrown away, or others wrote the next."""
        ...

    @property
    def shared(self) -> bool:
        """Whether others may read them: then none is written but with its head."""
        ...

    def start_over(self) -> None:
        """Throw all of them away, and begin with none."""
        ...

    def read(self, kind: str, number: int) -> object:
        """What a row holds; None where there is none. Raises StaleSnapshot, Unavailable."""
        ...

    def read_range(self, kind: str, start: int, stop: int) -> list[tuple[object, object]]:
        """Numbers and contents of the rows from `start` up to `stop`. Raises as `read`."""
        ...

    def numbers(self, kind: str) -> list[object]:
        """The numbers of all rows of a kind. Raises as `read`."""
        ...

    def write(self, rows: Iterable[Row], without: Iterable[tuple[str, int]], size: int) -> None:
        """Delete the rows `without`, and write these, all or none. Raises as `read`.

        `size` is that of the table: who took up an older snapshot goes on with the rows of then.
        With a head among the rows, StaleSnapshot where others wrote the next snapshot first.
        """
        ...

    def wrote(self, size: int) -> None:
        """Read from now on as of this size, whose rows were written."""
        ...

    def throw_away(self) -> None:
        """Throw all of them away, one of them was not what was written; unless others did."""
        ...
