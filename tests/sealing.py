"""The one place where tests put events into payloads and seal them, honest ones and forgeries.

An event may be given as JSON, for what no event can say. Bytes that are to be the whole payload,
whatever they are, go through `sealed_raw`.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from urim.events.codec import Event, encode
from urim.events.entry import Entry, EntryClass, seal

Said: TypeAlias = Event | bytes
"""An event, or JSON in the place of one."""

UNSALTED = bytes(32)
"""The salt of entries that nobody has to guess."""


def payload_of(event: Said) -> bytes:
    """The payload of an entry with this event."""
    return event if isinstance(event, bytes) else encode(event)


def json_of(entry: Entry) -> Any:
    """The JSON of an entry's event."""
    return json.loads(entry.payload or b"null")


def sealed(
    seq: int, at: int, event: Said, salt: bytes = UNSALTED, kind: EntryClass = "open"
) -> Entry:
    """An entry with this event."""
    return sealed_raw(seq, at, payload_of(event), salt, kind)


def sealed_raw(
    seq: int, at: int, payload: bytes, salt: bytes = UNSALTED, kind: EntryClass = "open"
) -> Entry:
    """An entry of any bytes at all."""
    return seal(seq, at, kind, salt, payload)


def commit(
    first: int,
    at: int,
    events: Sequence[Said],
    salt: Callable[[int], bytes] = lambda seq: UNSALTED,
    kind: EntryClass = "open",
) -> list[Entry]:
    """The entries of one commit, from `first` on; each one's salt follows from its sequence."""
    return [sealed(seq, at, event, salt(seq), kind) for seq, event in enumerate(events, first)]


def resealed(
    entry: Entry,
    event: Said | None = None,
    *,
    seq: int | None = None,
    at: int | None = None,
    salt: bytes | None = None,
    kind: EntryClass | None = None,
) -> Entry:
    """The entry with another event, place, time, salt or class, as if it had always had it."""
    assert entry.salt is not None and entry.payload is not None
    return sealed_raw(
        entry.seq if seq is None else seq,
        entry.at if at is None else at,
        entry.payload if event is None else payload_of(event),
        salt or entry.salt,
        kind or entry.kind,
    )
