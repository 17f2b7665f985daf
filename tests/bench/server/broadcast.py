"""A bare broadcast: a frame that comes is sent to all sockets of its channel, and nothing is kept.

python -m tests.bench.server.broadcast '{}'
"""

from collections import defaultdict
from typing import cast

from litestar import Litestar, WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from msgspec import Struct

from tests.bench.server.processes import run
from tests.bench.server.serving import loopback, serve_bare
from urim.engine.access.store import AccessStore
from urim.engine.server.front import Front
from urim.engine.server.running import Running


class Plan(Struct, frozen=True):
    """It needs none."""


_channels: dict[str, list[WebSocket]] = defaultdict(list)  # type: ignore[type-arg]  # of any state


@websocket("/tables/{table:str}/socket")
async def channel(socket: WebSocket, table: str) -> None:  # type: ignore[type-arg]  # of any state
    """Take frames until the socket is closed."""
    await socket.accept()
    sockets = _channels[table]
    sockets.append(socket)
    try:
        while True:
            text = await socket.receive_text()
            for each in sockets:
                await each.send_text(text)
    except WebSocketDisconnect:
        pass
    finally:
        sockets.remove(socket)


async def main() -> None:
    """Serve channels until the process is over."""
    application = Litestar(route_handlers=[channel], logging_config=None, openapi_config=None)
    listener, config = loopback()
    nobody = Running(front=cast("Front", None), access=cast("AccessStore", None), config=config)
    await serve_bare(nobody, application, listener)


if __name__ == "__main__":
    run(main())
