"""One feed a table: every commit once, as a whole, as each seat that subscribes may have it.

The commit itself feeds it: whatever a table in memory takes over, the feed hands on. It looks into
the log only where the log's bell says that others wrote. What it sends is built when a subscriber
takes it, from the table in memory and its index of what each seat may see. Each entry is encoded at
most twice, whole and sealed, for all subscribers.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Protocol, TypeAlias

from msgspec import Struct

from ...errors import Damaged, Defect, Refused, Unavailable
from ...events.entry import HIDDEN, Entry
from ...events.log.protocol import Bell, CaughtUp
from ...events.table import EntryErased, SeatLeft
from ..core.aggregate import Aggregate
from ..core.parse import shown
from ..logs import logger
from .encoded import Lines
from .line import WaitingLine
from .pace import Pace
from .presence import Presence, Seats
from .tables import Held, Loader, TableCache

WAITING = 1 << 20
"""Bytes of entries, hidden ones sealed, that wait for a slow subscriber, at most, beside the latest
commit: one that is further behind is sent `Behind`."""

QUEUED = 256
"""Commits that wait for a slow subscriber, at most, whatever their bytes."""

SLICE = 50
"""Commits of a history that are made at once; then other tasks have their turn."""

# --- what a subscriber gets -----------------------------------------------------------------------


class Commit(Struct, frozen=True):
    """One commit, whole, as the seat may have it; the table has `size` entries after it.

    Each of `entries` is a line of JSON as in a bundle (docs/bundle.md), its line break included;
    one that the seat may not have is sealed: without salt and payload. `changed` are lines of older
    entries that take the place of those sent before: whole where the commit let the seat see them,
    sealed where it may see them no more, or where a text was erased.

    `head` is a signed head of exactly this size: of a live commit, and of several that were found
    at once the last one's. None of a history, and where an epoch leaves the size unsigned.
    """

    size: int
    entries: tuple[bytes, ...]
    changed: tuple[bytes, ...] = ()
    head: bytes | None = None


class Present(Struct, frozen=True):
    """The seats with a live subscription, sorted, as far as is known: a hint, of this moment.

    At other services too, where the log carries hints; see the module `presence`.
    """

    seats: tuple[str, ...]


class Left(Struct, frozen=True):
    """The last message: the seat left the table in the commit before, after `size` entries."""

    size: int


class Behind(Struct, frozen=True):
    """The last message: more waits than is kept. Subscribe again, with `after` = `size` - 1."""

    size: int


Message: TypeAlias = Commit | CaughtUp | Present | Left | Behind

Subscription: TypeAlias = AsyncGenerator[Message, None]

# --- one table ------------------------------------------------------------------------------------


class Recent(Struct):
    """A commit that some subscribers may not have taken: its entries, bytes, the seats that left.

    `for_all` is what every seat is sent of it, where that is the same; `head` covers it.
    """

    start: int
    stop: int
    head: bytes | None
    bytes: int
    left: frozenset[str]
    for_all: Commit | None


class Feed:
    """What is sent of one table, from the moment that it is first subscribed to.

    `size` is how far it was handed on. `news` rings for those who take commits one by one: they are
    counted from 0, and `first` up to `stop` are kept.
    """

    def __init__(self, table: str, bell: Bell) -> None:
        self.table = table
        self.bell = bell
        self.users = 0
        self.size = 0
        self.first = self.stop = 0
        self.news = Bell()
        self.seats = Seats(table, self.news.ring)
        self.ended = False
        self.error: Exception | None = None
        self.watch: asyncio.Task[None] | None = None
        self._aggregate: Aggregate | None = None
        self._lines = Lines()
        self._recent: deque[Recent] = deque()
        self._bytes = 0

    @property
    def aggregate(self) -> Aggregate:
        """The table as it was handed on last. Raises Damaged where it could not be loaded."""
        if self._aggregate is None:
            raise Damaged(f"table {self.table!r} is not loaded")
        return self._aggregate

    # --- fed --------------------------------------------------------------------------------------

    def advance(self, aggregate: Aggregate, head: bytes | None = None) -> None:
        """Hand on what the table has beyond what was handed on before, with a head of it all."""
        known, self._aggregate = self._aggregate, aggregate
        size = len(aggregate.entries)
        if known is None:
            self.size = size
        elif size < self.size:
            self.end(Damaged(f"the log has {size} entries, and {self.size} were sent"))
        elif size > self.size:
            for start, stop in commits(aggregate.entries, self.size, size):
                self._take(aggregate, start, stop, head if stop == size else None)
            while len(self._recent) > QUEUED or self._bytes - self._recent[-1].bytes > WAITING:
                self._bytes -= self._recent.popleft().bytes
                self.first += 1
            self.size = size
            self.news.ring()

    def _take(self, aggregate: Aggregate, start: int, stop: int, head: bytes | None) -> None:
        entries = aggregate.entries[start:stop]
        events = [record.event for record in aggregate.records[start:stop] if record is not None]
        erased = {event.seq for event in events if isinstance(event, EntryErased)}
        left = frozenset(event.seat for event in events if isinstance(event, SeatLeft))
        for seq in erased:
            self._erase(seq)
        # Hidden entries count sealed: when one falls behind must not show how long they are.
        lines = tuple(self._lines.line(each, whole=each.kind not in HIDDEN) for each in entries)
        hidden = any(entry.kind in HIDDEN for entry in entries)
        alike = not (hidden or erased or aggregate.visible_parts.touched(start, stop))
        size = sum(map(len, lines))
        for_all = Commit(stop, lines, head=head) if alike else None
        self._recent.append(Recent(start, stop, head, size, left, for_all))
        self._bytes += size
        self.stop += 1

    def _erase(self, seq: int) -> None:
        """Drop a text that was erased: nobody is sent it any more."""
        self._lines.erase(seq)
        for recent in self._recent:
            if recent.start <= seq < recent.stop:
                recent.for_all = None

    def end(self, error: Exception | None = None) -> None:
        """End every subscription, once it has taken what is there, or at once with an error."""
        self.ended = True
        self.error = error
        self.news.ring()

    # --- taken ------------------------------------------------------------------------------------

    def start_of(self, seat: str, after: int) -> int:
        """Where a seat's subscription begins: with whole commits.

        Raises Refused("unknown") for a seat that is not here, Refused("out-of-range") for an
        `after` that the table does not have.
        """
        seats = self.aggregate.opened.seats
        if seat not in seats or not seats[seat].here:
            here = sorted(id for id, known in seats.items() if known.here)
            raise Refused("unknown", f"no seat {shown(seat)} at table {self.table!r}", allowed=here)
        if not -1 <= after < self.size:
            why = f"after is {after}, and table {self.table!r} has {self.size} entries"
            raise Refused("out-of-range", why, allowed=[f"-1 to {self.size - 1}"])
        following = after + 1
        return following if following == self.size else self.aggregate.entries[following].commit

    def history(self, seat: str, start: int, size: int) -> Iterator[Commit]:
        """The commits from `start` up to `size`, as the seat might have them then; at any pace.

        Entries before `start` come with the commit that changed the seat's sight of them, once. So
        one that breaks off may be resumed after any of its commits: what changes later comes then.
        """
        sent = set[int]()
        for first, stop in commits(self.aggregate.entries, start, size):
            changed = self._changed(seat, first, stop, start) - sent
            sent |= changed
            yield self._commit(seat, range(first, stop), changed, size - 1, None)

    def live(self, seat: str, number: int) -> tuple[Commit, bool]:
        """A commit that is kept, as the seat might have it then; whether the seat left in it."""
        recent = self._recent[number - self.first]
        found = recent.for_all
        if found is None:
            start, stop = recent.start, recent.stop
            changed = self._changed(seat, start, stop, start)
            found = self._commit(seat, range(start, stop), changed, stop - 1, recent.head)
        return found, seat in recent.left

    def _commit(
        self, seat: str, entries: range, changed: set[int], at: int, head: bytes | None
    ) -> Commit:
        line = partial(self._line, seat, at)
        others = tuple(map(line, sorted(changed)))
        return Commit(entries.stop, tuple(map(line, entries)), others, head)

    def _line(self, seat: str, at: int, seq: int) -> bytes:
        aggregate = self.aggregate
        entry = aggregate.entries[seq]
        whole = entry.kind not in HIDDEN or aggregate.visible_parts.shown(seat, seq, at)
        return self._lines.line(entry, whole=whole)

    def _changed(self, seat: str, start: int, stop: int, below: int) -> set[int]:
        """The entries before `below` that a commit shows to the seat, hides from it, or erases."""
        aggregate, parts = self.aggregate, self.aggregate.visible_parts
        changed = {
            seq
            for seq, seen in parts.changed(seat, start, stop, below)
            if seen or aggregate.entries[seq].payload is not None
        }
        for record in aggregate.records[start:stop]:
            if record is not None and isinstance(record.event, EntryErased):
                seq = record.event.seq
                hidden = aggregate.entries[seq].kind in HIDDEN
                if seq < below and (not hidden or parts.shown(seat, seq, start - 1)):
                    changed.add(seq)
        return changed


def commits(entries: Sequence[Entry], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The commits among entries `start` up to `stop`, each from its first to behind its last."""
    first = start
    for seq in range(start + 1, stop):
        if entries[seq].commit == seq:
            yield first, seq
            first = seq
    if first < stop:
        yield first, stop


