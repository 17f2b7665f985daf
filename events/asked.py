r"""What was asked: the command behind a commit, and the text that came with it.

The first entry of every commit holds `asked`, no other one does. A command never holds a text, but
its hash; so a text can be erased, and the command and all that it led to stay whole.

hash      SHA-256("urim/1 text\n" SALT "\n" TEXT)               TEXT in UTF-8, SALT 32 hex digits
signed    "urim/1 asked\n" ORIGIN "\n" SEAT "\n" REQUEST "\n"
          SIZE " " hex(root) "\n" hex(SHA-256(body)) "\n"
"""

import re
from hashlib import sha256
from typing import Annotated

from msgspec import Meta, Struct

from ..errors import Refused

REQUEST = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
"""A request's id, as a client may choose it, once a seat and table."""

HOST = "~"
"""What the id of a request that came without one begins with: no client may send it."""

BODY = 16 * 1024
"""Bytes of a command, at most."""

SALT = re.compile(r"[0-9a-f]{32}\Z")
"""The salt of a text: 32 hex digits, which a client draws for each text."""


class Seen(Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """The newest head that a seat had verified when it asked: size, and root as 64 hex digits."""

    size: int
    root: str


class Asked(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """A request as it came in: its id, and the JSON of its command, byte for byte.

    The seat that asked is the `by` of the event beside it. Where the seat has a key, `sig` is its
    signature in base64 (`signed`), and `seen` the head that it had verified.
    """

    request: str
    body: str
    seen: Seen | None = None
    sig: str | None = None


class Text(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Words that came with a command, and the salt that keeps their hash from being guessed."""

    salt: Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{32}$"})]
    text: str

    @property
    def hash(self) -> str:
        """What the command holds in their place, 64 hex digits.

        Raises Refused("malformed") for half of a surrogate pair, which no text in UTF-8 has.
        """
        try:
            salt, words = self.salt.encode("utf-8"), self.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Refused("malformed", "the text has half of a surrogate pair") from error
        return sha256(b"urim/1 text\n%b\n%b" % (salt, words)).hexdigest()


def signed(origin: str, seat: str, asked: Asked) -> bytes:
    """The bytes that a seat's key signs of a request, over the head in `asked.seen`.

    Raises Refused("malformed") where it names no head.
    """
    if asked.seen is None:
        raise Refused("malformed", "a signed request without the head that was seen")
    body = sha256(asked.body.encode("utf-8")).hexdigest()
    seen = f"{asked.seen.size} {asked.seen.root}"
    lines = ("urim/1 asked", origin, seat, asked.request, seen, body)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def checked_request(request: str) -> str:
    """The id of a request. Raises Refused("malformed") for one that no client may send."""
    if not REQUEST.match(request):
        why = f"the request id {request[:80]!r} is not of its form"
        raise Refused("malformed", why, allowed=["1 to 64 of A-Z a-z 0-9 . _ -"])
    return request


def checked_text(text: object) -> Text:
    """A text as given. Raises Refused("malformed") unless it is one, its salt and words are str."""
    if not isinstance(text, Text):
        raise Refused("malformed", f"a text of type {type(text).__name__}", allowed=["Text"])
    for name in text.__struct_fields__:
        value = getattr(text, name)
        if not isinstance(value, str):
            why = f"the {name} of a text is of type {type(value).__name__}"
            raise Refused("malformed", why, allowed=["str"])
    return text


def host_request(seq: int) -> str:
    """The id of a request that came without one; its commit begins with entry `seq`."""
    return f"{HOST}{seq}"


def is_host_request(request: str) -> bool:
    """Whether an id is of a request that came without one; see `host_request`."""
    return request.startswith(HOST)
