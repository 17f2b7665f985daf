"""A port that leads to another one, byte by byte: it can be cut at any time, or after any byte.

    async with Relay(port) as relay:
        relay.cut()                        # all connections there are
        relay.cut_after("down", 1_000)     # once, after so many bytes from the server

It knows nothing of what it carries.
"""

import asyncio
from contextlib import suppress
from typing import Literal, TypeAlias

from tests.engine.helpers.stages.port import Port

PIECE = 64 * 1024

Way: TypeAlias = Literal["up", "down"]
"""To the server, or to the client."""


class Relay(Port):
    """Connections to `server_port` of the loopback, which may change while it runs.

    `carried` are the bytes that went each way since the last `cut_after`, `cuts` how often
    connections were cut.
    """

    def __init__(self, server_port: int = 0) -> None:
        super().__init__(server_port)
        self.carried: dict[Way, int] = {"up": 0, "down": 0}
        self._limit: tuple[Way, int] | None = None

    def cut(self) -> None:
        """Cut all connections there are."""
        self.cuts += len(self._tasks)
        super().cut()

    def cut_after(self, way: Way, count: int | None) -> None:
        """Cut all, once, when exactly so many more bytes were carried that way; None: never."""
        self.carried = {"up": 0, "down": 0}
        self._limit = None if count is None else (way, count)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        back: asyncio.StreamWriter | None = None
        try:
            with suppress(OSError, asyncio.CancelledError):
                there, back = await asyncio.open_connection("127.0.0.1", self.server_port)
                ways = (self._carry("up", reader, back), self._carry("down", there, writer))
                both = [asyncio.create_task(each) for each in ways]
                try:
                    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                    # The other way goes on a little: what was sent before an end still comes.
                    await asyncio.wait(both, timeout=1)
                finally:
                    for each in both:
                        each.cancel()
                    await asyncio.gather(*both, return_exceptions=True)
        finally:
            for stream in (writer, back):
                if stream is not None:
                    stream.transport.abort()
            self._tasks.discard(task)

    async def _carry(
        self, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(PIECE):
                whole = self._allowed(way, data)
                writer.write(whole)
                await writer.drain()
                if len(whole) < len(data):
                    writer.close()  # the last byte that is allowed arrives
                    await writer.wait_closed()
                    self._limit = None
                    self.cut()
            writer.write_eof()

    def _allowed(self, way: Way, data: bytes) -> bytes:
        if self._limit is not None and self._limit[0] == way:
            data = data[: max(0, self._limit[1] - self.carried[way])]
        self.carried[way] += len(data)
        return data
