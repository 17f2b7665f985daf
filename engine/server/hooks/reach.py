"""Whom a server may call: nobody inside its own network, but for those whom its host names.

An address is read once, as strictly as can be: no spelling of it is understood that a resolver and
we could understand otherwise. What a name leads to is looked at once, and the very address that was
looked at is connected to.
"""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from msgspec import Struct

from ....errors import Refused
from ..process.config import USUAL
from ..process.hosts import is_address, is_host, place, written

LONGEST = 1_000
"""Characters of an address, at most."""

PRINTED = re.compile(r"[!-\[\]-~]+", re.ASCII)
"""Every printed sign of ASCII but the backslash, which some take for a slash."""

OPEN_6 = ip_network("2000::/3")
"""All of IPv6 that is given out. Outside it is whatever else carries an IPv4 address, or is local:
mapped, compatible and NAT64 addresses, private, link-local and multicast ones."""

CLOSED = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
            *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24"),
            *("192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24"),
            *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        ),
    )
)
"""Networks that lead to nobody outside: IANA's registries of addresses for special purposes, with
multicast, 6to4 and Teredo."""

ALLOWED = "https://HOST/PATH, where HOST is a name or an address that everybody can reach"


class Target(Struct, frozen=True):
    """Where a call goes; `named`: by the word of the server's host."""

    scheme: str
    host: str
    port: int
    path: str
    named: bool

    @property
    def authority(self) -> str:
        """Its host, and its port where that is not the usual one, as a header has them."""
        return written(self.host, None if self.port == USUAL[self.scheme] else self.port)


def target_of(url: str, named: Iterable[str] = ()) -> Target:
    """Where an address leads. Raises Refused, and does not show it: it may be a secret."""
    if len(url) > LONGEST:
        why = f"the address has {len(url)} characters"
        raise Refused("too-long", why, allowed=[f"{LONGEST} characters"])
    if not PRINTED.fullmatch(url):
        raise _malformed("has a sign that is not printed ASCII, or a backslash")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _malformed("cannot be read") from None
    if "#" in url:
        raise _malformed("has a fragment")
    if parts.scheme not in USUAL:
        raise _malformed(f"begins with {parts.scheme[:10]!r}")
    if not is_host(host) or parts.netloc.lower() != written(host, port):
        raise _malformed("has a user, or a host that is no plain name and no plain address")
    found = USUAL[parts.scheme] if port is None else port
    usual = USUAL[parts.scheme]
    own = (host, found) in {(each.host, each.port or usual) for each in map(place, named)}
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = Target(parts.scheme, host, found, path, own)
    if not own:
        _check_open(target)
    return target


def _check_open(target: Target) -> None:
    """Refuse what nobody is called at unless the host names it, before any name is looked up."""
    if target.scheme != "https" or target.port != USUAL["https"]:
        why = f"{target.scheme} at port {target.port} is for hosts that `urim serve --call` names"
        raise Refused("not-offered", why, allowed=[ALLOWED])
    if is_address(target.host):
        check_addresses(target, [target.host])


def check_addresses(target: Target, addresses: Sequence[str]) -> None:
    """Refuse a target of which any address leads inside. Raises Refused("not-offered")."""
    if not target.named and not (addresses and all(map(is_open, addresses))):
        why = f"{target.host} is nobody whom this server calls: it leads inside its network"
        allowed = [ALLOWED, "a host that `urim serve --call` names"]
        raise Refused("not-offered", why, allowed=allowed)


def is_open(address: str) -> bool:
    """Whether an address is of somebody outside, whom everybody can reach."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and (found.scope_id or found not in OPEN_6):
        return False
    return not any(found in each for each in CLOSED if each.version == found.version)


def _malformed(what: str) -> Refused:
    return Refused("malformed", f"the address {what}", allowed=[ALLOWED])
