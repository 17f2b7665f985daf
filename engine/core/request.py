r"""A request as it comes over a wire: one JSON object with a command's body, and at most one text.

    {"request": "dana-1", "body": "{\"do\":\"note/1\",...}", "text": {"salt": ..., "text": ...}}

A seat with a key adds `"seen": [SIZE, "root as hex"], "sig": "base64"`; `urim.events.asked.signed`
has what is signed. Which seat asks is not in it: that is its carrier's to know.
"""

from collections.abc import Iterable
from typing import Annotated, Final, cast

from msgspec import Meta, Struct
from msgspec.json import Decoder, Encoder

from ...errors import Refused
from ...events.asked import BODY, Seen, Text
from ...events.strict import DEPTH, Malformed, strict_object
from .limits import TEXT
from .parse import refusal
from .signed import Signed

ENVELOPE = 1_024
"""Bytes of a request beside its body and its text, at most: names of fields, id and salt."""

LONGEST: Final = 6 * BODY + 12 * TEXT + ENVELOPE
"""Bytes of a request, at most: room for every body and text, however JSON escapes them."""

FORM = "^[A-Za-z0-9._-]{1,64}$"
"""The form of a request's id, for a schema alone: `checked_request` is who refuses another."""


class WireRequest(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """What a seat sends to have something done.

    `body` is the JSON of a command, the very bytes that the log keeps; `request` the id under which
    it is done once, and answered again; `text` the words that the command holds the hash of. Where
    the seat has a key, `sig` is its signature, and `seen` the newest head that it had verified.
    """

    body: Annotated[str, Meta(extra_json_schema={"contentMediaType": "application/json"})]
    request: Annotated[str, Meta(extra_json_schema={"pattern": FORM})] | None = None
    text: Text | None = None
    seen: Seen | None = None
    sig: str | None = None

    @property
    def signed(self) -> Signed | None:
        """What the seat's key signed; None for an unsigned request.

        Raises Refused("malformed") for a signature without the head it is over, or a head alone.
        """
        if self.seen is None and self.sig is None:
            return None
        if self.seen is None or self.sig is None:
            raise Refused("malformed", "`seen` and `sig` come together", allowed=["both", "none"])
        return Signed(self.seen, self.sig)

    def written(self) -> bytes:
        """The request as JSON."""
        return _encoder.encode(self)


_encoder = Encoder()
_decoder: Decoder[WireRequest] = Decoder(WireRequest)


def read_request(data: bytes) -> WireRequest:
    """The request in these bytes; its body is not read yet, nor held against its text.

    Raises Refused: "too-long" beyond LONGEST bytes, before anything is decoded; "malformed" where
    JSON is not strict, nested more than DEPTH deep, or not a request; "unknown" for a field that a
    request does not have.
    """
    if len(data) > LONGEST:
        raise Refused("too-long", f"a request of {len(data)} bytes", allowed=[f"at most {LONGEST}"])
    try:
        found = _decoder.decode(data)
        if _encoder.encode(found) == data:
            return found  # equal to the byte: no key is there twice
    except (ValueError, RecursionError) as error:
        raise refusal(error, _strict(data), WireRequest) from error
    _strict(data)
    return found


def _strict(data: bytes) -> dict[str, object]:
    try:
        found = strict_object(data)
    except Malformed as error:
        raise Refused("malformed", f"no strict JSON: {error}") from error
    level: list[object] = [found]
    for _ in range(DEPTH):
        level = [each for value in level for each in _within(value)]
    if level:
        raise Refused("malformed", f"no strict JSON: nested more than {DEPTH} deep")
    return found


def _within(value: object) -> Iterable[object]:
    found: Iterable[object] = ()
    if isinstance(value, dict):
        found = cast(dict[str, object], value).values()
    elif isinstance(value, list):
        found = cast(list[object], value)
    return (each for each in found if isinstance(each, (dict, list)))
