"""What opens a door: 256 bits drawn from `secrets`, shown once, kept nowhere but as a hash.

A secret is `urim-K1-` and 43 characters of base64url: K is `t` for a bearer token, `i` for an
invitation, `h` for the host's link, 1 is the form's version. So a scanner of repositories, or
a person, sees what was pasted where it does not belong. The hash is SHA-256 of the whole text: what
has 256 bits needs no slow one.
"""

import re
import secrets
from hashlib import sha256
from hmac import compare_digest
from typing import Literal, NoReturn, TypeAlias, final

from ...errors import Refused

Kind: TypeAlias = Literal["t", "i", "h"]
"""A bearer token, an invitation, the host's link."""

BYTES = 32

READ = 128
"""Characters of what a client sent that are looked at; a secret has 51."""

CLIENT = re.compile(r"[A-Za-z0-9_-]{22,64}", re.ASCII)


@final
class Secret:
    """A secret that no print, log or traceback shows; `reveal` gives its text, once it is sent."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the one who shall have it."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({self._text[:8]}…)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return compare_digest(self._text.encode(), other._text.encode())

    __hash__ = None  # type: ignore[assignment]  # the hash of a set's key would follow from the text

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled or copied")


def draw(kind: Kind) -> Secret:
    """A new secret."""
    return Secret(f"urim-{kind}1-{secrets.token_urlsafe(BYTES)}")


def hashed(text: str) -> bytes:
    """The hash under which a secret is kept, of whatever text a client sent.

    No more than READ characters are looked at, so a text of any length costs the same.
    """
    return sha256(text[:READ].encode("utf-8", "surrogatepass")).digest()


def same(one: bytes, other: bytes) -> bool:
    """Whether two hashes are the same, in a time that does not say where they differ."""
    return compare_digest(one, other)


def checked_client(client: str) -> str:
    """The id that a client drew for one exchange. Raises Refused("malformed"), without showing it.

    It must be as hard to guess as a secret: 128 bits of its own for each invitation.
    """
    if CLIENT.fullmatch(client) is None:
        why = f"the client's id, of {len(client)} characters, is not of its form"
        raise Refused("malformed", why, allowed=["22 to 64 of A-Z a-z 0-9 _ -, drawn at random"])
    return client
