"""How an event differs from the one that its command leads to."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import Event, event_json

VALUE_WIDTH = 300
"""Characters of a value that a remark shows, at most."""

NUMBERS = frozenset(
    {
        *("damage", "declaration", "declared", "effects", "outcome"),
        *("reaction", "target", "taken", "tracks"),
    }
)
"""Fields that the rules fill; all others repeat the command, or show what it was allowed."""

FIRM = (rolled.RollResolved, rolled.DiceRolled)
"""Events whose numbers follow from the roll alone."""


class Field(Struct, frozen=True):
    """A field of an event, by its path, that the rules give another value; both as JSON."""

    path: str
    expected: str
    found: str


class Wrong(Struct, frozen=True):
    """An entry that the rules do not lead to, and why.

    One that is `firm` is wrong whatever the characters' tracks were. `fields` are all that differ,
    where it is an event of the right kind.
    """

    why: str
    expected: str | None = None
    found: str | None = None
    firm: bool = False
    fields: tuple[Field, ...] = ()


def refused(error: Refused, event: Event) -> Wrong:
    """The wrong of an event that should have been refused."""
    expected = cut(error.allowed_text) if error.allowed else "nothing of the kind"
    return Wrong(error.why, expected, event_text(event))


def event_text(event: Event) -> str:
    """An event as a remark shows it: its payload, cut."""
    return cut(event_json(event).decode("utf-8"))


def cut(text: str) -> str:
    """The text, or as much of it as a remark shows."""
    return text if len(text) <= VALUE_WIDTH else f"{text[: VALUE_WIDTH - 3]}..."


def difference(expected: Event, event: Event) -> Wrong | None:
    """How an event differs from the one expected; None where it does not."""
    if type(expected) is not type(event):
        why = "something else must happen first"
        return Wrong(why, event_text(expected), event_text(event))
    given, found = event_json(expected), event_json(event)
    if given == found:
        return None
    # As they are stored: a decision may hold tuples where a log has lists, and keys in any order.
    left, right = decode(given), decode(found)
    names = [name for name in event.__struct_fields__ if not _same(left.get(name), right.get(name))]
    fields = tuple(
        Field(path, _shown(one), _shown(other))
        for name in names
        for path, one, other in _differences(name, left.get(name), right.get(name))
    )
    if not fields:
        return None
    first = fields[0]
    firm = isinstance(event, FIRM) or names[0] not in NUMBERS
    why = f"{first.path} is not what it must be"
    return Wrong(why, first.expected, first.found, firm, fields)


def _differences(path: str, wanted: Any, has: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost places at which two JSON values differ."""
    if isinstance(wanted, dict) and isinstance(has, dict):
        for key in {**wanted, **has}:
            same = key in wanted and key in has and _same(wanted[key], has[key])
            if not same:
                yield from _differences(f"{path}.{key}", wanted.get(key), has.get(key))
    else:
        yield path, wanted, has


def _same(wanted: Any, has: Any) -> bool:
    """Whether two JSON values are the same: true is not 1, as it is in Python; 9.0 is 9."""
    if isinstance(wanted, dict) and isinstance(has, dict):
        return wanted.keys() == has.keys() and all(_same(wanted[key], has[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(has, list):
        return len(wanted) == len(has) and all(map(_same, wanted, has))
    if isinstance(wanted, bool) or isinstance(has, bool):
        return wanted is has
    return bool(wanted == has)


def _shown(value: Any) -> str:
    return "nothing" if value is None else cut(encode(value).decode("utf-8"))
