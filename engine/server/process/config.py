"""How a server is set up: by a file, by the environment, and by flags, of which the last one wins.

The fields of `Config` are the one table of settings. A field `tls_cert` is the key `tls_cert` of a
file, the variable URIM_SERVE_TLS_CERT, and the flag --tls-cert.
"""

from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from ....errors import Refused
from ...wire import numbers
from .hosts import place

LOOPBACK = "127.0.0.1"

USUAL = {"http": 80, "https": 443}
"""The ports that an origin does not name."""

Path_ = Annotated[str, Meta(extra={"form": "a file"}, min_length=1)]
Address = Annotated[str, Meta(extra={"form": "an origin, as https://dice.example"}, min_length=1)]
Called = Annotated[str, Meta(extra={"form": "a host and its port, as 10.0.0.5:8065"}, min_length=1)]
Wait = Annotated[float, Meta(ge=0, le=3600)]
Often = Annotated[float, Meta(ge=0.1, le=3600)]
Many = Annotated[int, Meta(ge=1, le=100_000)]


class Config(Struct, frozen=True, kw_only=True):
    """Every setting of a server. Raises Refused for settings that do not go together.

    An address that others can reach needs TLS, or a proxy before it that has TLS.
    """

    host: Annotated[str, Meta(description="Address to listen on.", min_length=1)] = LOOPBACK
    port: Annotated[
        int, Meta(description="Port to listen on; 0: any free one.", ge=0, le=65535)
    ] = 8000
    tls_cert: Annotated[Path_ | None, Meta(description="Certificate and its chain, PEM.")] = None
    tls_key: Annotated[Path_ | None, Meta(description="The certificate's key, PEM.")] = None
    behind_proxy: Annotated[bool, Meta(description="A proxy is before it, which it believes.")] = (
        False
    )
    proxies: Annotated[tuple[str, ...], Meta(description="Addresses of proxies to believe.")] = (
        LOOPBACK,
        "::1",
    )
    url: Annotated[Address | None, Meta(description="Where clients reach it, if elsewhere.")] = None
    origins: Annotated[
        tuple[Address, ...], Meta(description="Origins of pages that may come.")
    ] = ()
    frames: Annotated[
        tuple[Address, ...], Meta(description="Origins of pages that may hold the page in a frame.")
    ] = ()
    calls: Annotated[
        tuple[Called, ...], Meta(description="Hosts inside that hooks of seats may call.")
    ] = ()
    call_patience: Annotated[
        Often, Meta(description="Seconds for a host that is called to answer.")
    ] = numbers.CALL_PATIENCE
    rate: Annotated[float, Meta(description="Commands a second of a seat.", ge=0.1, le=100_000)] = (
        numbers.RATE
    )
    burst: Annotated[Many, Meta(description="Commands of a seat at once.")] = numbers.BURST
    seat_sockets: Annotated[Many, Meta(description="Sockets of a seat.")] = numbers.SEAT_SOCKETS
    table_sockets: Annotated[Many, Meta(description="Sockets of a table.")] = numbers.TABLE_SOCKETS
    connections: Annotated[Many, Meta(description="Connections at once.")] = numbers.CONNECTIONS
    address_connections: Annotated[Many, Meta(description="Connections of an address.")] = (
        numbers.ADDRESS_CONNECTIONS
    )
    memory: Annotated[
        int,
        Meta(
            description="Memory for tables that nobody uses, and for rows of old ones, in MiB.",
            ge=0,
            le=1_048_576,
        ),
    ] = 256
    patience: Annotated[Often, Meta(description="Seconds for a request to come whole.")] = (
        numbers.PATIENCE
    )
    silence: Annotated[Often, Meta(description="Seconds until a first frame.")] = numbers.SILENCE
    ping: Annotated[Often, Meta(description="Seconds between two pings.")] = numbers.PING
    linger: Annotated[Wait, Meta(description="Seconds with /ready 503 before it stops.")] = 0.0
    grace: Annotated[Wait, Meta(description="Seconds that requests have to finish.")] = 30.0

    def __post_init__(self) -> None:
        if (self.tls_cert is None) is not (self.tls_key is None):
            why = "a certificate and its key go together"
            raise Refused("malformed", why, allowed=["both tls_cert and tls_key", "neither"])
        if not (is_loopback(self.host) or self.tls_cert or self.behind_proxy):
            why = f"others could reach {self.host}, and read every token on the way"
            allowed = ["127.0.0.1", "tls_cert and tls_key", "behind_proxy"]
            raise Refused("not-offered", why, allowed=allowed)
        for each in (*self.origins, *self.frames, *((self.url,) if self.url else ())):
            checked_origin(each)
        for each in self.calls:
            place(each)

    @property
    def listens(self) -> str:
        """The origin of where it listens: `http://127.0.0.1:8000`."""
        return origin("https" if self.tls_cert else "http", self.host, self.port)

    @property
    def own(self) -> tuple[str, ...]:
        """The origins of the server itself; the first is what links begin with."""
        found = [*((self.url,) if self.url else ()), self.listens]
        if is_loopback(self.host):
            found.append(origin("https" if self.tls_cert else "http", "localhost", self.port))
        return tuple(dict.fromkeys(found))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address. Of names, `localhost` alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def origin(scheme: str, host: str, port: int) -> str:
    """An origin as browsers write it: without the port that is the scheme's own."""
    named = f"[{host}]" if ":" in host else host
    return f"{scheme}://{named}" + ("" if port == USUAL[scheme] else f":{port}")


def checked_origin(text: str) -> str:
    """An origin as browsers write it. Raises Refused("malformed") for any other text."""
    try:
        parts = urlsplit(text)
        port = parts.port or USUAL.get(parts.scheme, 0)
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme in USUAL and parts.hostname:
        right = origin(parts.scheme, parts.hostname, port)
        if text == right:
            return text
        allowed = [right]
    else:
        allowed = ["https://dice.example", "http://127.0.0.1:3000"]
    raise Refused("malformed", f"{text!r} is no origin", allowed=allowed)


# --- gathering ------------------------------------------------------------------------------------
