"""What should have stood in an entry, held against what does: the first field that differs."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.json import decode, encode

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import Fact
from ...events.codec import encode as payload_of

LEGAL, RULES = 10, 11
"""The steps: what may happen, by whom, with which dice; and what it comes to, in numbers."""

NUMBERS = frozenset(
    {
        *("damage", "declaration", "declared", "effects", "outcome"),
        *("reaction", "target", "taken", "tracks"),
    }
)
"""Fields that the rules fill; all others say what was asked, or are what was allowed."""

FIRM = (rolled.RollResolved, rolled.DiceRolled)
"""Events whose numbers follow from the roll alone."""

UNPROVED: Mapping[type, tuple[str, ...]] = {rolled.RollVoided: ("throw", "seed", "nonce")}
"""Fields that prove something: other steps look at them."""

SHOWN = 300
"""Characters of a value that a finding shows, at most."""


class Wrong(Exception):
    """An entry that the rules would not have led to: the step that says so, and why.

    One that is `firm` is wrong whatever the characters' tracks were.
    """

    def __init__(
        self,
        step: int,
        why: str,
        expected: str | None = None,
        found: str | None = None,
        *,
        firm: bool = False,
    ) -> None:
        super().__init__(step, why, expected, found)
        self.step = step
        self.why = why
        self.expected = expected
        self.found = found
        self.firm = firm


def refused(error: Refused, event: Fact) -> Wrong:
    """What a refusal says of an event: it happened, and it was not allowed."""
    allowed = ", ".join(error.allowed)
    return Wrong(LEGAL, error.why, cut(allowed) if allowed else "nothing of the kind", told(event))


def told(event: Fact) -> str:
    """An event in a few words, for people who look for it."""
    return cut(payload_of(event).decode("utf-8"))


def cut(text: str) -> str:
    """The text, or as much of it as a finding shows."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def difference(expected: Fact, event: Fact) -> Wrong | None:
    """How an event differs from the one expected; None where it does not."""
    if type(expected) is not type(event):
        return Wrong(LEGAL, "something else must happen first", told(expected), told(event))
    given, found = payload_of(expected), payload_of(event)
    if given == found:
        return None
    # As they are stored: a decision may hold tuples where a log has lists, and keys in any order.
    left, right = decode(given), decode(found)
    proving = UNPROVED.get(type(event), ())
    for name in event.__struct_fields__:
        wanted, has = left.get(name), right.get(name)
        if name not in proving and wanted != has:
            step = RULES if _of_rules(name, event) else LEGAL
            path, one, other = next(_apart(name, wanted, has), (name, wanted, has))
            why = f"{path} is not what it must be"
            firm = step == LEGAL or isinstance(event, FIRM)
            return Wrong(step, why, _shown(one), _shown(other), firm=firm)
    return None


def _of_rules(name: str, event: Fact) -> bool:
    """Whether a field holds numbers; the dice taken over from another roll are that too."""
    return name in NUMBERS or (name == "dice" and getattr(event, "taken", None) is not None)


def _apart(path: str, wanted: Any, has: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost places at which two JSON values differ."""
    if isinstance(wanted, dict) and isinstance(has, dict):
        for key in {**wanted, **has}:
            if wanted.get(key) != has.get(key) or (key in wanted) != (key in has):
                yield from _apart(f"{path}.{key}", wanted.get(key), has.get(key))
    else:
        yield path, wanted, has


def _shown(value: Any) -> str:
    return "nothing" if value is None else cut(encode(value).decode("utf-8"))
