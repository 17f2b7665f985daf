"""Events expected beside events that came: what differs, event by event, field by field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.json import decode as from_json
from msgspec.json import encode as to_json
from msgspec.structs import fields

from ...errors import Refused
from ...events.base import EventBase
from ...events.codec import Event

NOTHING = object()
"""In place of a value that is missing."""

PAIRS = 1_000_000
"""Pairs of events that are compared to find the ones in common; beyond it place by place."""

VALUE_WIDTH = 400
"""Characters of an event that a difference shows, at most."""


class Like(Struct, frozen=True):
    """Any event of a kind with these values in these fields; of a JSON object the named keys."""

    kind: type[EventBase]
    wanted: Mapping[str, Any]


Expected: TypeAlias = Event | Like | type[EventBase] | None
"""A whole event, one described by some of its fields, any of a class, or None: an erased one."""


def like(kind: type[EventBase], /, **wanted: Any) -> Like:
    """An event of which only these fields matter, and of the objects in them only the named keys.

    Raises Refused("unknown") for a field that such an event does not have.
    """
    known = [field.name for field in fields(kind)]
    for name in wanted:
        if name not in known:
            raise Refused("unknown", f"{kind.__name__} has no {name!r}", allowed=known)
    return Like(kind, {name: plain(value) for name, value in wanted.items()})


def plain(value: Any) -> Any:
    """The value as JSON has it: lists for tuples, objects for Structs."""
    return from_json(to_json(value))


def summary(event: Expected) -> str:
    """An event on one line, cut off where it is long."""
    if event is None:
        return "(erased)"
    if isinstance(event, type):
        return event.__name__
    if isinstance(event, Like):
        return _cut(f"{event.kind.__name__} with {_shown(event.wanted)}")
    values = plain(event)
    del values["type"]
    return _cut(f"{type(event).__name__} {_shown(values)}")


def fits(expected: Expected, found: Event | None) -> bool:
    """Whether an event is the expected one."""
    return not any(differing(expected, found))


def differing(expected: Expected, found: Event | None) -> Iterator[str]:
    """The fields in which an event is not as expected, a line each."""
    if expected is None or found is None:
        if expected is not found:
            yield f"expected {summary(expected)}, found {summary(found)}"
        return
    kind = _kind(expected)
    if kind is not type(found):
        yield f"expected {kind.__name__}, found {type(found).__name__}"
    elif isinstance(expected, Like):
        for name, value in expected.wanted.items():
            yield from _values(name, value, plain(getattr(found, name)), partly=True)
    elif not isinstance(expected, type):
        # As they are stored: an event made in a test may hold tuples where a log has lists, and
        # to Python 1 is True.
        yield from _values("", plain(expected), plain(found), partly=False)


def _kind(expected: Event | Like | type[EventBase]) -> type[EventBase]:
    if isinstance(expected, Like):
        return expected.kind
    return expected if isinstance(expected, type) else type(expected)


def _values(path: str, expected: Any, found: Any, *, partly: bool) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(found, dict):
        names = dict.fromkeys(expected if partly else (*expected, *found))
        for name in names:
            below = f"{path}.{name}" if path else str(name)
            pair = expected.get(name, NOTHING), found.get(name, NOTHING)
            yield from _values(below, *pair, partly=partly)
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for at, pair in enumerate(zip(expected, found, strict=True)):
            yield from _values(f"{path}[{at}]", *pair, partly=partly)
    elif type(expected) is not type(found) or expected != found:
        yield f"{path}: expected {_shown(expected)}, found {_shown(found)}"


def _shown(value: Any) -> str:
    return "nothing" if value is NOTHING else _cut(to_json(value).decode("utf-8"))


def _cut(text: str) -> str:
    return text if len(text) <= VALUE_WIDTH else f"{text[: VALUE_WIDTH - 1]}…"


def differences(expected: Sequence[Expected], found: Sequence[Event | None]) -> list[str]:
    """Where events are not as expected, for reading; none where they are.

    `!` an event with other fields, `-` one that did not come, `+` one that was not expected; the
    number is the event's place, counted from 0, among those that came (`-`: those expected).
    """
    lines: list[str] = []
    for ours, theirs in _gaps(expected, found):
        both = min(len(ours), len(theirs))
        for at, to in zip(ours[:both], theirs[:both], strict=True):
            name = "an erased one" if found[to] is None else type(found[to]).__name__
            lines.append(f"! {to} {name}")
            lines += [f"      {line}" for line in differing(expected[at], found[to])]
        lines += [f"- {at} did not come: {summary(expected[at])}" for at in ours[both:]]
        lines += [f"+ {to} was not expected: {summary(found[to])}" for to in theirs[both:]]
    return lines


Gap: TypeAlias = tuple[list[int], list[int]]
"""Places of events that were expected, and of those that came instead."""


def _gaps(expected: Sequence[Expected], found: Sequence[Event | None]) -> Iterator[Gap]:
    """The places between events that are as expected."""
    ours = theirs = 0
    for at, to in [*_common(expected, found), (len(expected), len(found))]:
        if (ours, theirs) != (at, to):
            yield list(range(ours, at)), list(range(theirs, to))
        ours, theirs = at + 1, to + 1


def _common(
    expected: Sequence[Expected], found: Sequence[Event | None]
) -> list[tuple[int, int]]:  # fmt: skip
    """The longest run of pairs that fit, in order."""
    last = min(len(expected), len(found))
    start = next((at for at in range(last) if not fits(expected[at], found[at])), last)
    head = [(at, at) for at in range(start)]
    rest, others = expected[start:], found[start:]
    if len(rest) * len(others) > PAIRS:
        pairs = enumerate(zip(rest, others, strict=False), start)
        return head + [(at, at) for at, (one, other) in pairs if fits(one, other)]
    return head + _longest(start, lambda at, to: fits(rest[at], others[to]), len(rest), len(others))


def _longest(
    start: int, fit: Callable[[int, int], bool], ours: int, theirs: int
) -> list[tuple[int, int]]:
    table = [[0] * (theirs + 1) for _ in range(ours + 1)]
    fitting = [[fit(at, to) for to in range(theirs)] for at in range(ours)]
    for at in reversed(range(ours)):
        for to in reversed(range(theirs)):
            skipped = max(table[at + 1][to], table[at][to + 1])
            table[at][to] = max(skipped, table[at + 1][to + 1] + 1 if fitting[at][to] else 0)
    found: list[tuple[int, int]] = []
    at = to = 0
    while at < ours and to < theirs:
        if fitting[at][to] and table[at][to] == table[at + 1][to + 1] + 1:
            found.append((start + at, start + to))
            at, to = at + 1, to + 1
        elif table[at + 1][to] >= table[at][to + 1]:
            at += 1
        else:
            to += 1
    return found
