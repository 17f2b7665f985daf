"""From which pages, and under which names, a server may be asked: exact `Host`, exact `Origin`.

A page of somewhere else that a player has open can send requests to the player's own machine, under
a name that leads there. It is refused before anything else is done, and a socket before it is one.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar.connection import ASGIConnection
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from ...wire.problems import MEDIA_TYPE, OURS, Problem
from ..process.config import Config, is_loopback, origin
from ..running import running_of

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of one's own machine."""

ALLOWED = (
    (b"access-control-allow-methods", b"GET, POST, DELETE"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"600"),
)
"""What a browser is answered that asks whether a page of another origin may."""

EXPOSED = b"retry-after, urim-size"

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer that has no others of these names."""


def origins(config: Config, port: int | None = None) -> tuple[str, ...]:
    """The origins of the server itself, then those that its settings add.

    `port` is where it listens, if the settings leave that open. An address of all interfaces is no
    name: such a server is known by the names that its settings have.
    """
    scheme = "https" if config.tls_cert else "http"
    hosts = LOOPBACK if is_loopback(config.host) else _named(config.host)
    own = [origin(scheme, host, config.port or port or 0) for host in hosts]
    found = [*([config.url] if config.url else []), *own, *config.origins]
    return tuple(dict.fromkeys(found))


def bases_of(connection: ASGIConnection) -> tuple[str, ...]:  # type: ignore[type-arg]  # of any handler
    """What links to the server begin with: its `bases`, its `url`, or the origin that was asked."""
    running = running_of(connection)
    return running.bases or (_base_of(connection, running.config),)


def _base_of(connection: ASGIConnection, config: Config) -> str:  # type: ignore[type-arg]  # of any handler
    host = connection.headers.get("host", "").lower()
    known = origins(config, _port(connection.scope))
    return config.url or next((each for each in known if urlsplit(each).netloc == host), "")


class Origins:
    """An ASGI application before another one; of the settings it needs origins, host and port."""

    def __init__(self, app: ASGIApp, config: Config) -> None:
        self._app = app
        self._config = config
        self._known: dict[int | None, tuple[frozenset[bytes], frozenset[bytes]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is foreign with 403, and questions of browsers; hand on all the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        hosts, known = self._of(_port(scope))
        came = [value for name, value in scope["headers"] if name == b"origin"]
        named = [value.lower() for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or named[0] not in hosts or len(came) > 1 or not known.issuperset(came):
            await _refuse(scope, receive, send)
            return
        if not came or scope["type"] == ScopeType.WEBSOCKET:
            await self._app(scope, receive, send)
            return
        for_page = [
            (b"access-control-allow-origin", came[0]),
            (b"access-control-expose-headers", EXPOSED),
            (b"vary", b"Origin"),
        ]
        if scope["method"] == "OPTIONS":
            await answer(send, 204, [*for_page, *ALLOWED])
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *for_page]
            await send(message)

        await self._app(scope, receive, sent)

    def _of(self, port: int | None) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """Hosts and origins at one of the ports where the server listens."""
        if port not in self._known:
            known = origins(self._config, port)
            hosts = frozenset(urlsplit(each).netloc.encode() for each in known)
            self._known[port] = hosts, frozenset(each.encode() for each in known)
        return self._known[port]


def _named(host: str) -> tuple[str, ...]:
    try:
        return () if ip_address(host).is_unspecified else (host,)
    except ValueError:
        return (host.lower(),)


def _port(scope: Scope) -> int | None:
    """Where the server listens to this connection."""
    server = scope.get("server")
    return None if server is None else server[1]


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    status, why = OURS["foreign"]
    problem = Problem(type="/problems#foreign", title=why, status=status, code="foreign", why=why)
    body = msgspec.json.encode(problem)
    headers = [(b"content-type", MEDIA_TYPE.encode())]
    if scope["type"] == ScopeType.HTTP:
        await answer(send, status, headers, body)
        return
    await receive()  # the wish for a socket
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await answer(send, status, headers, body, kind="websocket.http.response")
    else:
        closing: Any = {"type": "websocket.close", "code": 1008, "reason": "foreign"}
        await send(closing)


async def answer(
    send: Send,
    status: int,
    headers: Iterable[tuple[bytes, bytes]],
    body: bytes = b"",
    kind: str = "http.response",
) -> None:
    """Send a whole answer; `kind` is "websocket.http.response" for what asked for a socket."""
    every = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    every += headers
    if body:
        every.append((b"content-length", str(len(body)).encode()))
    start: Any = {"type": f"{kind}.start", "status": status, "headers": every}
    end: Any = {"type": f"{kind}.body", "body": body, "more_body": False}
    await send(start)
    await send(end)
