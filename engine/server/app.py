"""The server's application, put together: what answers which path, and what stands before it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from litestar import Litestar
from litestar.datastructures import MutableScopeHeaders, State
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from ..wire.numbers import FRAME
from .admission.origins import HEADERS, Origins
from .hooks.teller import telling
from .http.layers import Layers
from .http.problems import HANDLED
from .routes import (
    access,
    assets,
    commands,
    court,
    documents,
    health,
    hooks,
    log,
    pages,
    proofs,
    reading,
    receipts,
    rolls,
)
from .running import Running
from .socket import session

LONG = 500
"""Characters of a path: nothing is at a longer one."""

NOWHERE = "/-"
"""A path at which nothing is."""


class ShortPaths:
    """An ASGI application before another one, which keeps the paths it saw: no long ones."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what was asked, a long path as one at which nothing is."""
        if scope["type"] in ("http", "websocket") and len(scope["path"]) > LONG:
            scope["path"] = NOWHERE
        await self._app(scope, receive, send)


async def add_headers(message: Message, scope: Scope) -> None:
    """Add to an answer what no handler needs to think of."""
    if message["type"] == "http.response.start":
        found = MutableScopeHeaders.from_message(message)
        for name, value in HEADERS.items():
            found.setdefault(name, value)


@asynccontextmanager
async def followed(running: Running) -> AsyncGenerator[None]:
    """Close the sockets of revoked tokens, while the server runs."""
    following = asyncio.create_task(running.sockets.follow(running.access))
    try:
        yield
    finally:
        following.cancel()
        running.sockets.stop()
        await running.worker.stop()
        await asyncio.wait([following])


def application(running: Running) -> Litestar:
    """The ASGI application of one server, which is its caller's to run and to end."""
    app = Litestar(
        route_handlers=[
            *reading.HANDLERS,
            *log.HANDLERS,
            *commands.HANDLERS,
            *rolls.HANDLERS,
            *court.HANDLERS,
            *receipts.HANDLERS,
            *proofs.HANDLERS,
            *documents.HANDLERS,
            *access.HANDLERS,
            *hooks.HANDLERS,
            *health.HANDLERS,
            *pages.HANDLERS,
            *assets.HANDLERS,
            *session.HANDLERS,
        ],
        state=State({"running": running}),
        exception_handlers=HANDLED,
        before_send=[add_headers],
        request_max_body_size=FRAME,
        lifespan=[lambda _: followed(running), lambda _: telling(running)],
        logging_config=None,
        debug=False,  # whatever the environment says
        openapi_config=None,
    )
    # Around all of it: a page of somewhere else learns nothing from a path where nothing is.
    app.asgi_handler = Origins(Layers(ShortPaths(app.asgi_handler)), running.config)
    return app
