"""A connection before it is a socket: uvicorn's, with bounds on its size, its time and its number.

Uvicorn reads headers of any length, waits for ever where a client sends slowly or reads none, and
takes as many connections as come. Here a request has come whole in `Config.patience` seconds, or is
answered 408; what is too long is answered 431 or 413 as it comes. After such an answer what comes
is dropped for a moment: a connection that is closed with bytes unread is reset, and the client may
never see why. When the server stops, a request that has not come whole is answered 503.

`uvicorn.Config(http=door(config))` uses it.
"""

import asyncio
from collections.abc import Iterable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ...wire.numbers import FRAME, HEADING
from ...wire.problems import MEDIA_TYPE
from ..admission.addresses import network
from ..admission.denied import Denied
from ..admission.origins import HEADERS
from ..process.config import Config
from ..socket.transport import LINGER
from .problems import RETRY_AFTER, as_problem, headers_of

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

PIECE = 16 * 1024
"""Bytes that are looked at together: headers may be this much longer than their bound."""

RAW = 8 * FRAME
"""Bytes that a body may take with all that is around its chunks."""

UNBOUNDED = 2**31

SPARE = 16
"""Files that a process needs beside its connections and those that are open when it starts."""


class Door(Protocol):
    """A connection on which requests come."""

    def __init__(self, settings: Config, most: int, **given: Any) -> None:
        super().__init__(**given)
        self._settings = settings
        self._most = most
        self._heading = self._body = 0
        self._deaf = False
        self._due: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    # --- the connection ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it, unless there are too many."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self._most:
            self.refuse(Denied("unavailable", "too many connections", retry_after=RETRY_AFTER))
        elif self._crowded():
            self.refuse(
                Denied("too-fast", "too many connections of one address", retry_after=RETRY_AFTER)
            )

    def _crowded(self) -> bool:
        """Whether its address has too many. A proxy has those of everybody."""
        settings = self._settings
        if self.client is None or (settings.behind_proxy and self.client[0] in settings.proxies):
            return False
        own = network(self.client[0])
        clients = (cast("Any", each).client for each in self.connections)
        count = sum(client is not None and network(client[0]) == own for client in clients)
        return count > settings.address_connections

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._end_timers()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, *event: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Leave the connection to a socket; what is none is refused."""
        self._end_timers()
        self._deaf = True
        super().handle_websocket_upgrade(*event)
        link = cast("Any", self.transport).get_protocol()
        if not link.handshake_initiated:
            self.refuse(Denied("no-http"))

    # --- what comes -------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Read on, while it is neither too long nor answered already."""
        for start in range(0, len(data), PIECE):
            if self._deaf or self.transport.is_closing():
                return
            self._read(data[start : start + PIECE])
        if not self._deaf and self._due is None and self._comes:
            self._wait()

    def _read(self, piece: bytes) -> None:
        before = self._cycle
        super().data_received(piece)
        if self._cycle is not before:
            self._heading = self._body = 0
        elif before is None or not before.more_body:
            self._heading += len(piece)
        else:
            self._body += len(piece)
        if not self._comes:
            self._stop_waiting()
        if self._heading > HEADING:
            self.refuse(Denied("long-head"))
        elif self._body > RAW:
            self.refuse(Denied("too-big"))

    @property
    def _comes(self) -> bool:
        """Whether a request, or the rest of one, is still to come."""
        return self._cycle is None or self._cycle.more_body or self._heading > 0

    @property
    def _done(self) -> bool:
        """Whether no answer is due or begun."""
        return self._cycle is None or self._cycle.response_complete

    @property
    def _cycle(self) -> Any:
        """The last request of which the headers came, and its answer; None before the first."""
        return self.cycle

    # --- how long it takes ------------------------------------------------------------------------

    def _wait(self) -> None:
        self._due = self.loop.call_later(self._settings.patience, self._late)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _late(self) -> None:
        self._due = None
        if not (self._done or self.cycle.more_body):
            self._wait()  # the one before is not answered yet
        elif self._done and not self._heading:
            self.transport.close()
            self._linger()
        else:
            self.refuse(Denied("too-slow"))

    def pause_writing(self) -> None:
        """The client does not read: give it a while."""
        super().pause_writing()
        self._unread = self.loop.call_later(self._settings.patience, self.transport.abort)

    def resume_writing(self) -> None:
        """It read on."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def on_response_complete(self) -> None:
        """Be gone soon where that was the last answer."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._linger()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more came."""
        super().timeout_keep_alive_handler()
        self._linger()

    def _linger(self) -> None:
        """Be gone after a while, whatever the client reads."""
        self.loop.call_later(LINGER, self.transport.abort)

    def _end_timers(self) -> None:
        self._stop_waiting()
        self._unset_keepalive_if_required()
        if self._unread is not None:
            self._unread.cancel()

    # --- what is refused --------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """What came is no request."""
        self.refuse(Denied("no-http", msg))

    def shutdown(self) -> None:
        """The server stops: what has not come whole is not waited for."""
        if self._deaf:  # it has its answer, and nothing can be written behind that
            self.transport.close()
            return
        if not self._done and self.cycle.more_body:
            stops = "the server stops: send the same again"
            self.refuse(Denied("unavailable", stops, retry_after=RETRY_AFTER))
            self.transport.close()
            return
        super().shutdown()
        if self.transport.is_closing():
            self._linger()

    def refuse(self, denied: Denied) -> None:
        """Answer what came so far with a problem, unless another answer is begun, and end."""
        self._end_timers()
        self._deaf = True
        begun = not self._done and (self.cycle.response_started or not self.cycle.more_body)
        if not self._done:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._linger()
        if begun or self._queued():
            self.transport.close()
            return
        self.transport.write(written(denied, self.server_state.default_headers))
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _queued(self) -> bool:
        """Whether requests that came before wait for their turn."""
        return bool(getattr(self, "pipeline", ()))


def written(denied: Denied, more: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A whole answer that ends its connection."""
    problem = as_problem(denied)
    body = msgspec.json.encode(problem)
    headers = {
        **{name.decode("latin-1"): value.decode("latin-1") for name, value in more},
        **HEADERS,
        **headers_of(problem),
        "Connection": "close",
        "Content-Length": str(len(body)),
        "Content-Type": MEDIA_TYPE,
    }
    lines = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def door(settings: Config) -> type[asyncio.Protocol]:
    """What makes the connections of a server; the setting is for `uvicorn.Config(http=…)`."""
    most = min(settings.connections, _files())
    return cast("type[asyncio.Protocol]", partial(Door, settings, most))


def _files() -> int:
    """How many connections the process may have open beside what it has open now."""
    try:
        import resource  # noqa: PLC0415  not on every system

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if most == resource.RLIM_INFINITY:
            return UNBOUNDED
        return max(1, most - len(list(Path("/dev/fd").iterdir())) - SPARE)
    except (ImportError, OSError):
        return UNBOUNDED
