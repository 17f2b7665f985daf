"""One socket's life: its first frame, the table's history, then what happens and what is asked.

See `wire.frames` for what is sent. Requests of one socket are done one after the other, in order;
while one is done no more are read than wait already (`link.AHEAD`). What happens at the table is
sent beside them: the `done` of a request may come before its `commit`, after it, or without one
where the socket was closed in between. So a client waits for both, in any order.

A request that began is finished, whatever becomes of its socket: a client that did not get the
answer sends it again, under the same id, on another one.
"""

import asyncio
from contextlib import aclosing
from typing import Any, TypeAlias

from litestar import WebSocket, websocket
from litestar.params import FromPath
from msgspec import DecodeError

from ....errors import Refused, Unavailable, UrimError
from ....events.log.protocol import CaughtUp
from ....events.strict import Malformed, strict_object
from ...access.protocol import Grant
from ...core.moves import Move
from ...core.refusal import as_refusal
from ...core.request import WireRequest
from ...logs import logger
from ...service.feed import WAITING, Commit, Left, Message, Present
from ...wire import numbers
from ...wire.frames import (
    Ask,
    BehindFrame,
    CaughtUpFrame,
    DoneFrame,
    Enter,
    Entered,
    ForkedFrame,
    Incoming,
    LaterFrame,
    LeftFrame,
    PresentFrame,
    ProofFrame,
    Prove,
    RefusedFrame,
    encoder,
    incoming,
)
from ...wire.problems import OURS
from ..admission.addresses import address_of
from ..admission.auth import grant_for_token
from ..admission.denied import Denied
from ..asker import Asker
from ..http.problems import RETRY_AFTER
from ..requests import do, moves_instead
from ..running import Running, running_of
from ..sizes import covered, size_of
from .awaited import Waits
from .frames import commit_frame, note, written
from .transport import Link, link_of

Data: TypeAlias = str | bytes | None
"""What a client sent in one frame: text, or bytes, which are refused."""


@websocket("/tables/{table:str}/socket")
async def table_socket(socket: WebSocket[Any, Any, Any], table: FromPath[str]) -> None:
    """A seat's socket at a table."""
    running, link = running_of(socket), link_of(socket)
    await socket.accept()
    found = await entering(running, link, table, address_of(socket, running.config))
    if found is not None:
        await Socket(running, link, *found).live()


async def entering(
    running: Running, link: Link, table: str, address: str
) -> tuple[Grant, Asker, Enter] | None:
    """Who comes, by the first frame; None where the connection was closed instead.

    Whatever is wrong with the frame or its token, the answer is the same, and takes as long. Where
    the address was wrong too often no token is looked at: a good one may come again later.
    """
    try:
        async with asyncio.timeout(running.config.silence):
            message = await link.receive()
    except TimeoutError:
        link.end(numbers.SILENT)
        return None
    if message["type"] != "websocket.receive":
        return None
    try:
        enter = read(message.get("text"))
    except Refused:
        enter = None
    found = enter if isinstance(enter, Enter) else Enter("")
    try:
        grant = await grant_for_token(running, found.token, "follow", table, address=address)
    except Denied as denied:
        link.end(numbers.MANY if denied.code == "too-fast" else numbers.REFUSED)
    except Unavailable:
        link.end(numbers.AGAIN)
    except UrimError as error:
        log_end(error, table, None)
        link.end(numbers.BROKEN)
    else:
        return grant, Asker(running.front, table, grant.seat or ""), found
    return None


def read(data: Data) -> Incoming:
    """A frame of a client. Raises Refused("malformed")."""
    if not isinstance(data, str):
        raise Refused("malformed", "a frame of bytes", allowed=["a text"])
    text = data.encode("utf-8")
    try:
        found = incoming.decode(text)
        if encoder.encode(found) != text:
            strict_object(text)  # equal to the byte: no key is there twice
    except (DecodeError, RecursionError, Malformed) as error:
        why = f"no frame: {error}"[:WORDS]
        raise Refused("malformed", why, allowed=["ask", "prove", "enter, first"]) from error
    return found


WORDS = 300
"""Characters of what was wrong with a frame, at most."""


