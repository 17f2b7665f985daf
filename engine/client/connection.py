"""One socket to a table: frames in, as what a seat takes; why it was closed."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec import DecodeError, Raw, ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException

from ...errors import Damaged, Unavailable
from ..core.request import WireRequest
from ..service.feed import Commit
from ..wire import numbers
from ..wire.frames import Ask, CommitFrame, Enter, Incoming, Outgoing, encoder, outgoing
from .errors import NotHere
from .link import socket_url

LONGEST = 64 << 20
"""Bytes of a frame that a server sends, at most: one commit, and all that it reveals."""

OPENING = 20.0
"""Seconds until a connection must be there."""

CLOSING = 2.0
"""Seconds that are waited for the other side to close too."""

SERVER = 500


class Straight(connect):
    """It follows no redirect, which could lead a token elsewhere."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """None is one to follow."""
        return exc


class Connection:
    """An open socket; `frames` ends with it, and `code` is then why."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, frame: Incoming) -> None:
        """Send a frame. Raises Unavailable where the connection is gone."""
        try:
            await self._socket.send(written(frame))
        except (ConnectionClosed, OSError) as error:
            raise Unavailable("the connection is gone") from error

    async def frames(self) -> AsyncGenerator[Outgoing]:
        """What the server sends, until the socket is closed.

        Raises Damaged for what is no frame.
        """
        try:
            async for message in self._socket:
                data = message.encode() if isinstance(message, str) else message
                try:
                    yield outgoing.decode(data)
                except (DecodeError, ValidationError) as error:
                    raise Damaged(f"the server sent what is no frame: {error}") from error
        except (ConnectionClosed, OSError):
            return

    async def close(self) -> None:
        """Close it, as its end would be."""
        await self._socket.close()

    @property
    def code(self) -> int | None:
        """Why the socket was closed: one of `wire.numbers`, or of the protocol."""
        return self._socket.close_code

    @property
    def why(self) -> str:
        """Why the socket was closed, in words."""
        code = self._socket.close_code
        known = numbers.CLOSES.get(code or 0)
        return known or f"the connection was closed: {code} {self._socket.close_reason}".rstrip()


@asynccontextmanager
async def connected(url: str, table: str) -> AsyncGenerator[Connection]:
    """A socket to a table, closed at the end.

    Raises Unavailable where there is none to be had now; NotHere where the server takes none
    from here, and Refused("malformed") for what is no URL.
    """
    try:
        socket = await Straight(
            socket_url(url, table),
            compression=None,
            max_size=LONGEST,
            open_timeout=OPENING,
            close_timeout=CLOSING,
            ping_interval=numbers.PING,
            ping_timeout=numbers.PING,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        if status < SERVER and status not in (408, 425, 429):
            raise NotHere(f"the server answers {status} to a socket from here") from error
        raise Unavailable(f"the server answers {status}") from error
    except ssl.SSLCertVerificationError as error:
        raise NotHere(f"the server's certificate is not good: {error.reason}") from error
    except (OSError, WebSocketException, InvalidURI, EOFError) as error:
        raise Unavailable(f"no connection: {str(error) or type(error).__name__}") from error
    try:
        yield Connection(socket)
    finally:
        await socket.close()


# --- frames ---------------------------------------------------------------------------------------


def entering(token: str, after: int, *, waiting: bool) -> Enter:
    """The first frame."""
    return Enter(token=token, after=after, waiting=waiting)


def asking(request: WireRequest) -> Ask:
    """A request as a frame."""
    return Ask(str(request.request), request.body, request.text, request.seen, request.sig)


def written(frame: Incoming) -> str:
    """A frame as it is sent."""
    return encoder.encode(frame).decode("utf-8")


def commit_of(frame: CommitFrame) -> Commit:
    """A commit as a seat takes it: its lines end."""
    return Commit(frame.size, _lines(frame.entries), _lines(frame.changed))


def _lines(found: tuple[Raw, ...]) -> tuple[bytes, ...]:
    return tuple(bytes(each) + b"\n" for each in found)
