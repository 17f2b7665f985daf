"""Clients of sockets for tests: real ones, that say what they got."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Protocol, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.engine.helpers.stages.sooner import PATIENCE
from urim.engine.core.commands import Asking, apart
from urim.engine.core.parse import body_of

Json = dict[str, Any]


class Reached(Protocol):
    """A server: where its sockets are, as `ws://127.0.0.1:PORT`."""

    @property
    def ws_url(self) -> str: ...


class Client:
    """One socket of a client. `frames` are all that came, in order."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.frames: list[Json] = []
        self.texts: list[str] = []

    async def send(self, **frame: Any) -> None:
        """Send a frame."""
        await self.connection.send(json.dumps(frame))

    async def enter(self, token: str, after: int = -1, **more: Any) -> Self:
        """Enter, and wait until the history is here."""
        await self.send(type="enter", token=token, after=after, **more)
        await self.until("caught-up")
        return self

    async def ask(self, request: str, asking: Asking) -> None:
        """Send a request."""
        command, text = apart(asking)
        frame: Json = {"type": "ask", "request": request, "body": body_of(command).decode()}
        if text is not None:
            frame["text"] = {"salt": text.salt, "text": text.text}
        await self.connection.send(json.dumps(frame))

    async def done(self, request: str, asking: Asking) -> Json:
        """Send a request, and wait for its answer."""
        await self.ask(request, asking)
        return await self.until("done", "refused", "later")

    async def next(self) -> Json:
        """The next frame."""
        text = await asyncio.wait_for(self.connection.recv(), PATIENCE)
        assert isinstance(text, str)
        self.texts.append(text)
        self.frames.append(json.loads(text))
        return self.frames[-1]

    async def until(self, *types: str, where: Callable[[Json], bool] = lambda _: True) -> Json:
        """The next frame of one of these types for which that holds; all others are kept too."""
        while True:
            frame = await self.next()
            if frame["type"] in types and where(frame):
                return frame

    async def until_size(self, size: int) -> Json:
        """The commit after which the table has so many entries."""
        return await self.until("commit", where=lambda frame: frame["size"] == size)

    async def closed(self) -> int | None:
        """Wait for the end; the code that the server closed it with."""
        try:
            while True:
                await self.next()
        except ConnectionClosed as closed:
            return None if closed.rcvd is None else closed.rcvd.code

    def of(self, *types: str) -> list[Json]:
        """The frames of these types that came so far."""
        return [frame for frame in self.frames if frame["type"] in types]


@asynccontextmanager
async def opened(served: Reached, table: str, **more: Any) -> AsyncGenerator[Client]:
    """A socket that nobody entered yet."""
    url = f"{served.ws_url}/tables/{table}/socket"
    given: dict[str, Any] = {"compression": None, "ping_interval": None, "max_size": None, **more}
    async with connect(url, **given) as connection:
        yield Client(connection)


@asynccontextmanager
async def entered(
    served: Reached, table: str, token: str, after: int = -1, **more: Any
) -> AsyncGenerator[Client]:
    """A socket that has the table's history."""
    async with opened(served, table) as client:
        yield await client.enter(token, after, **more)


@asynccontextmanager
async def stalled(served: Reached, table: str, token: str) -> AsyncGenerator[Client]:
    """A client that entered, and has read nothing of what came after its history."""
    host, _, port = served.ws_url.removeprefix("ws://").partition(":")
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, (host, int(port)))
    async with opened(served, table, sock=raw, max_queue=1) as client:
        await client.enter(token)
        try:
            yield client
        finally:
            client.connection.transport.abort()  # it would read on until it has seen a close


def run(work: Coroutine[Any, Any, None]) -> None:
    """Do something with sockets."""
    asyncio.run(asyncio.wait_for(work, PATIENCE))
