"""Refusals over HTTP: a status for every code, and problem details (RFC 9457) as the body."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from ...errors import CODES
from ..core.moves import Move

MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("malformed", "too-long", "out-of-range", "face"), 422),
        **dict.fromkeys(("dice-short", "dice-left"), 422),
        "unknown": 404,
        **dict.fromkeys(("not-yours", "needs-leave", "not-seen", "not-signed"), 403),
        **dict.fromkeys(("taken", "wrong-state", "not-offered", "due", "frozen"), 409),
        **dict.fromkeys(("too-many", "history", "commitment", "nonce", "request-reused"), 409),
        "over-budget": 429,
        "unreadable": 503,
    }
)
"""The status of every code of a refusal (`urim.errors.CODES`)."""

OURS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "no-http": (400, "this is no request of HTTP/1.1"),
        "no-token": (401, "no token that is good here"),
        "foreign": (403, "the request comes from a page or for a host that is not served"),
        "no-right": (403, "the role has no right to this"),
        "no-table": (404, "no such table for this token"),
        "too-slow": (408, "the request did not come whole in time"),
        "too-big": (413, "the body is too long"),
        "not-json": (415, "the body is not sent as application/json"),
        "no-route": (404, "nothing is here"),
        "no-method": (405, "this is not done here"),
        "long-head": (431, "the headers are too long"),
        "forked": (409, "`after` is beyond the log; `head` is its signed head"),
        "too-fast": (429, "too many requests of one seat or address"),
        "unavailable": (503, "the log cannot be read or written now: send the same again"),
        "broken": (500, "the table cannot be served; its host knows why"),
    }
)
"""What a server refuses itself, by code: the status, and what it means."""


Code: TypeAlias = Annotated[
    str, Meta(extra_json_schema={"title": "Code", "enum": [*STATUS, *OURS]})
]
"""A stable code; newer servers may have more."""


def meanings() -> Iterator[tuple[str, int, str]]:
    """Every code with its status and what it means."""
    for code, meaning in CODES.items():
        yield code, STATUS[code], meaning
    for code, (status, meaning) in OURS.items():
        yield code, status, meaning


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of a refusal. `type` leads to what the code means, on the same server.

    `code`, `why`, `allowed` and `left_out` are those of `urim.engine.core.refusal.Refusal`; `moves`
    are what the seat may do in the roll now; `retry_after` is in seconds, as in the header.
    """

    type: str
    title: str
    status: int
    code: Code
    why: str
    allowed: tuple[str, ...] = ()
    left_out: int = 0
    moves: tuple[Move, ...] = ()
    retry_after: float | None = None
    head: str | None = None
