"""Bytes to events and back: encoded once, hashed as stored, upcast when read.

An old version is never rewritten in the log. It is read by passing its JSON through UPCASTS, tag by
tag, until a tag is reached that is current.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

from msgspec import Struct, convert
from msgspec.json import Decoder, Encoder

from ..errors import Damaged
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

UPCASTS: Mapping[str, Upcast] = {}
"""Old tag -> what turns its JSON object into the next version's, the new tag included."""

UNREADABLE = (ValueError, TypeError, RecursionError)
"""What bytes that are no event can raise, msgspec's own errors (ValueError) among them."""

_encoder = Encoder()
_decoder: Decoder[Event] = Decoder(Event)
_loose: Decoder[Any] = Decoder()


class RecordedEvent(Struct, frozen=True, gc=False):
    """An event together with where and when the log holds it."""

    seq: int
    at: int
    leaf: bytes
    event: Event


def encode(event: Event) -> bytes:
    """The event as JSON, the bytes that are stored and hashed."""
    return _encoder.encode(event)


def decode(payload: bytes, upcasts: Mapping[str, Upcast] = UPCASTS) -> Event:
    """The event that these stored bytes mean, brought up to the current version.

    Raises Damaged when they are no event of any version known here.
    """
    try:
        return _decoder.decode(payload)
    except UNREADABLE as error:
        reason = str(error)
    try:
        new = upcast(_loose.decode(payload), "type", upcasts)
        if new is not None:
            event: Event = convert(new, Event)
            return event
    except UNREADABLE as error:
        reason = str(error)
    raise Damaged(f"not an event of a version known here: {reason}")


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
    if entry.payload is None:
        raise Damaged("the payload is withheld or erased", seq=entry.seq)
    try:
        return RecordedEvent(entry.seq, entry.at, entry.leaf, decode(entry.payload))
    except Damaged as error:
        raise Damaged(error.why, seq=entry.seq) from error
