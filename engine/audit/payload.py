"""A disclosed payload read as everybody reads it: strict JSON, and an event that is known here."""

import re
from contextlib import suppress

from ...errors import Damaged
from ...events.codec import EVENTS, UPCASTS, Recorded, encode, recorded
from ...events.entry import Entry
from ..bundle.read import Malformed, strict_object

LONG = re.compile(rb"[:,\[-][0-9]{16}")
"""Where in JSON without blanks a number may stand that is beyond the strict bounds."""

DEEP = 100
"""Brackets of a payload, at most, that is surely not nested too deeply."""


def event_of(entry: Entry) -> Recorded:
    """The event of an entry's payload. Raises Malformed and Damaged where it is none."""
    record = _plain(entry)
    if record is None:
        _known(strict_object(entry.payload or b""))
        record = recorded(entry)
    return record


def _plain(entry: Entry) -> Recorded | None:
    """The event of a payload that is just as we would write it, so that no key stands twice.

    None for any other, and where a number may be too large or the nesting too deep: it takes five
    times as long to read those strictly.
    """
    payload = entry.payload or b""
    if payload.count(b"{") + payload.count(b"[") > DEEP or LONG.search(payload):
        return None
    with suppress(Damaged):
        record = recorded(entry)
        return record if encode(record.event) == payload else None
    return None


def _known(found: dict[str, object]) -> None:
    tag = found.get("type")
    if not isinstance(tag, str) or (tag not in EVENTS and tag not in UPCASTS):
        raise Malformed(f"no event is called {str(tag)[:80]!r}")
