"""How logs are forged for the audit: what is wrong, where, and what must be said of it.

They are forged from honest logs of scripted dice, for which nothing has to be proved: the twin is
the log that each was made from. Each is forged twice: the event alone, and the event with the body
that asks for it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tests.engine.helpers.audited import (
    event_of,
    find,
    forged,
    going_on,
    log_of,
    resealed,
    words_of,
)
from tests.engine.helpers.bodies import asked_for, with_body
from urim.events.codec import Event
from urim.events.entry import Entry


class Forgery(Struct, frozen=True):
    """A log, the entry in it that is wrong, and words of what is said of it."""

    entries: Sequence[Entry]
    seq: int
    says: str


Make = Callable[[bool], Forgery]
"""Makes a forgery: the event alone, or, told True, the event with the body that asks for it."""

UNLIKE = "is not what it must be"
"""What is said of an event that its command does not lead to."""

NOTHING = "what was asked is no command"
"""What is said of an event that nobody asked for."""


def field(
    log: str,
    kind: type,
    says: str,
    test: Callable[[Any], bool] = bool,
    *,
    alone: str = "",
    **changes: Any,
) -> Make:
    """One field of the first event of a kind changed; a function gets its value.

    `alone` is what is said of the event alone, where that is not the same.
    """

    def make(whole: bool) -> Forgery:
        entries = log_of(log)
        seq = find(entries, kind, test)
        event = event_of(entries, seq)
        values = {
            name: change(getattr(event, name)) if callable(change) else change
            for name, change in changes.items()
        }
        lying = forged(entries, seq, **values)
        if whole:
            lying = with_body(lying, seq, replace(event, **values), event)
            return Forgery(lying, seq, says)
        return Forgery(lying, seq, alone or says)

    return make


def more(log: str, says: str, *events: Event) -> Make:
    """Entries behind the end of a log; the first is wrong."""

    def make(whole: bool) -> Forgery:
        entries = log_of(log)
        if whole:
            return Forgery(asked_for(entries, *events), len(entries), says)
        return Forgery(going_on(entries, *events), len(entries), NOTHING)

    return make


def class_of(log: str, kind: type, says: str, sealed: Any) -> Make:
    """An entry of the other class, and its text with it; no body says anything about a class."""

    def make(whole: bool) -> Forgery:
        entries = log_of(log)
        seq = find(entries, kind)
        left = resealed(entries, seq, sealed)
        if whole and (text := words_of(entries, seq)) is not None:
            left = resealed(left, text, "text" if sealed == "open" else "hidden-text")
        return Forgery(left, seq, says)

    return make


def key(name: str, value: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A JSON object with one of its fields changed."""
    return lambda found: {**found, name: value}


def figure(name: str, value: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """An announcement with one of its figures changed."""
    return lambda found: {**found, "figures": {**found["figures"], name: value}}
