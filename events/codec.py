"""Bytes to events and back: encoded once, hashed as stored, upcast when read.

A payload is `{"asked": {...}, "event": {...}}` in the first entry of a commit, and
`{"event": {...}}` in every other one.

An old version is never rewritten in the log. It is read by passing its JSON through UPCASTS, tag by
tag, until a tag is reached that is current.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

from msgspec import Struct, convert
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from ..errors import Damaged
from .asked import Asked
from .base import Effect
from .entry import Entry
from .roll import RollEvent
from .ruling import RulingEvent
from .table import TableEvent

Event: TypeAlias = TableEvent | RollEvent | RulingEvent
"""Every event there is."""

EVENTS: Mapping[str, type[Struct]] = {
    str(event.__struct_config__.tag): event for event in get_args(Event)
}
"""Every current event class by its tag, `name/version`."""

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def _with_more(tag: str, *fields: str) -> Upcast:
    """The next version has these fields more, each with a default."""
    name, _, version = tag.partition("/")

    def up(old: dict[str, Any]) -> dict[str, Any]:
        if early := [field for field in fields if field in old]:
            raise ValueError(f"{tag} has no field `{early[0]}`")
        return {**old, "type": f"{name}/{int(version) + 1}"}

    return up


def _roll_voided_2(old: dict[str, Any]) -> dict[str, Any]:
    """Version 1 could open a nonce that was bound before the throw; nobody binds one any more."""
    if "nonce" in old:
        raise ValueError("a nonce of roll-voided/1, which no throw of this version binds")
    return {**old, "type": "roll-voided/2"}


UPCASTS: Mapping[str, Upcast] = {
    "roll-amended/1": _with_more("roll-amended/1", "needless"),  # nothing fell
    "ruling-made/1": _with_more("ruling-made/1", "instead"),  # it was done by another command
    "table-opened/1": _with_more("table-opened/1", "one_machine"),
    "table-opened/2": _with_more("table-opened/2", "faces"),  # those of the system, as it was then
    "seat-taken/1": _with_more("seat-taken/1", "key"),
    "roll-declared/1": _with_more("roll-declared/1"),  # what was settled counts as named
    "roll-voided/1": _roll_voided_2,
    "roll-revealed/1": _with_more("roll-revealed/1", "entries"),
}
"""Old tag -> what turns its JSON object into the next version's, the new tag included."""

GONE: tuple[str, ...] = (
    "nonce-committed/1",
    "witness-given/1",
    "seats-passed-over/1",
    "nonce-withheld/1",
    "witnessing-set/1",
)
"""Events of earlier versions that are read no more: shares took their place."""

UNKNOWN = "not an event of a version known here"
"""How what is wrong begins where an event is unknown: one of a newer version may be so."""

UNREADABLE = (ValueError, TypeError, RecursionError)
"""What bytes that are no event can raise, msgspec's own errors (ValueError) among them."""

ERASES = b'"event":{"type":"entry-erased/'
"""What every payload of an EntryErased has in it, of any version, and no text can have."""

BEGINS = b'{"asked":'
"""How the payload of a commit's first entry begins."""


_BEGINS = re.compile(rb'"event":\{"type":"([a-z-]+/[0-9]+)"')
"""How the event in a payload begins; what is before it are texts, in which quotes are escaped."""


class Payload(
    Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What an entry seals: an event, and in the first entry of a commit what was asked."""

    asked: Asked | None = None
    event: Event


class RecordedEvent(Struct, frozen=True, gc=False):
    """An event together with where and when the log holds it; `first` begins its commit."""

    seq: int
    at: int
    leaf: bytes
    event: Event
    first: bool = False


class _Delta(Struct, frozen=True, gc=False, array_like=True):
    """An effect that sets nothing, as the log holds it: msgspec writes defaults in arrays."""

    character: str
    track: str
    delta: int


_encoder = Encoder()
_decoder: Decoder[Payload] = Decoder(Payload)
_loose: Decoder[Any] = Decoder()


def encode(event: Event, asked: Asked | None = None) -> bytes:
    """The payload of an event, the bytes that are stored and hashed."""
    return _encoder.encode(Payload(asked=asked, event=_as_written(event)))


def as_written(payload: bytes, found: Payload, upcasts: Mapping[str, Upcast] = UPCASTS) -> bytes:
    """The bytes that say this in the one way to write it, under the tag that the payload has.

    `found` is what `decode` made of the payload. An event of an old version has the fields of the
    new one, in its order: no version so far has moved any.
    """
    written = encode(found.event, found.asked)
    begins = _BEGINS.search(payload)
    if begins is None or begins[1].decode() not in upcasts:
        return written
    return _BEGINS.sub(begins[0], written, count=1)


def event_json(event: Event) -> bytes:
    """The JSON of an event alone."""
    return _encoder.encode(_as_written(event))


def _as_written(event: Event) -> Event:
    """The event with an effect's `to` left out where it is None."""
    effects: tuple[Effect, ...] = getattr(event, "effects", ())
    if not effects:
        return event
    written = (
        each if each.to is not None else _Delta(each.character, each.track, each.delta)
        for each in effects
    )
    return replace(event, effects=tuple(written))


def decode(payload: bytes, upcasts: Mapping[str, Upcast] = UPCASTS) -> Payload:
    """What these stored bytes mean, the event brought up to the current version.

    Raises Damaged when they hold no event of any version known here.
    """
    try:
        return _decoder.decode(payload)
    except UNREADABLE as error:
        reason = str(error)
    try:
        found = _loose.decode(payload)
        event = found.get("event") if isinstance(found, dict) else None
        if isinstance(event, dict) and event.get("type") in GONE:
            raise Damaged(f"{event['type']} is of an earlier version, which is read no more")
        new = upcast(event, "type", upcasts)
        if new is not None:
            return convert({**found, "event": new}, Payload)
    except UNREADABLE as error:
        reason = str(error)
    raise Damaged(f"{UNKNOWN}: {reason}")


def read_event(json: bytes, upcasts: Mapping[str, Upcast] = UPCASTS) -> Event:
    """The event of this JSON, which `event_json` wrote. Raises Damaged as `decode`."""
    return decode(b'{"event":%b}' % json, upcasts).event


def upcast(old: Any, tag: str, upcasts: Mapping[str, Upcast]) -> Any:
    """The JSON of an old version brought up step by step, its tag in the field `tag`.

    None where no step begins at it.
    """
    new = None
    for _ in upcasts:
        name = old.get(tag) if isinstance(old, dict) else None
        if not isinstance(name, str) or name not in upcasts:
            break
        new = old = upcasts[name](old)
    return new


def recorded(entry: Entry) -> RecordedEvent:
    """Open an entry whose payload is there.

    Raises Damaged when the payload is withheld, erased, or no event.
    """
    found = _payload(entry)
    first = found.asked is not None
    return RecordedEvent(entry.seq, entry.at, entry.leaf, found.event, first)


def asked_in(entry: Entry) -> Asked | None:
    """What was asked, where the entry is the first of its commit. Raises Damaged as `recorded`."""
    return _payload(entry).asked


def _payload(entry: Entry) -> Payload:
    if entry.payload is None:
        raise Damaged("the payload is withheld or erased", seq=entry.seq)
    try:
        return decode(entry.payload)
    except Damaged as error:
        raise Damaged(error.why, seq=entry.seq) from error
