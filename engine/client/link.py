"""Links: the server's URL, and a secret in the fragment, which no request ever carries."""

import re
from hashlib import sha256
from urllib.parse import urlsplit

from msgspec import Struct

from ...errors import Refused

SECRET = re.compile(r"urim-[ih]1-[A-Za-z0-9_-]{43}", re.ASCII)
"""The form of an invitation's secret, and of the host's."""


class Link(Struct, frozen=True):
    """A link apart: `url` is the server's, without a slash at its end."""

    url: str
    secret: str

    @property
    def hash(self) -> str:
        """What tells it from others, and is no secret."""
        return sha256(f"{self.url}\n{self.secret}".encode()).hexdigest()

    @property
    def text(self) -> str:
        """The link itself."""
        return f"{self.url}/#i={self.secret}"


def read_link(text: str) -> Link:
    """A link apart. Raises Refused("malformed") for another text, and does not show it."""
    url, _, fragment = text.strip().partition("#")
    found = SECRET.search(fragment)
    if found is None:
        raise Refused("malformed", "the link has no secret after `#`", allowed=["URL/#i=SECRET"])
    return Link(checked_url(url), found[0])


def checked_url(text: str) -> str:
    """A server's URL without a slash at its end. Raises Refused("malformed") for none."""
    allowed = ["https://HOST", "http://HOST:PORT"]
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise Refused("malformed", f"it is no URL: {error}", allowed=allowed) from error
    if not good or parts.query or parts.username is not None:
        raise Refused("malformed", "it is no URL of a server", allowed=allowed)
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def socket_url(url: str, table: str) -> str:
    """Where a table's socket is."""
    return f"ws{url.removeprefix('http')}/tables/{table}/socket"
