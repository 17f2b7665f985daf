"""What stands around the application: each request is counted and logged, whatever became of it.

A log line says method, route, status and milliseconds, the code of a refusal, and the request's own
id where its header X-Request-ID has one of our form. Never a path, a query, a token or a body: a
route is a template.
"""

import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias, get_args

import msgspec
from msgspec import Struct

from ...core.request import FORM
from ...logs import logger
from ...wire import frames, numbers
from ...wire.problems import MEDIA_TYPE
from ..socket.transport import link_in, payload_of
from .figures import METHODS, OTHER, REFUSALS, Metrics, among

# As ASGI has them, of either protocol: Litestar's own types tell the two apart where we do not.
Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

NO_ROUTE = "none"
"""The label of a path that leads nowhere."""

ID = re.compile(FORM.removesuffix("$") + r"\Z", re.ASCII)

HEAD = b'{"type":"'

START = 40
"""Bytes at the beginning of a frame that are looked at."""

TYPES = frozenset(str(kind.__struct_config__.tag) for kind in get_args(frames.Outgoing))
"""The types of frames that a server sends."""

CLOSED = frozenset({*numbers.CLOSES, 1000, 1001, 1005, 1006})
"""The codes by which sockets close: ours, and those of clients that go, or are gone."""


class _Coded(Struct):
    code: str


_coded = msgspec.json.Decoder(_Coded)


class Observed:
    """An ASGI application, seen from outside."""

    def __init__(self, app: App, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and note it."""
        if scope["type"] == "http":
            await _Request(self.metrics, scope, send).answer(self.app, receive)
        elif scope["type"] == "websocket":
            await _Socket(self.metrics, scope, send).answer(self.app, receive)
        else:
            await self.app(scope, receive, send)


class _Observation:
    """One connection: what it is known by."""

    def __init__(self, metrics: Metrics, scope: Scope, send: Send) -> None:
        self.metrics = metrics
        self.scope = scope
        self.send = send
        self.began = time.monotonic()

    @property
    def route(self) -> str:
        return str(self.scope.get("path_template") or NO_ROUTE)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def known(self) -> dict[str, object]:
        """Where it went, how long it took, and its id."""
        found: dict[str, object] = {"route": self.route, "ms": round(1000 * self.seconds, 1)}
        given = dict(self.scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        return found | ({"request": given} if ID.fullmatch(given) else {})


class _Request(_Observation):
    status = 500
    problem = False
    code: str | None = None

    async def answer(self, app: App, receive: Receive) -> None:
        try:
            await app(self.scope, receive, self.pass_on)
        finally:
            self.note()

    async def pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            media = dict(message["headers"]).get(b"content-type", b"")
            self.problem = media.startswith(MEDIA_TYPE.encode())
        elif message["type"] == "http.response.body" and self.problem and message["body"]:
            self.problem = False
            self.code = _code(message["body"])
            self.metrics.refused.labels(self.code).inc()
        await self.send(message)

    def note(self) -> None:
        method = among(METHODS, str(self.scope["method"]))
        self.metrics.requests.labels(self.route, method, str(self.status)).inc()
        self.metrics.seconds.labels(self.route).observe(self.seconds)
        refused = {} if self.code is None else {"code": self.code}
        logger.info("request", method=method, status=self.status, **refused, **self.known)


class _Socket(_Observation):
    open = False
    code: int | None = None

    async def answer(self, app: App, receive: Receive) -> None:
        async def heard() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and self.code is None:
                self.code = message["code"]
            return message

        link = link_in(self.scope)
        if link is not None:
            # What it writes and how it is closed goes past the application's `send` and `receive`.
            link.on_frame = self.count
        try:
            await app(self.scope, heard, self.pass_on)
        finally:
            if link is not None and link.code is not None:
                self.code = link.code
            self.note()

    def count(self, frame: bytes) -> None:
        self.metrics.sent(_type(payload_of(frame, START))).inc()

    async def pass_on(self, message: Message) -> None:
        if message["type"] == "websocket.accept":
            self.open = True
            self.metrics.sockets.inc()
        elif message["type"] == "websocket.close":
            self.code = message["code"]
        elif message["type"] == "websocket.send":
            self.metrics.sent(_type(_sent(message))).inc()
        await self.send(message)

    def note(self) -> None:
        if self.open:
            self.metrics.sockets.dec()
            self.metrics.closed.labels(_close_label(self.code)).inc()
        logger.info("socket", opened=self.open, code=self.code, **self.known)


def _sent(message: Message) -> bytes:
    found: bytes = message.get("bytes") or (message.get("text") or "")[:START].encode()
    return found


def _type(sent: bytes) -> str:
    """The type of a frame, which is its first field."""
    found = sent[len(HEAD) : START].partition(b'"')[0] if sent.startswith(HEAD) else b""
    return among(TYPES, found.decode("ascii", "replace"))


def _code(body: bytes) -> str:
    try:
        return among(REFUSALS, _coded.decode(body).code)
    except ValueError:
        return OTHER


def _close_label(code: int | None) -> str:
    return str(code) if code in CLOSED else OTHER
