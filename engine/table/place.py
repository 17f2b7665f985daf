"""Where a table's commits go: into memory, or to another place that promises the same."""

from collections.abc import Collection, Iterator
from typing import Protocol

from ...events.entry import Entry
from ..core.aggregate import Aggregate, Environment
from ..core.commands import AnyThrow, Asking
from .shares import Shares, Turn, turns


class Place(Protocol):
    """Where a table is kept, and the chains of shares that were drawn for its seats."""

    shares: Shares

    @property
    def aggregate(self) -> Aggregate:
        """The table with every entry that there is now; to read alone."""
        ...

    def submit(self, seat: str, asking: Asking, request: str | None) -> tuple[Entry, ...]:
        """Do what a seat asks, as `Aggregate.submit`; what it added is kept when this returns."""
        ...

    def turns(
        self, seat: str, throw: AnyThrow, played: Collection[str] | None = None
    ) -> Iterator[Turn]:
        """The commands by which the seat makes a throw, as `shares.turns` has them."""
        ...

    def close(self) -> None:
        """Take no more commands; the table can still be read, as it is now."""
        ...


class Memory:
    """A place that lasts as long as the table's object; closing it changes nothing."""

    def __init__(self, environment: Environment) -> None:
        self.shares = Shares()
        self.aggregate = Aggregate(environment)

    def submit(self, seat: str, asking: Asking, request: str | None) -> tuple[Entry, ...]:
        return self.aggregate.submit(seat, asking, request)

    def turns(
        self, seat: str, throw: AnyThrow, played: Collection[str] | None = None
    ) -> Iterator[Turn]:
        return turns(lambda: self.aggregate.opened, seat, throw, self.shares, played)

    def close(self) -> None:
        return
