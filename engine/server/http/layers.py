"""What stands around the application: HEAD, sockets where none is, answers that are cut short."""

import asyncio
from typing import Any

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from ...wire.problems import MEDIA_TYPE
from ..admission.denied import Denied
from ..admission.origins import answer
from .problems import RETRY_AFTER, as_problem, headers_of


class Layers:
    """An ASGI application before another one.

    HEAD is answered as GET is; the server leaves the body out. A socket at a path where none is
    gets a 404 before it is one. A request that is given up as the server stops gets a 503.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what was asked."""
        if scope["type"] == ScopeType.WEBSOCKET:
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _request(self, scope: Any, receive: Receive, send: Send) -> None:
        began = False

        async def sent(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        as_get: Any = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        try:
            await self._app(as_get, receive, sent)
        except asyncio.CancelledError:
            if not began:
                stops = "the server stops: send the same again"
                await _deny(send, Denied("unavailable", stops, retry_after=RETRY_AFTER))
        finally:
            if "path_template" in as_get:  # who counts requests reads it there
                scope["path_template"] = as_get["path_template"]

    async def _socket(self, scope: Any, receive: Receive, send: Send) -> None:
        began = False

        async def sent(message: Message) -> None:
            nonlocal began
            if not began and message["type"] == "websocket.close":
                await _deny(send, Denied("no-route"), kind="websocket.http.response")
            else:
                await send(message)
            began = True

        await self._app(scope, receive, sent)


async def _deny(send: Send, denied: Denied, kind: str = "http.response") -> None:
    problem = as_problem(denied)
    named = {"content-type": MEDIA_TYPE, **headers_of(problem)}
    headers = [(name.lower().encode(), value.encode()) for name, value in named.items()]
    await answer(send, problem.status, headers, msgspec.json.encode(problem), kind)