class Listener:
    """One seat's place in a feed, once it has what was there at first: `size` entries so far."""

    def __init__(self, feed: Feed, seat: str) -> None:
        self.size = feed.size
        self._feed = feed
        self._seat = seat
        self._taken = feed.stop
        self._told: tuple[str, ...] = ()
        self._last: Left | Behind | None = None
        self._over = False

    async def hear(self) -> Message | None:
        """The next message, waited for; None after the last. Raises what the feed ended with."""
        feed = self._feed
        while not self._over:
            ticket = feed.news.ticket()
            if feed.error is not None:
                raise feed.error
            if self._last is None and self._taken < feed.first:
                self._last = Behind(self.size)
            if self._last is not None:
                self._over = True
                return self._last
            if self._taken < feed.stop:
                return self._take()
            if feed.ended:
                break
            if self._told != feed.seats.present:
                self._told = feed.seats.present
                return Present(self._told)
            await ticket.wait()
        return None

    def _take(self) -> Commit:
        commit, left = self._feed.live(self._seat, self._taken)
        self._taken += 1
        self.size = commit.size
        self._last = Left(self.size) if left else None
        return commit


# --- all tables -----------------------------------------------------------------------------------


class InLine(Protocol):
    """Does some work on a table, alone; what a seat asks for waits in a line."""

    def __call__(
        self,
        table: str,
        work: Callable[[Held], Awaitable[object]],
        seat: str | None = None,
        line: WaitingLine | None = None,
    ) -> Awaitable[object]: ...


