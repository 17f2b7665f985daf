"""A table of handlers pairs each class of events with the function that takes such an event.

    HANDLERS = dict([row(SeatLeft, _seat_left), row(SeatTaken, _seat_taken)])
    HANDLERS[type(event)](state, event, …)

A type checker sees each pair where its row is written, so a handler needs no cast. It cannot see
that a lookup by `type(event)` finds the handler of that very class: there the event is Any.
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..events.base import EventBase

State = TypeVar("State")
Kind = TypeVar("Kind", bound=EventBase)
More = ParamSpec("More")
Result = TypeVar("Result")


def row(
    kind: type[Kind], handler: Callable[Concatenate[State, Kind, More], Result]
) -> tuple[type[EventBase], Callable[Concatenate[State, Any, More], Result]]:
    """One item of a table; the handler takes a state first, then an event of the class `kind`."""
    return kind, handler
