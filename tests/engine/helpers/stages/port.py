"""A port of the loopback that leads to another one: what lies between a client and a server."""

import asyncio
from types import TracebackType
from typing import Self


class Port:
    """Connections that come in; each is a task until it ends, or all are cut."""

    def __init__(self, server_port: int = 0) -> None:
        self.server_port = server_port
        self.cuts = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where clients come in."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Cut all connections there are."""
        for task in list(self._tasks):
            task.cancel()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection, until it ends or is cut."""
        raise NotImplementedError
