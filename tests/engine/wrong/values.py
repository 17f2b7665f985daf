"""Values of wrong types, and what a right command is, found without the engine's own checks."""

import json
import math
import signal
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any, NoReturn
from uuid import UUID

from msgspec import Struct

from urim.engine.core.commands import AnyCommand
from urim.engine.core.parse import read_command
from urim.errors import Refused

PATIENCE = 60.0
"""Seconds of the processor that one attempt may take: what takes longer hangs."""

# --- what no argument may be ----------------------------------------------------------------------


class Hostile:
    """An object whose every method raises."""

    def _never(self, *_: object) -> NoReturn:
        raise ZeroDivisionError("a method of the caller's value")

    __eq__ = __ne__ = __lt__ = __repr__ = __str__ = __len__ = __iter__ = __bool__ = _never
    __getitem__ = __contains__ = __hash__ = __int__ = __index__ = __format__ = _never


class Text(str):
    """A str that compares in its own way."""

    __slots__ = ()

    def __eq__(self, _: object) -> bool:
        raise ZeroDivisionError("a text of the caller's own")

    __hash__ = str.__hash__


class Whole(int):
    """An int that is no int of Python's own."""

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = int.__hash__


class Point(Struct):
    """A Struct that is no command."""

    x: Any = 1


def endless() -> list[Any]:
    """A list that is in itself."""
    found: list[Any] = []
    found.append(found)
    return found


def deep(depth: int = 10_000) -> list[Any]:
    """A list within lists."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


NO_JSON: tuple[Any, ...] = (
    b"p1", bytearray(b"p1"), memoryview(b"p1"), math.nan, math.inf, -math.inf, {"p1"},
    frozenset({1}), object(), Hostile(), Text("p1"), Whole(1), 1j, Decimal(1), UUID(int=1),
    datetime(2026, 1, 1, tzinfo=UTC), range(3), iter("p1"), len, int, Ellipsis, {1: 2}, {b"x": 1},
    {None: 1}, {"x": math.nan}, [b"x"], {"x": {"y": {Text("p1"): 1}}}, endless(), deep(),
    Exception("x"), 10**5_000, -(10**5_000),
)  # fmt: skip
"""Values that JSON cannot carry as they are, of whatever type a field is."""

NO_TEXT: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.5, 2**63, 2**64, 10**30, 1e308, [], ["p1"], {}, {"p1": 1}, (),
    ("p1",), Point(), *NO_JSON,
)  # fmt: skip
"""Values that are no str."""

NO_WHOLE: tuple[Any, ...] = (
    None, True, False, 1.0, 1.5, "1", "", [], [1], {}, (1,), 2**63, 10**30, Point(), *NO_JSON,
)  # fmt: skip
"""Values that are no int of 64 bits."""

TEXTS = (
    "", " ", "\0", "\ud800", "p1\n", "P1", "x" * 100_000, "\u202e", "א", "p1 ", "../x", "'; --",
    "None", "NaN", "c1", "p1", "narrator", "initiator",
)  # fmt: skip
"""Texts that are perhaps no id, no word and no reason."""

NUMBERS = (-1, 0, 1, 2, 3, 10, 999, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 1e9, 7.5, -0.0)
"""Numbers that are perhaps out of their bounds."""

ANY: tuple[Any, ...] = (*NO_TEXT, *TEXTS, *NUMBERS)


def some(random: Random) -> Any:
    """Any value, now and then one within another."""
    value = random.choice(ANY)
    match random.randrange(12):
        case 0:
            return [value]
        case 1:
            return {"x": value}
        case 2:
            return (value, random.choice(ANY))
        case _:
            return value


# --- what is right --------------------------------------------------------------------------------


class NotJSON(Exception):
    """A value that JSON has not."""


def as_json(value: Any) -> Any:
    """A value as JSON has it, of Python's own types alone. Raises NotJSON."""
    if isinstance(value, Struct):
        known = {name: as_json(getattr(value, name)) for name in value.__struct_fields__}
        config = value.__struct_config__
        if config.array_like:
            return list(known.values())
        return known if config.tag_field is None else {config.tag_field: config.tag, **known}
    if type(value) in (list, tuple):
        return [as_json(each) for each in value]
    if type(value) is dict:
        if any(type(key) is not str for key in value):
            raise NotJSON
        return {key: as_json(each) for key, each in value.items()}
    if value is None or type(value) in (str, int, bool):
        return value
    if type(value) is float and math.isfinite(value):
        return int(value) if value.is_integer() else value
    raise NotJSON


def right(command: Any) -> AnyCommand | None:
    """The command that an object is, read from its JSON; None where it is none."""
    try:
        return read_command(json.dumps(as_json(command)).encode())
    except (NotJSON, Refused, RecursionError, ValueError):
        return None


# --- what hangs -----------------------------------------------------------------------------------


class Hangs(BaseException):
    """What was tried took more of the processor's time than anything should."""


@contextmanager
def ending(what: object) -> Generator[None]:
    """Raise Hangs in what takes more than PATIENCE of this process's own time."""

    def stop(*_: object) -> NoReturn:
        raise Hangs(f"it did not end: {what!r}")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
