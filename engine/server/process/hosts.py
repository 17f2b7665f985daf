"""Names and addresses of hosts, in the one form that everybody reads alike."""

import re
from ipaddress import IPv4Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from ....errors import Refused

NAME = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z][a-z0-9-]{0,62}")
"""A name: its last part begins with a letter, so that it is no number in disguise."""


class Place(NamedTuple):
    """A host at one port; None: at the usual one."""

    host: str
    port: int | None


def place(text: str) -> Place:
    """A host as HOST or HOST:PORT. Raises Refused("malformed")."""
    try:
        parts = urlsplit(f"//{text}")
        found = Place(parts.hostname or "", parts.port)
    except ValueError:
        found = Place("", None)
    if not is_host(found.host) or text != written(*found):
        allowed = ["chat.lan", "10.0.0.5:8065", "[fd00::5]:8065"]
        raise Refused("malformed", f"{text!r} is no host, and no host with a port", allowed=allowed)
    return found


def written(host: str, port: int | None) -> str:
    """A host and its port as an address has them."""
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def is_host(text: str) -> bool:
    """Whether it is a name, or an address, in lower case."""
    return bool(NAME.fullmatch(text)) or is_address(text)


def is_address(text: str) -> bool:
    """Whether it is an address; of IPv4 four decimal numbers without needless zeros."""
    try:
        found = ip_address(text)
    except ValueError:
        return False
    return isinstance(found, IPv4Address) or not found.scope_id
