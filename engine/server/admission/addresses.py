"""The address that a connection comes from, behind a proxy or not."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from litestar.connection import ASGIConnection

from ..process.config import Config

FORWARDED = "x-forwarded-for"


NETWORK = 64
"""Bits of an IPv6 address that are one customer's: within them addresses cost nothing."""


def address_of(connection: ASGIConnection, config: Config) -> str:  # type: ignore[type-arg]  # of any handler
    """The address that a connection comes from; of IPv6 the network.

    Behind a proxy it is what the proxy added last to `X-Forwarded-For`. Anybody can send such a
    header: it means nothing but from one of the proxies to believe, and then nothing but its end.
    """
    client = connection.client
    direct = "" if client is None else client.host
    lines = connection.headers.getall(FORWARDED, [])
    if not (lines and config.behind_proxy and direct in config.proxies):
        return network(direct) or direct
    return network(lines[-1].rpartition(",")[2].strip()) or network(direct) or direct


@lru_cache(maxsize=4096)
def network(text: str) -> str:
    """An address, of IPv6 its network, as the one text for it; empty for what is none."""
    found = _address(text)
    if found is None or isinstance(found, IPv4Address):
        return "" if found is None else str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> (128 - NETWORK) << (128 - NETWORK)))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """An address, with a port or without one: `192.0.2.1:80`, `[2001:db8::1]:80`."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return ip_address(text)
    except ValueError:
        return None
