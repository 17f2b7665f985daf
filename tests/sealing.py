"""The one place where tests put events into payloads and seal them, honest ones and forgeries.

An event may be given as JSON, for what no event can say. Bytes that are to be the whole payload,
whatever they are, go through `sealed_raw`. Entries that nobody asked for say that NOBODY did.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec import to_builtins

from urim.events.asked import Asked, host_request
from urim.events.codec import BEGINS, Event, asked_in, encode
from urim.events.entry import Entry, EntryClass, seal

Said: TypeAlias = Event | bytes
"""An event, or JSON in the place of one."""

UNSALTED = bytes(32)
"""The salt of entries that nobody has to guess."""

NOBODY = "{}"
"""The body of what no seat asked for: no command."""


def payload_of(event: Said, asked: Asked | None = None) -> bytes:
    """The payload of an entry with this event, and what was asked beside it."""
    if not isinstance(event, bytes):
        return encode(event, asked)
    if asked is None:
        return b'{"event":%b}' % event
    return b'{"asked":%b,"event":%b}' % (compact(to_builtins(asked)), event)


def compact(value: Any) -> bytes:
    """JSON as the log writes it: no blanks, and no letter as an escape that need not be one."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def json_of(entry: Entry) -> Any:
    """The JSON of an entry's event."""
    found = json.loads(entry.payload or b"{}")
    return found.get("event")


def asked_of(entry: Entry) -> Asked | None:
    """What an entry says was asked; None where it says nothing, or nothing that can be read."""
    return asked_in(entry) if (entry.payload or b"").startswith(BEGINS) else None


def sealed(
    seq: int,
    at: int,
    event: Said,
    salt: bytes = UNSALTED,
    kind: EntryClass = "open",
    asked: str = NOBODY,
    first: int | None = None,
) -> Entry:
    """An entry with this event: the first of a commit, or one of the commit that began at `first`.

    `asked` is the body of the command that the commit says was asked.
    """
    begins = first is None or first == seq
    payload = payload_of(event, Asked(host_request(seq), asked) if begins else None)
    return sealed_raw(seq, at, payload, salt, kind, seq if first is None else first)


def sealed_raw(
    seq: int,
    at: int,
    payload: bytes,
    salt: bytes = UNSALTED,
    kind: EntryClass = "open",
    first: int | None = None,
) -> Entry:
    """An entry of any bytes at all, of the commit that began at `first`, by default its own."""
    return seal(seq, at, kind, salt, payload, first)


def commit(
    first: int,
    at: int,
    events: Sequence[Said],
    salt: Callable[[int], bytes] = lambda seq: UNSALTED,
    kind: EntryClass = "open",
    asked: str = NOBODY,
) -> list[Entry]:
    """The entries of one commit, from `first` on; each one's salt follows from its sequence."""
    return [
        sealed(seq, at, event, salt(seq), kind, asked, first)
        for seq, event in enumerate(events, first)
    ]


def resealed(
    entry: Entry,
    event: Said | None = None,
    *,
    seq: int | None = None,
    at: int | None = None,
    salt: bytes | None = None,
    kind: EntryClass | None = None,
    asked: Asked | None = None,
    first: int | None = None,
) -> Entry:
    """The entry with another event, place, time, salt, class, request or commit, as if so sealed.

    What it says was asked stays, unless another request is given.
    """
    assert entry.salt is not None and entry.payload is not None
    place = entry.seq if seq is None else seq
    moved = place if entry.commit == entry.seq else entry.commit
    payload = entry.payload
    if event is not None or asked is not None:
        said = asked or asked_of(entry)
        payload = payload_of(compact(json_of(entry)) if event is None else event, said)
    return sealed_raw(
        place,
        entry.at if at is None else at,
        payload,
        salt or entry.salt,
        kind or entry.kind,
        moved if first is None else first,
    )
