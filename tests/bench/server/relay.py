"""A TCP relay: all that passes comes later by some time, and what comes down is counted."""

import asyncio
from contextlib import suppress
from typing import Self

CHUNK = 1 << 16


class Relay:
    """Carries bytes to a port of the loopback and back, each direction `seconds` late.

    `port` is where to connect; `down` counts the bytes for clients. Use it as a context.
    """

    def __init__(self, to: int, seconds: float = 0.0) -> None:
        self.port = 0
        self.down = 0
        self._to = to
        self._seconds = seconds
        self._tasks = set[asyncio.Task[None]]()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        with suppress(ConnectionError, asyncio.CancelledError):
            async with asyncio.TaskGroup() as group:
                group.create_task(self._carry(reader, back, down=False))
                group.create_task(self._carry(there, writer, down=True))
        for each in (writer, back):
            each.close()
            with suppress(ConnectionError):
                await each.wait_closed()
        self._tasks.discard(task)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool
    ) -> None:
        now = asyncio.get_running_loop().time
        waiting = asyncio.Queue[tuple[float, bytes]]()

        async def deliver() -> None:
            data = b"."
            while data:
                due, data = await waiting.get()
                await asyncio.sleep(max(0.0, due - now()))
                writer.write(data)
            writer.write_eof()

        async with asyncio.TaskGroup() as group:
            group.create_task(deliver())
            data = b"."
            while data:
                data = await reader.read(CHUNK)
                self.down += len(data) if down else 0
                waiting.put_nowait((now() + self._seconds, data))
