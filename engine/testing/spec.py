"""What a command leads to, as a sentence: given what happened, when a seat asks, then these events.

    given(table).when("p1", Resolve(1)).then(like(RollResolved, outcome={"degree": "failure"}))
    given(table, ("p1", declare)).when("p2", React(1, "c2", {})).then(refused("not-offered"))
    given(TableOpened(...), SeatTaken(...), ...).when(...).then(SeatLeft("p1", "p1"))

The table goes on: after `then` another `when` may follow. A refused command must have changed
nothing. Under pytest a `when` without its `then` fails the test.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.json import decode as from_json
from msgspec.json import encode as to_json
from msgspec.structs import fields

from ...errors import CODES, Refused
from ...events import table as tabled
from ...events.base import Event
from ...events.codec import Fact
from ..core.commands import AnyCommand
from ..table import Table
from .plugin.tables import FixtureTable
from .plugin.watch import note_debt

__all__ = ["Given", "Refusal", "When", "given", "like", "refused"]

Past: TypeAlias = Table | Fact | tuple[str, AnyCommand]
"""What was before: a table, an event as a fact, or a seat and its command."""

NOTHING = object()
"""Stands for a value that is not there."""

PAIRS = 1_000_000
"""Pairs of events that are compared to find the ones in common; beyond it place by place."""

VALUE_WIDTH = 400
"""Characters of an event that a difference shows, at most."""


class Like(Struct, frozen=True):
    """Any event of a kind whose named fields are as said; of a JSON object the named keys alone."""

    kind: type[Event]
    wanted: Mapping[str, Any]


Expected: TypeAlias = Fact | Like | type[Event] | None
"""An event that must come just so, one of which some fields must, any of a class, an erased one."""

Gap: TypeAlias = tuple[list[int], list[int]]
"""Places of events that were expected, and of those that came instead."""


class Refusal(Struct, frozen=True):
    """A refusal that is expected: its code, and words that its reason holds."""

    code: str
    words: str = ""


def refused(code: str, words: str = "") -> Refusal:
    """The command is refused by this code, for a reason that holds these words.

    Raises Refused("unknown") for a code that there is not.
    """
    if code not in CODES:
        raise Refused("unknown", f"no refusal has the code {code!r}", allowed=CODES)
    return Refusal(code, words)


def given(*past: Past) -> "Given":
    """A table as these facts leave it.

    The first is a table, or the event that opens one; the others are events, taken as facts
    whatever the rules say, or commands. Raises Refused for a command that is refused, Damaged for
    an event that cannot follow.
    """
    first = past[0] if past else None
    if isinstance(first, Table):
        table = first
    elif isinstance(first, tabled.TableOpened):
        table = FixtureTable(
            first.ruleset, dice=first.source, id=first.table, level=first.level, opened=first
        )
    else:
        why = f"it begins with {first!r}"
        raise Refused("malformed", why, allowed=["a table", "the event that opens one"])
    found = Given(table)
    for each in past[1:]:
        found.also(each)
    return found


class Given:
    """A table at a point of its story."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def also(self, past: Past) -> None:
        """Let one more thing have happened."""
        if isinstance(past, tuple):
            self.table.submit(*past)
        elif isinstance(past, Event) and isinstance(self.table, FixtureTable):
            self.table.append(past)
        else:
            kinds = ["an event, of a FixtureTable", "a seat and its command"]
            raise Refused("malformed", f"{past!r} cannot have happened here", allowed=kinds)

    def when(self, seat: str, command: AnyCommand) -> "When":
        """Let a seat ask for something."""
        return When(self, seat, command)


