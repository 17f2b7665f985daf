"""What an Aggregate needs of where it keeps a table by number: a dict, or what gives the same.

Who keeps a long table elsewhere gives objects of its own; see `urim.engine.snapshots`.
"""

from typing import Protocol, TypeVar, overload

T = TypeVar("T")


class Numbers(Protocol[T]):
    """Objects by number, as a dict has them."""

    @overload
    def get(self, number: int, /) -> T | None: ...
    @overload
    def get(self, number: int, default: T, /) -> T: ...

    def __setitem__(self, number: int, item: T, /) -> None: ...