class Feeds:
    """The feeds of a service: one for each table that is subscribed to, which stays in memory."""

    def __init__(
        self, cache: TableCache, loader: Loader, in_line: InLine, line: WaitingLine, pace: Pace
    ) -> None:
        self._cache = cache
        self._loader = loader
        self._in_line = in_line
        self._line = line
        self._pace = pace
        self._presence = Presence(loader.log)
        self._feeds: dict[str, Feed] = {}
        self._held: dict[str, Held] = {}
        self._closed = False

    def advance(self, held: Held) -> None:
        """Hand on what a table has now; its place must be held."""
        feed = self._feeds.get(held.table)
        if feed is None or held.loaded is None:
            return
        aggregate = held.loaded.aggregate
        try:
            news = feed.size < len(aggregate.entries)
            head = self._loader.attested(held.loaded) if news else None
        except Damaged as error:
            logger.error("head refused", table=held.table, why=error.why)
            held.loaded = None
            feed.end(error)
        else:
            feed.advance(aggregate, head)
        if feed.error is not None:
            self._drop(feed)

    def present(self, table: str) -> tuple[str, ...]:
        """See `Service.present`."""
        feed = self._feeds.get(table)
        return feed.seats.present if feed is not None else ()

    async def subscribe(
        self, table: str, seat: str, after: int, room: Callable[[int], None]
    ) -> Subscription:
        """See `Service.subscribe`; `room` refuses a seat that has so many and no room for more."""
        if self._closed:
            raise Defect("subscriptions were ended")
        feed = self._feeds.get(table) or self._begin(table)
        feed.users += 1
        try:
            await self._in_line(table, self._loader.current, seat, self._line)
            await self._key_ready(table)
            start = feed.start_of(seat, after)
            room(feed.seats.own[seat])
            listener = Listener(feed, seat)
            self._presence.join(feed.seats, seat)
            try:
                history = feed.history(seat, start, listener.size)
                some = list(islice(history, SLICE))
                while some:
                    for commit in some:
                        yield commit
                    some = await self._next_slice(table, seat, history)
                yield CaughtUp(listener.size)
                while (message := await listener.hear()) is not None:
                    yield message
            finally:
                self._presence.leave(feed.seats, seat)
        finally:
            feed.users -= 1
            if not feed.users:
                self._drop(feed)

    async def _key_ready(self, table: str) -> None:
        try:
            await self._loader.signer.ready()
        except (Refused, Unavailable) as error:  # its commits come without heads
            logger.warning("no key to sign heads with", table=table, why=error.why)

    async def _next_slice(self, table: str, seat: str, history: Iterator[Commit]) -> list[Commit]:
        """More of a long history: a call like any other."""
        await asyncio.sleep(0)
        leave = await self._pace.enter(table, seat)
        try:
            return list(islice(history, SLICE))
        finally:
            leave()

    async def close(self) -> None:
        """End all feeds, for good."""
        self._closed = True
        feeds = list(self._feeds.values())
        for feed in feeds:
            feed.end()
            self._drop(feed)
        watches = [feed.watch for feed in feeds if feed.watch is not None]
        await asyncio.gather(*watches, return_exceptions=True)

    def _begin(self, table: str) -> Feed:
        # It listens before the table is read: nothing that comes in between is missed.
        feed = self._feeds[table] = Feed(table, self._loader.log.listen(table))
        self._presence.begin(feed.seats)
        self._held[table] = self._cache.take(table)
        feed.watch = asyncio.create_task(self._watch(feed))
        return feed

    def _drop(self, feed: Feed) -> None:
        """Let go of a feed, which nobody may join any more."""
        if self._feeds.get(feed.table) is not feed:
            return
        del self._feeds[feed.table]
        self._presence.end(feed.seats)
        self._cache.give_back(self._held.pop(feed.table))
        if feed.watch is not None:
            feed.watch.cancel()

    async def _watch(self, feed: Feed) -> None:
        """Look into the log whenever its bell says that there is more than what is in memory."""
        others = feed.bell.others

        def behind() -> bool:
            return feed.bell.size > feed.size or feed.bell.others > others

        async def look(held: Held) -> None:
            nonlocal others
            if behind():  # the one before in the line may have looked
                others = feed.bell.others
                await self._loader.current(held)

        try:
            while True:
                ticket = feed.bell.ticket()
                if behind():
                    await self._in_line(feed.table, look)
                else:
                    await ticket.wait()
        except Exception as error:  # noqa: BLE001 - the subscribers get it
            feed.end(error)
            self._drop(feed)
