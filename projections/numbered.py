"""Folds need no more of objects by number than this: a Map gives it, and a cache over a file."""

from collections.abc import Iterable
from typing import Protocol, TypeVar, overload

T = TypeVar("T")


class Changeable(Protocol[T]):
    """Objects by number; `set` gives the changed ones and leaves these as they were."""

    def get(self, number: int, default: T, /) -> T:
        """The object of that number, else the default."""
        ...

    def set(self, number: int, item: T, /) -> "Changeable[T]":
        """The same with this object under that number."""
        ...


class Indexed(Protocol[T]):
    """Objects by number, some of which are taken out again."""

    def get(self, number: int, /) -> T | None:
        """The object of that number; None where there is none."""
        ...

    def set(self, number: int, item: T, /) -> "Indexed[T]":
        """The same with this object under that number; these stay as they were."""
        ...

    def delete(self, number: int, /) -> "Indexed[T]":
        """The same without the object of that number, which is there."""
        ...


class Numbered(Protocol[T]):
    """Objects by number that can be counted and gone through as well."""

    def get(self, number: int, /) -> T | None:
        """The object of that number; None where there is none."""
        ...

    def set(self, number: int, item: T, /) -> "Numbered[T]":
        """The same with this object under that number; these stay as they were."""
        ...

    def delete(self, number: int, /) -> "Numbered[T]":
        """The same without the object of that number, which is there."""
        ...

    def __getitem__(self, number: int, /) -> T: ...

    def __contains__(self, number: int, /) -> bool: ...

    def __len__(self) -> int: ...

    def values(self) -> Iterable[T]:
        """The objects, in any order."""
        ...


class Named(Protocol[T]):
    """Objects by name."""

    @overload
    def get(self, name: str, /) -> T | None: ...
    @overload
    def get(self, name: str, default: T, /) -> T: ...

    def set(self, name: str, item: T, /) -> "Named[T]":
        """The same with this object under that name; these stay as they were."""
        ...

    def delete(self, name: str, /) -> "Named[T]":
        """The same without the object of that name, which is there."""
        ...

    def __getitem__(self, name: str, /) -> T: ...

    def __contains__(self, name: object, /) -> bool: ...

    def items(self) -> Iterable[tuple[str, T]]:
        """Names and objects, in any order."""
        ...
