"""A server for one evening: on this machine alone, or for the local network too, where asked for.

In the local network it speaks plain http, as no certificate is had for a private address: others in
that network could read along. So it listens on private addresses alone, each by its own socket, and
never on all addresses of a machine.
"""

import socket
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing, suppress
from ipaddress import ip_address, ip_network

from msgspec import Struct

from ....errors import Refused
from ....events.log.location import Location
from ...access.secret import Secret
from .config import LOOPBACK, Config, is_loopback, origin
from .listener import listener_at
from .server import opened, run

PORTS = range(8000, 8020)
"""The ports that are tried, one after the other, where none is named."""

PRIVATE = tuple(
    ip_network(each)
    for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7")
)
"""Networks whose addresses lead to nobody outside: RFC 1918, RFC 3927, RFC 4193."""

TOWARDS = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254", "2001:db8::1")
"""Places anywhere, of which only the way there is asked. Nothing is sent to them."""


class Place(Struct, frozen=True):
    """Where an evening's server is: its origin on this machine, those of the network, its file."""

    url: str
    network: tuple[str, ...]
    database: Location


def is_private(address: str) -> bool:
    """Whether an address is of a local network, or this machine's own."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found.is_loopback or any(found in each for each in PRIVATE)


def checked(address: str) -> str:
    """An address of the local network. Raises Refused("not-offered") for any other, with why."""
    if is_private(address):
        return address
    allowed = ["an address as 192.168.1.5, 10.0.0.5 or 172.16.0.5", "urim serve with TLS"]
    try:
        known = ip_address(address)
    except ValueError:
        raise Refused("malformed", f"{address!r} is no address", allowed=allowed) from None
    why = f"{address} is no private address: others could reach it, and read every token on the way"
    if known.is_unspecified:
        why = f"{address} is every address of this machine, public ones too"
    raise Refused("not-offered", why, allowed=allowed)


def own_addresses() -> tuple[str, ...]:
    """The private addresses by which this machine goes out, the usual one first."""
    found: dict[str, None] = {}
    for place in TOWARDS:
        family = socket.AF_INET6 if ":" in place else socket.AF_INET
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect((place, 9))
            address: str = asked.getsockname()[0]
            if is_private(address) and not is_loopback(address):
                found[address] = None
    return tuple(found)


def own_names() -> tuple[str, ...]:
    """What this machine is called in its network: its name, and that name under `.local`."""
    name = socket.gethostname().lower().rstrip(".")
    if not name or name == "localhost":
        return ()
    short = name.partition(".")[0]
    return tuple(dict.fromkeys((name, f"{short}.local")))


def listening(addresses: Iterable[str], ports: Iterable[int]) -> list[socket.socket]:
    """Sockets of one port on every address: the first port that is free on all.

    Raises Refused as `listener_at` does, of the last port.
    """
    last: Refused | None = None
    for port in ports:
        with ExitStack() as opening:
            found: list[socket.socket] = []
            try:
                for address in addresses:
                    # The second of them has the port that the first one was given.
                    same = found[0].getsockname()[1] if found else port
                    listener = listener_at(address, same)
                    found.append(opening.enter_context(closing(listener)))
            except Refused as error:
                if error.code != "taken":
                    raise
                last = error
                continue
            opening.pop_all()
            return found
    assert last is not None  # noqa: S101  there is a port
    raise last


async def play(
    database: Location,
    *,
    port: int | None,
    network: Iterable[str],
    started: Callable[[Place, Secret], None],
) -> None:
    """Serve a database on this machine, and at its addresses in `network`, until SIGTERM or SIGINT.

    `port` None is the first free one of PORTS. `started` is called once it listens, with the next
    host's link. Raises Refused for an address that is not private or cannot be had, and as the log
    and the store of access do.
    """
    addresses = tuple(dict.fromkeys(map(checked, network)))
    ports = PORTS if port is None else (port,)
    listeners = listening((LOOPBACK, *(each for each in addresses if each != LOOPBACK)), ports)
    with ExitStack() as held:
        for each in listeners:
            held.enter_context(closing(each))
        real: int = listeners[0].getsockname()[1]
        named = (*addresses, *(own_names() if addresses else ()))
        origins = tuple(origin("http", each, real) for each in named)
        config = Config(port=real, origins=origins)
        bases = origins[: len(addresses)]
        async with opened(database, config, bases=bases) as running:
            link = await running.access.next_host_link(running.now())
            place = Place(config.own[0], bases, database)
            await run(running, listeners, lambda: started(place, link))
