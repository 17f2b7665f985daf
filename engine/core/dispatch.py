"""A table of handlers pairs each class with a function that takes an object of that class."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

Row: TypeAlias = tuple[type, Callable[Concatenate[Any, P], R]]
"""A class and its handler, as a table of many classes can hold them."""


def on(kind: type[T], handler: Callable[Concatenate[T, P], R]) -> Row[P, R]:
    """The row of a table for objects of class `kind`, which `handler` takes as its first argument.

    Type checkers hold each pair together here. In the table the first argument is Any, for no type
    says that `table[type(command)]` takes that command.
    """
    return kind, handler