class Socket:
    """A socket of a seat, from the moment that its token was found good."""

    def __init__(
        self, running: Running, link: Link, grant: Grant, asker: Asker, enter: Enter
    ) -> None:
        self.grant = grant
        self._running = running
        self._link = link
        self._asker = asker
        self._enter = enter
        self._live = self._busy = self._stopping = False
        self._waits = Waits(asker, self._put_waiting) if enter.waiting else None

    async def live(self) -> None:
        """Do what it asks and send what happens, until it is closed."""
        sockets, link, asker = self._running.sockets, self._link, self._asker
        refused = sockets.add(self, self._running.config, self._running.now)
        if refused:
            link.end(refused)
            return
        link.on_shutdown = self.stop
        following = asyncio.create_task(self._follow())
        try:
            role, expires = self.grant.role, self.grant.expires
            link.put(written(Entered(asker.table, asker.seat, role, expires)))
            await self._serve()
        finally:
            sockets.remove(self)
            following.cancel()
            await asyncio.wait([following])
            if self._waits is not None:
                await self._waits.end()

    # --- closed from here -------------------------------------------------------------------------

    def end(self, code: int) -> None:
        """See `sockets.Open`."""
        self._link.end(code, drop=True)

    def stop(self) -> None:
        """See `sockets.Open`."""
        self._stopping = True
        if not self._busy:
            self._link.end(numbers.RESTART)

    def _fail(self, error: Exception) -> None:
        """Close after an error that the seat can do nothing about."""
        if isinstance(error, Unavailable):
            self._link.end(numbers.AGAIN)
        else:
            log_end(error, self._asker.table, self._asker.seat)
            self._link.end(numbers.BROKEN)

    # --- what happens -----------------------------------------------------------------------------

    async def _follow(self) -> None:
        table, seat = self._asker.table, self._asker.seat
        try:
            subscription = self._asker.front.subscribe(table, seat, self._enter.after)
            async with aclosing(subscription) as messages:
                async for message in messages:
                    await self._take(message)
            self._link.end(numbers.RESTART)  # the service closes
        except Refused as refused:
            await self._cannot_follow(refused)
        except Exception as error:  # noqa: BLE001 - whatever it is, the socket is closed
            self._fail(error)

    async def _take(self, message: Message) -> None:
        link = self._link
        if isinstance(message, Commit):
            if self._live:
                self._put_live(self._running.sockets.frames.of(message), message.size)
            else:
                link.put(commit_frame(message), message.size)
                await link.flushed()  # a history waits for its reader
        elif isinstance(message, CaughtUp):
            head = note(await self._asker.front.head(self._asker.table))
            link.put(written(CaughtUpFrame(message.size, head)))
            self._live = True
            self._changed(message.size)
        elif isinstance(message, Present):
            self._put(written(PresentFrame(message.seats)))
        elif isinstance(message, Left):
            link.end(numbers.LEFT, written(LeftFrame(message.size)))
        else:
            self._behind()

    def _put_live(self, frame: bytes, size: int) -> None:
        if self._link.commits >= numbers.QUEUED:
            self._behind()
        else:
            # What waits is looked at next, as a rule: both are sent at once.
            self._put(frame, size, hold=self._waits is not None)
            self._changed(size)

    def _put(self, frame: bytes, size: int = 0, *, hold: bool = False) -> None:
        """Send a frame, beside what waits: so one that is longer than may wait is sent too."""
        if self._link.waiting > WAITING:
            self._behind()
        else:
            # While a request is done, the next commit is its own as a rule: both are sent at once.
            self._link.put(frame, size, hold=hold or self._busy)

    def _behind(self) -> None:
        """Close a socket that does not keep up: it goes on after the last commit that it gets."""
        size = self._link.size or self._enter.after + 1
        self._link.end(numbers.SLOW, written(BehindFrame(size)), drop=True)

    async def _cannot_follow(self, refused: Refused) -> None:
        if refused.code == "out-of-range":
            try:
                head = await self._asker.front.head(self._asker.table)
                size = covered(head) if head is not None else await size_of(self._asker, head)
            except UrimError as error:
                self._fail(error)
            else:
                self._link.end(numbers.FORKED, written(ForkedFrame(size, note(head))))
        elif refused.code == "unknown":
            self._link.end(numbers.LEFT)
        elif refused.code == "over-budget":
            self._link.end(numbers.MANY)
        else:
            self._fail(refused)

    def _changed(self, size: int) -> None:
        if self._waits is not None:
            self._waits.changed(size)

    def _put_waiting(self, frame: bytes) -> None:
        self._put(frame)

    # --- what is asked ----------------------------------------------------------------------------

    async def _serve(self) -> None:
        link = self._link
        while True:
            message = await link.receive()
            if message["type"] != "websocket.receive" or link.ended:
                return
            self._busy = True
            try:
                frame = await self._answer(message.get("text"))
            except Exception as error:  # noqa: BLE001 - whatever it is, the socket is closed
                self._fail(error)
                return
            finally:
                self._busy = False
            link.put(frame)
            if self._stopping:
                link.end(numbers.RESTART)
            # Who does not read the answers is asked nothing more.
            await link.flushed()

    async def _answer(self, data: Data) -> bytes:
        """The answer to a frame. Raises what the seat can do nothing about."""
        request = None
        try:
            asked = read(data)
            if isinstance(asked, Enter):
                raise Refused("malformed", "this socket entered already", allowed=["ask", "prove"])
            request = asked.request if isinstance(asked, Ask) else None
            seconds = self._running.buckets.take(self._asker.table, self._asker.seat)
            if seconds:
                return written(LaterFrame(request, seconds, OURS["too-fast"][1]))
            if isinstance(asked, Ask):
                return await self._ask(asked)
            return await self._prove(asked)
        except Refused as refused:
            if refused.code == "unreadable":
                return written(LaterFrame(request, RETRY_AFTER, OURS["unavailable"][1]))
            return written(_refused(request, refused))
        except Unavailable:
            return written(LaterFrame(request, RETRY_AFTER, OURS["unavailable"][1]))

    async def _ask(self, ask: Ask) -> bytes:
        asker = self._asker
        data = WireRequest(ask.body, ask.request, ask.text, ask.seen, ask.sig).written()
        try:
            done = await do(asker, data)
        except Refused as refused:
            moves = await moves_instead(asker, refused, data)
            return written(_refused(ask.request, refused, moves))
        return written(DoneFrame(ask.request, done.seqs, done.size, note(done.head)))

    async def _prove(self, asked: Prove) -> bytes:
        proved = await self._asker.front.consistency(self._asker.table, asked.size)
        hashes = tuple(each.hex() for each in proved.proof)
        return written(ProofFrame(asked.size, proved.note.decode("utf-8"), hashes))


def _refused(request: str | None, refused: Refused, moves: tuple[Move, ...] = ()) -> RefusedFrame:
    found = as_refusal(refused)
    return RefusedFrame(request, found.code, found.why, found.allowed, found.left_out, moves)


def log_end(error: Exception, table: str, seat: str | None) -> None:
    """Log why a socket is closed, with the words of none but Urim's own errors."""
    known = {"why": str(error)} if isinstance(error, UrimError) else {}
    logger.error("socket failed", table=table, seat=seat, error=type(error).__name__, **known)


HANDLERS = (table_socket,)
