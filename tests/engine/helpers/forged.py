"""How logs are forged for the audit: what is wrong, where, and the step that must say so.

They are forged from honest logs of scripted dice, for which nothing has to be proved: the twin is
the log that each was made from.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tests.engine.helpers.audited import LEGAL, event_of, find, forged, going_on, log_of, resealed
from urim.events.codec import Event
from urim.events.entry import Entry


class Forgery(Struct, frozen=True):
    """A log, the entry in it that is wrong, the step that says so, and words of what it says."""

    entries: Sequence[Entry]
    seq: int
    step: int
    says: str


Make = Callable[[], Forgery]


def field(
    log: str, kind: type, says: str, step: int, test: Callable[[Any], bool] = bool, **changes: Any
) -> Make:
    """One field of the first event of a kind put otherwise; a function is told its value."""

    def make() -> Forgery:
        entries = log_of(log)
        seq = find(entries, kind, test)
        event = event_of(entries, seq)
        told = {
            name: change(getattr(event, name)) if callable(change) else change
            for name, change in changes.items()
        }
        return Forgery(forged(entries, seq, **told), seq, step, says)

    return make


def more(log: str, says: str, *events: Event, step: int = LEGAL) -> Make:
    """Entries behind the end of a log; the first is wrong."""

    def make() -> Forgery:
        entries = log_of(log)
        return Forgery(going_on(entries, *events), len(entries), step, says)

    return make


def class_of(log: str, kind: type, says: str, sealed: Any) -> Make:
    """An entry of the other class."""

    def make() -> Forgery:
        entries = log_of(log)
        seq = find(entries, kind)
        return Forgery(resealed(entries, seq, sealed), seq, LEGAL, says)

    return make


def key(name: str, value: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A JSON object with one of its fields put otherwise."""
    return lambda found: {**found, name: value}


def figure(name: str, value: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """An announcement with one of its figures put otherwise."""
    return lambda found: {**found, "figures": {**found["figures"], name: value}}
