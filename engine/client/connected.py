"""A seat that is connected: frames in, requests out, each sent only once it is kept.

It opens another socket whenever one is cut, until something ends it for good.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine, Sequence
from contextlib import suppress

from msgspec.json import decode

from ...errors import Damaged, Defect, Refused, Unavailable, UrimError
from ...events.log.bell import Bell
from ...events.log.protocol import CaughtUp
from ..access.rights import AccessRole
from ..core.commands import AnchorShares, AnyThrow, Ask, OpenShare
from ..core.moves import Awaited
from ..core.parse import TAGS
from ..core.refusal import Refusal
from ..core.request import WireRequest, read_request
from ..seat import Seat
from ..seat.happened import Done, Happened, NotDone
from ..service.feed import Behind, Left, Present
from ..wire import frames, numbers
from .connection import Connection, asking, commit_of, connected, entering, written
from .errors import NotAdmitted, NotHere, Unanswered, refusal
from .happenings import Happenings
from .manners import Manners
from .store import Store, Ticket


class Connected:
    """The connection of one seat, and what is under way; `Client` is what people use of it."""

    def __init__(
        self,
        store: Store,
        ticket: Ticket,
        seat: Seat,
        *,
        manners: Manners,
        sharing: bool,
        waiting: bool,
    ) -> None:
        self.url = ticket.url
        self.table = ticket.table
        self.seat = ticket.seat
        self.role: AccessRole = ticket.role
        self.token = ticket.token
        self.expires = ticket.expires
        self.present: tuple[str, ...] = ()
        self.awaited: tuple[Awaited, ...] = ()
        self.fault: UrimError | None = None
        self._own = seat
        self._store = store
        self._manners = manners
        self._sharing = sharing
        self._waiting = waiting
        self._news = Bell()
        self._work = Bell()
        self._happened = Happenings()
        self._connection: Connection | None = None
        self._trouble = "there is no connection yet"
        self._settled: dict[str, Done | Refusal] = {}
        self._wanted: Counter[str] = Counter()
        self._overdue: set[str] = set()
        self._sent: set[str] = set()
        self._later: dict[str, float] = {}
        self._tried: set[tuple[type, int]] = set()
        self._unsaved = self._ended = self._closed = False
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: asyncio.Task[None] | None = None
        self._unsure: float | None = None

    async def start(self) -> None:
        """Connect, and return once the whole table is here; `join` and `resume` do it.

        Raises as `caught_up`.
        """
        work = (self._run(), self._deliver())
        self._tasks = [asyncio.create_task(self._to_end(each)) for each in work]
        await self.caught_up()

    async def close(self) -> None:
        """End the connection, and let another client use the store. What was shown is kept."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)  # to its end, though who waits for it is cancelled

    async def _close(self) -> None:
        self._closed = self._ended = True
        self._ring()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            with suppress(Unavailable):  # all that was sent is kept
                await self._store.keep(self._own.stored())
        finally:
            self._store.close()

    async def caught_up(self) -> None:
        """Wait until there is a connection, and all is here that the table has, and signed.

        Raises Unavailable once `patience` is spent, and what ended the client.
        """
        try:
            async with asyncio.timeout(self._manners.patience):
                while not (self._sure or self._ended):
                    await self._news.ticket().wait()
        except TimeoutError as error:
            raise Unavailable(self._trouble) from error
        self._check()

    @property
    def _sure(self) -> bool:
        """Whether all is here, and signed: nothing is done on the ground of what may be denied."""
        return self._own.live and self._own.covers(self._own.size)

    def _check(self) -> None:
        if self.fault is not None:
            raise self.fault
        if self._closed:
            raise Unavailable("the client is closed")
        if self._ended:
            raise Refused("unknown", f"seat {self.seat!r} left the table")

    # --- requests ---------------------------------------------------------------------------------

    async def _answer(self, data: bytes) -> Done:
        request = read_request(data)
        id = str(request.request)
        self._wanted[id] += 1
        try:
            if len(written(asking(request)).encode()) > numbers.FRAME:
                why, most = "the request is too long", f"{numbers.FRAME} bytes at most"
                self._add(self._own.refused(id, Refusal("too-long", why, (most,))))
            self._work.ring()
            return await self._settles(id)
        finally:
            self._forget(id)

    async def _settles(self, id: str) -> Done:
        """Wait until it is known what became of a request, and the table here has it."""
        self._wanted[id] += 1
        try:
            async with asyncio.timeout(self._manners.patience):
                while not self._known(id):
                    if self._ended:
                        self._check()
                    await self._news.ticket().wait()
            found = self._settled[id]
            self._overdue.discard(id)
        except TimeoutError as error:
            self._overdue.add(id)
            raise Unanswered(id, self._trouble or "no answer came") from error
        finally:
            self._forget(id)
        if isinstance(found, Refusal):
            raise refusal(found.code, found.why, found.allowed, found.left_out)
        return found

    def _forget(self, id: str) -> None:
        """One fewer waits for what becomes of a request."""
        self._wanted[id] -= 1
        if self._wanted[id] <= 0:
            del self._wanted[id]
            if id not in self._overdue:
                self._settled.pop(id, None)

    def _known(self, id: str) -> bool:
        found = self._settled.get(id)
        if isinstance(found, Done) and found.seq is not None:
            return self._own.live and found.seq < self._own.size and self._own.covers(found.seq + 1)
        return found is not None

    def _pending(self, roll: int, *kinds: type) -> WireRequest | None:
        """A request about a roll, of one of these commands, that is under way."""
        for request in self._own.stored().pending:
            if any(is_of(request, kind) for kind in kinds) and decode(request.body)["roll"] == roll:
                return request
        return None

    # --- what comes in ----------------------------------------------------------------------------

    async def _to_end(self, work: Coroutine[None, None, None]) -> None:
        """Do this to its end, which is the client's; a fault is kept before it is shown."""
        try:
            await work
        except UrimError as error:
            if self._own.fault is not None:
                with suppress(Unavailable):  # `close` tries again
                    await self._store.keep(self._own.stored())
            self.fault = self.fault or error
        except Exception as error:  # noqa: BLE001  raised by whatever is asked next
            self.fault = Defect(f"{type(error).__name__}: {error}")
            self.fault.__cause__ = error
        finally:
            self._ended = True
            self._ring()

    async def _run(self) -> None:
        """Be connected, until something ends it."""
        attempt = 0
        while not self._ended:
            try:
                if await self._once():
                    attempt = 0
            except NotHere as error:
                if not self._own.size:
                    raise
                self._trouble = error.why  # as while a server starts behind a proxy
            except Unavailable as error:
                self._trouble = error.why
            finally:
                self._own.cut()
                self._connection = None
            if not self._ended:
                await asyncio.sleep(self._manners.delay(attempt))
                attempt += 1

    async def _once(self) -> bool:
        """One connection, from its beginning to its end; whether all came that there was."""
        good = False
        async with connected(self.url, self.table) as connection:
            after = self._own.begin()
            await connection.send(entering(self.token, after, waiting=self._waiting))
            self._sent, self._later, self._tried = set(), {}, set()
            self._connection = connection
            async for frame in connection.frames():
                self._take(frame)
                good = good or self._own.live
                self._ring()
                if self._ended:
                    return good
            self._closed_with(connection)
        return good

    def _closed_with(self, connection: Connection) -> None:
        """Why the connection was closed may end the client."""
        self._trouble = connection.why
        if connection.code == numbers.REFUSED:
            raise NotAdmitted(connection.why)
        if connection.code == numbers.FORKED:
            raise Damaged(f"{connection.why}; and it sent none")
        if connection.code == numbers.LEFT:
            self._take(frames.LeftFrame(self._own.size))

    def _take(self, frame: frames.Outgoing) -> None:
        """Take one frame over. Raises Damaged and Forked for what cannot be so."""
        # The head first: what is wrong with the entries then comes with the head that has them.
        if isinstance(frame, frames.CommitFrame):
            self._head(frame.head)
            self._add(self._own.receive(commit_of(frame)))
        elif isinstance(frame, frames.CaughtUpFrame):
            self._head(frame.head)
            self._add(self._own.receive(CaughtUp(frame.size)))
            self._own.demand(frame.size, now=True)
            self._trouble = ""
        elif isinstance(frame, frames.DoneFrame):
            self._later.pop(frame.request, None)
            note = None if frame.head is None else frame.head.encode()
            self._add(self._own.answer(frame.request, frame.seqs, note))
            self._own.demand(max(frame.size, *(seq + 1 for seq in frame.seqs), 0))
        elif isinstance(frame, frames.RefusedFrame):
            self._refused(frame)
        elif isinstance(frame, frames.LaterFrame):
            self._trouble = frame.why
            if frame.request is not None:
                self._later[frame.request] = time.monotonic() + frame.seconds
        else:
            self._take_rest(frame)
        self._work.ring()

    def _take_rest(self, frame: frames.Outgoing) -> None:
        own = self._own
        if isinstance(frame, frames.Entered):
            if (frame.table, frame.seat) != (self.table, self.seat):
                raise Damaged(f"the token led to seat {frame.seat} of table {frame.table}")
            self.role, self.expires = frame.role, frame.expires
        elif isinstance(frame, frames.PresentFrame):
            self.present = frame.seats
            self._add(own.receive(Present(frame.seats)))
        elif isinstance(frame, frames.WaitingFrame):
            self.awaited = frame.others
        elif isinstance(frame, frames.BehindFrame):
            self._add(own.receive(Behind(frame.size)))
        elif isinstance(frame, frames.LeftFrame):
            self._add(own.receive(Left(frame.size)))
            self._ended = True
        elif isinstance(frame, frames.ForkedFrame):
            if frame.head is None:
                raise Damaged(f"the log has {frame.size} entries, and {own.size} were sent")
            own.shorter(frame.head.encode())

    def _refused(self, frame: frames.RefusedFrame) -> None:
        if frame.request is None:
            self._trouble = frame.why
            return
        self._later.pop(frame.request, None)
        refused = Refusal(frame.code, frame.why, frame.allowed, frame.left_out)
        found = self._own.refused(frame.request, refused)
        if not found:
            self._sent.discard(frame.request)  # it may be signed once more
        self._add(found)

    def _is_wanted(self, id: str) -> bool:
        return id in self._wanted or id in self._overdue

    def _head(self, note: str | None) -> None:
        if note is not None:
            self._add(self._own.head(note.encode()))

    def _add(self, found: Sequence[Happened]) -> None:
        """Hand on what happened."""
        for each in found:
            self._unsaved = True
            if isinstance(each, Done) and self._is_wanted(each.request):
                self._settled[each.request] = each
            elif isinstance(each, NotDone) and self._is_wanted(each.request):
                self._settled[each.request] = each.refusal
        self._happened.add(found)
        self._ring()

    def _ring(self) -> None:
        self._news.ring()
        self._work.ring()

    # --- what is sent -----------------------------------------------------------------------------

    async def _deliver(self) -> None:
        """Send what is under way, each time only once it is kept."""
        kept: set[str] = set()
        saved = time.monotonic()
        while not self._ended:
            ticket = self._work.ticket()
            if self._sure:
                self._share()
            await self._look_again()
            waiting = [read_request(data) for data in self._own.resend()]
            ids = {str(each.request) for each in waiting}
            due = self._unsaved and time.monotonic() - saved >= self._manners.keep
            if due or not ids <= kept:
                try:
                    self._unsaved = False
                    await self._store.keep(self._own.stored())
                    kept, saved = ids, time.monotonic()
                except Unavailable as error:
                    self._trouble, self._unsaved = error.why, True
            await self._send([each for each in waiting if str(each.request) in kept])
            with suppress(TimeoutError):
                await asyncio.wait_for(ticket.wait(), self._idle(saved, ids, late=not ids <= kept))

    def _idle(self, saved: float, ids: set[str], *, late: bool) -> float | None:
        """How long there is nothing to do, in seconds, while these requests are under way."""
        now = time.monotonic()
        times = list[float]()
        if self._connection is not None and self._own.live:
            times = [max(0.0, until - now) for id, until in self._later.items() if id in ids]
        if self._unsure is not None:
            times.append(max(self._unsure + self._manners.patience - now, 0.01))
        if self._unsaved or late:
            times.append(max(self._manners.keep - (now - saved), 0.1))
        return min(times, default=None)

    async def _look_again(self) -> None:
        """Enter again where a live commit stays unsigned: the history must have a signed end.

        Of commits that were found at once only the last has a head, so one without is no fault.
        """
        now = time.monotonic()
        if self._sure or not self._own.live:
            self._unsure = None
        elif self._unsure is None:
            self._unsure = now
        elif now - self._unsure >= self._manners.patience and self._connection is not None:
            self._unsure = None
            await self._connection.close()

    async def _send(self, requests: Sequence[WireRequest]) -> None:
        connection = self._connection
        if connection is None or not self._own.live:
            return
        now = time.monotonic()
        for request in requests:
            id = str(request.request)
            later = self._later.get(id)
            if id in self._sent and (later is None or later > now):
                continue
            self._later.pop(id, None)
            self._sent.add(id)
            try:
                await connection.send(asking(request))
            except Unavailable:
                return

    def _share(self) -> None:
        """Anchor this seat, and open its share of a throw that waits for it, where it may.

        Each is tried once for each state of the table: what is refused now may be done later.
        """
        if not self._sharing:
            return
        own = self._own
        ask = own.asked if own.may_open else None
        with suppress(Refused):  # where its key is not here: the player finds out when it asks
            if ask is not None and self._first_try(OpenShare, ask.seq):
                own.open_share()
            elif own.should_anchor and self._first_try(AnchorShares, own.size):
                own.anchor()

    def _first_try(self, kind: type, place: int) -> bool:
        """Whether no such request is under way, nor was refused at this place since connecting."""
        under_way = any(is_of(request, kind) for request in self._own.stored().pending)
        if under_way or (kind, place) in self._tried:
            return False
        self._tried.add((kind, place))
        return True


def is_of(request: WireRequest, kind: type) -> bool:
    """Whether a request is of this command."""
    return bool(decode(request.body)["do"] == TAGS[_name(kind)])


def throws(request: WireRequest, command: AnyThrow) -> bool:
    """Whether a request is of this throw, or asks for it: of the same hand, option and dice."""
    if not is_of(request, type(command)) and not is_of(request, Ask):
        return False
    body = decode(request.body)
    given = [getattr(command, name, None) for name in ("roll", "hand", "option", "dice")]
    return [body.get("roll"), body.get("hand"), body.get("option")] == given[:3] and tuple(
        body.get("dice") or ()
    ) == tuple(given[3] or ())


def _name(kind: type) -> str:
    return str(kind.__struct_config__.tag).partition("/")[0]  # type: ignore[attr-defined]


def milliseconds() -> int:
    """The time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
