"""A table of handlers: each class of events with the function that takes an event of that class.

    HANDLERS = dict([row(SeatLeft, _left), row(SeatTaken, _taken)])
    HANDLERS[type(event)](state, event, …)

The types of a row are checked where it is written; a lookup by `type(event)` cannot be.
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
    """An item of a table: the class, and a handler of its events (after the state)."""
    return kind, handler