class When:
    """What came of a command: events, or a refusal. Ask with `then`."""

    def __init__(self, before: Given, seat: str, command: AnyCommand) -> None:
        self._before = before
        self._asked = f"when {seat} asks {command}"
        self._asks = True
        self.refusal: Refused | None = None
        aggregate = before.table.aggregate
        size = len(aggregate.records)
        try:
            before.table.submit(seat, command)
        except Refused as error:
            self.refusal = error
        records = aggregate.records[size:]
        self.events: tuple[Fact, ...] = tuple(r.event for r in records if r is not None)
        note_debt(self)

    def owed(self) -> str:
        """That nothing was checked, as long as nothing was."""
        return f"{self._asked}: `then` is missing, nothing was checked" if self._asks else ""

    def then(self, *expected: Expected | Refusal) -> Given:
        """Check that just these events came, in order, or that the command was refused.

        Events are compared whole, but for those that `like` describes, and classes, of which any
        event is as expected. Nothing expected: nothing came. Raises AssertionError with what
        differs, event by event.
        """
        __tracebackhide__ = True
        self._asks = False
        note_debt(self)
        codes = [each for each in expected if isinstance(each, Refusal)]
        events = [each for each in expected if not isinstance(each, Refusal)]
        if codes and (events or len(codes) > 1):
            raise Refused("malformed", "a refusal stands alone", allowed=["events", "a refusal"])
        wrong = self._unlike_refusal(codes[0]) if codes else self._unlike(events)
        if wrong:
            raise AssertionError("\n".join([self._asked, *wrong]))
        return self._before

    def _unlike(self, expected: list[Fact | Like | type[Event] | None]) -> list[str]:
        if self.refusal is None:
            return differences(expected, self.events)
        lines = [f"  it was refused by {self.refusal.code!r}: {self.refusal}", "  expected:"]
        return [*lines, *(f"    {told(each)}" for each in expected)]

    def _unlike_refusal(self, expected: Refusal) -> list[str]:
        words = f" for {expected.words!r}" if expected.words else ""
        wanted = f"  expected a refusal by {expected.code!r}{words}"
        if self.refusal is None:
            return [wanted, "  but this came:", *(f"    {told(each)}" for each in self.events)]
        if self.refusal.code == expected.code and expected.words in str(self.refusal):
            return []
        return [wanted, f"  but it was refused by {self.refusal.code!r}: {self.refusal}"]


def like(kind: type[Event], /, **wanted: Any) -> Like:
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


def told(event: Expected) -> str:
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


def fits(expected: Expected, found: Fact | None) -> bool:
    """Whether an event is the expected one."""
    return not any(differing(expected, found))


def differing(expected: Expected, found: Fact | None) -> Iterator[str]:
    """The fields in which an event is not as expected, a line each."""
    if expected is None or found is None:
        if expected is not found:
            yield f"expected {told(expected)}, found {told(found)}"
        return
    kind = _kind(expected)
    if kind is not type(found):
        yield f"expected {kind.__name__}, found {type(found).__name__}"
    elif isinstance(expected, Like):
        for name, value in expected.wanted.items():
            yield from _values(name, value, plain(getattr(found, name)), partly=True)
    elif not isinstance(expected, type):
        # As they are stored: an event written by hand may hold tuples where a log has lists, and
        # to Python 1 is True.
        yield from _values("", plain(expected), plain(found), partly=False)


def _kind(expected: Fact | Like | type[Event]) -> type[Event]:
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


def differences(expected: Sequence[Expected], found: Sequence[Fact | None]) -> list[str]:
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
        lines += [f"- {at} did not come: {told(expected[at])}" for at in ours[both:]]
        lines += [f"+ {to} was not expected: {told(found[to])}" for to in theirs[both:]]
    return lines


def _gaps(expected: Sequence[Expected], found: Sequence[Fact | None]) -> Iterator[Gap]:
    """The places between events that are as expected."""
    ours = theirs = 0
    for at, to in [*_common(expected, found), (len(expected), len(found))]:
        if (ours, theirs) != (at, to):
            yield list(range(ours, at)), list(range(theirs, to))
        ours, theirs = at + 1, to + 1


def _common(
    expected: Sequence[Expected], found: Sequence[Fact | None]
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
