"""A server on a free port of the loopback, until its process is over."""

import asyncio
import socket
from collections.abc import Callable

from litestar import Litestar
from msgspec.structs import replace

from tests.bench.server.processes import until_over
from urim.engine.server.process.config import Config
from urim.engine.server.process.garbage import collecting
from urim.engine.server.process.listener import listener_of
from urim.engine.server.process.server import Server, server_of
from urim.engine.server.running import Running

NO_LIMIT = 100_000
"""Commands a second, and at once, of a seat, and connections: no limit is what is measured."""


def loopback() -> tuple[socket.socket, Config]:
    """A socket on a free port, and the settings of a server on it."""
    config = Config(
        port=0,
        rate=NO_LIMIT,
        burst=NO_LIMIT,
        connections=NO_LIMIT,
        address_connections=NO_LIMIT,
    )
    listener = listener_of(config)
    return listener, replace(config, port=listener.getsockname()[1])


async def serve(here: Running, listener: socket.socket, ready: Callable[[int], object]) -> None:
    """Serve it as `urim serve` does; `ready` gives what to say of the port once it listens."""
    await _until_over(server_of(here), here.config.port, listener, ready)


async def serve_bare(here: Running, application: Litestar, listener: socket.socket) -> None:
    """Serve an application of one's own with the same settings, and nothing around it."""
    server = server_of(here)
    server.config.app, server.config.ws = application, "websockets-sansio"
    await _until_over(server, here.config.port, listener, lambda port: {"port": port})


async def _until_over(
    server: Server, port: int, listener: socket.socket, ready: Callable[[int], object]
) -> None:
    listens = asyncio.Event()
    server.listening = listens.set
    async with collecting():
        running = asyncio.create_task(server.serve(sockets=[listener]))
        await listens.wait()
        await until_over(ready(port))
        server.should_exit = True
        await running
