"""One socket's connection: uvicorn's, with bounds that hold while the client does not read.

Uvicorn lets a sender wait until the client reads on, for ever; and a connection that it closes
stays until the client has read what was written to it. Here nobody waits: what the client does not
read is kept, and counted, and its sender decides how much is too much. A connection that is to
be closed is gone after LINGER seconds, read or not. `uvicorn.Config(ws=Link)` uses it.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from socket import SO_SNDBUF, SOL_SOCKET
from struct import Struct
from typing import Any, cast

from litestar.connection import ASGIConnection
from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import InvalidState, PayloadTooBig
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State

from ...wire import numbers

NAME = "urim.link"
"""Under which a connection is found among the extensions of its scope."""

LINGER = 5.0
"""Seconds that a client has to read what was written, and to answer a close."""

KERNEL = 64 * 1024
"""Bytes that the kernel keeps of what was written to a connection; Linux takes it twice."""

TOGETHER = 32 * 1024
"""Bytes of kept frames that are written at once."""

PIECE = 4 * 1024
"""Bytes that are read into frames at once."""

AHEAD = 32
"""Frames that wait to be looked at: beyond them nothing more is read."""

FRAGMENTS = 1024
"""Parts of one message, at most; they may be empty, so its length does not bound them."""


TEXT = 0x80 | Opcode.TEXT
"""The first byte of a text in one frame."""

SHORT, MIDDLE = 125, 0xFFFF
"""Bytes of a frame whose length needs one byte, and three."""

_middle, _long = Struct("!BBH").pack, Struct("!BBQ").pack


class Link(WebSocketsSansIOProtocol):
    """A connection. `on_shutdown` is called in the place of a close when the server stops.

    `on_frame` is given each frame once it is written, `code` is the one that closed the connection,
    whichever side did, as soon as the application could know it: both for what counts.
    `commits` and `waiting` count what is kept for the client: commits, and bytes of all frames.
    `size` is that of the last commit which was written.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.on_shutdown: Callable[[], None] | None = None
        self.on_frame: Callable[[bytes], None] = _uncounted
        self.code: int | None = None
        self.commits = self.waiting = 0
        self.size = 0
        self._kept: list[tuple[bytes, int]] = []
        self._flushed = asyncio.Event()
        self._unread = b""

    # --- what is sent -----------------------------------------------------------------------------

    def put(self, frame: bytes, size: int = 0, *, hold: bool = False) -> None:
        """Write a whole frame (`framed`), or keep it until the client reads on.

        `size` is given for a commit: of the table after it. With `hold` it waits a moment for what
        may come next, to be written with that. Nothing goes to a closed connection.
        """
        if self.ended:
            return
        if hold and not self._kept:
            # After whatever runs next has had its turn, and what that begins.
            soon = partial(self.loop.call_soon, self._write_on)
            self.loop.call_soon(lambda: self.loop.call_soon(soon))
        if hold or self._kept or not self.writable.is_set():
            self._kept.append((frame, size))
            self.waiting += len(frame)
            self.commits += size > 0
            if not hold and self.writable.is_set():
                self._write_on()
            return
        self.transport.write(frame)
        self.on_frame(frame)
        self.size = size or self.size

    async def flushed(self) -> None:
        """Wait until all was written, or the connection is to be closed."""
        while self._kept:
            self._flushed.clear()
            await self._flushed.wait()

    @property
    def ended(self) -> bool:
        """Whether the connection is closed, or is to be."""
        return self.close_sent or self.disconnected or self.transport.is_closing()

    def end(self, code: int, last: bytes | None = None, *, drop: bool = False) -> None:
        """Close with a code of `wire.numbers`, after what is kept and a `last` frame.

        With `drop` what is kept is not sent. What waits for a frame is given the end.
        """
        if self.ended:
            return
        rest = [] if drop else [frame for frame, _ in self._kept]
        self._forget()
        if last is not None:
            rest.append(last)
        reason = numbers.CLOSES.get(code, "")
        with suppress(InvalidState):  # the client closes just now
            self.conn.send_close(code, reason)
        self.transport.write(b"".join([*rest, *self.conn.data_to_send()]))
        for frame in rest:
            self.on_frame(frame)
        self.close_sent = True
        self.stop_keepalive()
        self._closed(code, reason)
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self._read_on()
        self._linger()

    def _closed(self, code: int, reason: str = "") -> None:
        """Give the end to what waits for a frame."""
        if self.code is None:
            self.code = code
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})

    def _forget(self) -> None:
        self._kept.clear()
        self.commits = self.waiting = 0
        self._flushed.set()

    def resume_writing(self) -> None:
        """The client read on: write what is kept, as far as that may be."""
        super().resume_writing()
        self._write_on()

    def _write_on(self) -> None:
        """Write what is kept, as far as that may be; together what fits the connection's buffer."""
        while self._kept and self.writable.is_set() and not self.ended:
            frames, length = [], 0
            while self._kept and length < TOGETHER:
                frame, size = self._kept.pop(0)
                frames.append(frame)
                length += len(frame)
                self.waiting -= len(frame)
                self.commits -= size > 0
                self.size = size or self.size
            self.transport.write(frames[0] if len(frames) == 1 else b"".join(frames))
            for each in frames:
                self.on_frame(each)
        if not self._kept:
            self._flushed.set()

    def handle_ping(self) -> None:
        """Answer, unless the client does not read its answers."""
        output = self.conn.data_to_send()
        if self.writable.is_set():
            self.transport.write(b"".join(output))

    # --- what comes -------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Read frames, while few wait: small ones take far more room than their bytes."""
        if self.conn.parser_exc is not None:
            return  # nothing that follows can be read
        self._unread += data
        self._read_on()

    def _read_on(self) -> None:
        while self._unread and (self.ended or self.queue.qsize() < AHEAD):
            piece, self._unread = self._unread[:PIECE], self._unread[PIECE:]
            super().data_received(piece)
            if self.conn.parser_exc is not None:
                self._unread = b""

    async def send(self, message: Any) -> None:
        """Send what the application says; an answer that is no socket is whole, too."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True  # or uvicorn logs that nothing was answered

    async def receive(self) -> Any:
        """The next frame, or the end."""
        message = await self.queue.get()
        if message["type"] == "websocket.disconnect" and self.code is None:
            self.code = message["code"]
        self._read_on()
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self.transport.resume_reading()
        return message

    def send_receive_event_to_app(self) -> None:
        """Hand a message on, and read on while few wait: to stop and go on costs more than that.

        One that should be text and is none closes the connection, without a line in the log:
        anybody can send as many as they like.
        """
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError as error:
                self._fail_text(error)
                return
        paused, self.read_paused = self.read_paused, True
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not (paused or self.ended) and self.queue.qsize() >= AHEAD:
            self.read_paused = True
            self.transport.pause_reading()

    def _fail_text(self, error: UnicodeDecodeError) -> None:
        self.frames = []
        self.conn.fail(numbers.NO_TEXT, numbers.CLOSES[numbers.NO_TEXT])
        self.conn.parser_exc = error
        self.handle_parser_exception()

    def handle_connect(self, event: Request) -> None:
        """Let the application find the connection."""
        super().handle_connect(event)
        if self.response.status_code == 101:  # noqa: PLR2004 - switching protocols
            scope = cast("dict[str, dict[str, Any]]", self.scope)
            scope["extensions"][NAME] = {"link": self}

    def handle_cont(self, event: Frame) -> None:
        """Take a further part of a message."""
        if self.close_sent:
            return
        if len(self.frames) < FRAGMENTS:
            super().handle_cont(event)
            return
        self.conn.fail(numbers.TOO_BIG, "a frame in too many parts")
        self.conn.parser_exc = PayloadTooBig(None, numbers.FRAME)
        self.handle_parser_exception()

    # --- the connection ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Bound what the kernel keeps of it."""
        super().connection_made(transport)
        found = transport.get_extra_info("socket")
        if found is not None:
            found.setsockopt(SOL_SOCKET, SO_SNDBUF, KERNEL)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what is kept."""
        super().connection_lost(exc)
        self._unread = b""
        self._forget()

    def shutdown(self) -> None:
        """The server stops: the socket ends itself where it can."""
        if self.on_shutdown is not None and not self.ended:
            self.on_shutdown()
            return
        if self.handshake_complete and self.conn.state is not State.OPEN:
            self.transport.close()  # it is closing: a second close would be refused
        else:
            super().shutdown()
        self._linger()

    def handle_parser_exception(self) -> None:
        """Close on what is no frame, or too long a one.

        What follows is read and dropped: a connection that is closed with bytes unread is reset,
        and the client may never see why.
        """
        if self.ended or self.conn.close_sent is None:
            return
        self._closed(self.conn.close_sent.code, self.conn.close_sent.reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.stop_keepalive()
        self._forget()
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._linger()

    def keepalive_timeout(self) -> None:
        """The client did not answer a ping: close, and give the end to what waits."""
        super().keepalive_timeout()
        self._closed(numbers.BROKEN)
        self._forget()
        self._linger()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """The application is done with it."""
        super().on_task_complete(task)
        self._linger()

    def _linger(self) -> None:
        """Be gone after a while, whatever the client reads."""
        if self.close_timer is not None:
            self.close_timer.cancel()
        if not self.disconnected:
            self.close_timer = self.loop.call_later(LINGER, self.transport.abort)


def _uncounted(_: bytes) -> None:
    """Count nothing."""


def payload_of(frame: bytes, most: int) -> bytes:
    """The beginning of a frame's text, of a frame that `framed` made."""
    start = {SHORT + 1: 4, SHORT + 2: 10}.get(frame[1], 2)
    return frame[start : start + most]


def framed(payload: bytes) -> bytes:
    """A text as a frame: the same bytes for every connection, as nothing is compressed."""
    # As websockets writes one without a mask (RFC 6455, 5.2), in a tenth of the time.
    length = len(payload)
    if length <= SHORT:
        head = bytes((TEXT, length))
    elif length <= MIDDLE:
        head = _middle(TEXT, SHORT + 1, length)
    else:
        head = _long(TEXT, SHORT + 2, length)
    return head + payload


def link_of(connection: ASGIConnection) -> Link:  # type: ignore[type-arg]  # of any handler
    """The connection of a socket. Raises TypeError where the server has other ones."""
    link = link_in(connection.scope)
    if link is None:
        raise TypeError("sockets need a server that runs with ws=Link")
    return link


def link_in(scope: Mapping[str, Any]) -> Link | None:
    """The connection of a socket's scope; None where the server has other ones."""
    link = (scope.get("extensions") or {}).get(NAME, {}).get("link")
    return link if isinstance(link, Link) else None
