"""What lies between a client and a server: it may cut a connection at any frame, or change one.

async with Wire(port) as wire:
wire.cut_after = 3                     # each connection gets three frames, and no more
wire.code = 4413                       # and is closed with this code then, not cut
wire.change = lambda text: text        # what becomes of a frame; None: cut before it
wire.deaf = True                       # what a client sends next is lost, and all is cut
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress

from tests.engine.helpers.stages.port import Port

PIECE = 64 * 1024

CONNECTION = re.compile(rb"\r\nconnection:[^\r]*", re.IGNORECASE)


class Wire(Port):
    """A port of its own that leads to another one, both on the loopback."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.cut_after: int | None = None
        self.code: int | None = None
        self.deaf = False
        self.change: Callable[[str], str | None] = lambda text: text
        self.frames = self.sockets = 0

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._carry(reader, writer)
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.server_port)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            is_socket = b"upgrade: websocket" in head.lower()
            self.sockets += is_socket
            # One request a connection: a socket that follows on it would go through unseen.
            back.write(head if is_socket else CONNECTION.sub(b"\r\nConnection: close", head))
            out = asyncio.create_task(self._out(reader, back))
            carry = self._frames if is_socket else _copy
            coming = asyncio.create_task(carry(there, writer))
            try:
                await asyncio.wait({out, coming}, return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    await asyncio.wait({coming}, timeout=5)
            finally:
                out.cancel()
                coming.cancel()
                await asyncio.gather(out, coming, return_exceptions=True)
        finally:
            back.transport.abort()

    async def _out(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand on what the client sends, and cut before it where the wire is deaf."""
        while data := await reader.read(PIECE):
            if self.deaf:
                self.deaf = False
                self.cut()
            writer.write(data)
            await writer.drain()

    async def _frames(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand on what the server sends, frame by frame."""
        writer.write(await reader.readuntil(b"\r\n\r\n"))
        count = 0
        while True:
            first = await reader.readexactly(2)
            size = first[1] & 0x7F
            more = await reader.readexactly({126: 2, 127: 8}.get(size, 0))
            size = int.from_bytes(more) if more else size
            payload = await reader.readexactly(size)
            if first[0] & 0x0F == 1:
                if self.cut_after is not None and count >= self.cut_after:
                    self.cuts += 1
                    if self.code is not None:
                        writer.write(b"\x88\x02" + self.code.to_bytes(2))
                        await writer.drain()
                    return
                count += 1
                self.frames += 1
                changed = self.change(payload.decode())
                if changed is None:
                    self.cuts += 1
                    return
                payload = changed.encode()
            writer.write(first[:1] + _length(len(payload)) + payload)
            await writer.drain()


def _length(size: int) -> bytes:
    if size < 126:
        return bytes([size])
    return bytes([126]) + size.to_bytes(2) if size < 1 << 16 else bytes([127]) + size.to_bytes(8)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(PIECE):
        writer.write(data)
        await writer.drain()
