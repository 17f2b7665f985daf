"""Tables of handlers, each row a class and the function that takes an object of just that class.

    CHANGES = dict([row(SeatLeft, _seat_left), row(SeatTaken, _seat_taken)])
    CHANGES[type(event)](state, event, …)

A type checker sees each pair where its row is written, so a handler needs no cast. It cannot see
that a lookup by `type(event)` finds the handler of that very class: in the table it is Any.

There are two orders, those of every decider: evolve takes the state, then the event (`row`); decide
takes the command, then the rest (`on`).
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from ..events.base import EventBase

State = TypeVar("State")
Kind = TypeVar("Kind", bound=EventBase)
T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

Row: TypeAlias = tuple[type, Callable[Concatenate[Any, P], R]]
"""A class and its handler, as a table of many classes can hold them."""


def row(
    kind: type[Kind], handler: Callable[Concatenate[State, Kind, P], R]
) -> tuple[type[EventBase], Callable[Concatenate[State, Any, P], R]]:
    """The row of events of class `kind`; the handler takes a state, then such an event."""
    return kind, handler


def on(kind: type[T], handler: Callable[Concatenate[T, P], R]) -> Row[P, R]:
    """The row of commands of class `kind`; the handler takes such a command, then the rest."""
    return kind, handler
