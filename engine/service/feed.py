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
from typing import TypeAlias

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.entry import HIDDEN, Entry
from ...events.log.bell import Bell
from ...events.log.protocol import CaughtUp
from ...events.table import EntryErased, SeatLeft
from ..core.aggregate import Aggregate
from ..core.parse import shown
from ..snapshots.protocol import Apart, StaleSnapshot
from .encoded import Lines
from .presence import Seats

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
        size = len(aggregate.entries)
        # Read first, and handed on at once: others may listen while rows are waited for.
        since = size if self._aggregate is None else self.size
        found = [
            self._found(aggregate, start, stop, head if stop == size else None)
            for start, stop in commits(aggregate.entries, since, size)
        ]
        known, self._aggregate = self._aggregate, aggregate
        if known is None:
            self.size = size
        elif size < self.size:
            self.end(Damaged(f"the log has {size} entries, and {self.size} were sent"))
        elif size > self.size:
            for recent, erased in found:
                self._take(recent, erased)
            while len(self._recent) > QUEUED or self._bytes - self._recent[-1].bytes > WAITING:
                self._bytes -= self._recent.popleft().bytes
                self.first += 1
            self.size = size
            self.news.ring()

    def _take(self, recent: Recent, erased: set[int]) -> None:
        for seq in erased:
            self._erase(seq)
        self._recent.append(recent)
        self._bytes += recent.bytes
        self.stop += 1

    def _found(
        self, aggregate: Aggregate, start: int, stop: int, head: bytes | None
    ) -> tuple[Recent, set[int]]:
        """A commit as it is kept for subscribers, and the texts that it erases."""
        entries = aggregate.entries[start:stop]
        events = [record.event for record in aggregate.records[start:stop] if record is not None]
        erased = {event.seq for event in events if isinstance(event, EntryErased)}
        left = frozenset(event.seat for event in events if isinstance(event, SeatLeft))
        # Hidden entries count sealed: when one falls behind must not show how long they are.
        lines = tuple(self._lines.line(each, whole=each.kind not in HIDDEN) for each in entries)
        hidden = any(entry.kind in HIDDEN for entry in entries)
        alike = not (hidden or erased or aggregate.visible_parts.touched(start, stop))
        size = sum(map(len, lines))
        for_all = Commit(stop, lines, head=head) if alike else None
        return Recent(start, stop, head, size, left, for_all), erased

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


class History:
    """The commits from `start` up to `size` for a seat, some at a time; see `Feed.history`."""

    def __init__(self, feed: Feed, seat: str, start: int, size: int) -> None:
        self.feed = feed
        self.seat = seat
        self._start = start
        self._size = size
        self._given = 0
        self._rest: Iterator[Commit] | None = None

    def some(self) -> list[Commit]:
        """The next ones. Raises StaleSnapshot, and goes on behind the last one that it gave."""
        if self._rest is None:
            whole = self.feed.history(self.seat, self._start, self._size)
            self._rest = islice(whole, self._given, None)
        try:
            found = list(islice(self._rest, SLICE))
        except StaleSnapshot:
            self._rest = None
            raise
        self._given += len(found)
        return found


class Listener:
    """One seat's place in a feed, once it has what was there at first: `size` entries so far.

    Where its commits are in a snapshot that was thrown away, `open_again` gives the feed another.
    """

    def __init__(
        self,
        feed: Feed,
        seat: str,
        apart: Apart,
        open_again: Callable[[Feed], Awaitable[None]],
    ) -> None:
        self._apart = apart
        self._open_again = open_again
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
                try:
                    return await self._take()
                except StaleSnapshot:
                    await self._open_again(feed)
                    continue
            if feed.ended:
                break
            if self._told != feed.seats.present:
                self._told = feed.seats.present
                return Present(self._told)
            await ticket.wait()
        return None

    async def _take(self) -> Commit:
        commit, left = await self._apart(partial(self._feed.live, self._seat, self._taken))
        self._taken += 1
        self.size = commit.size
        self._last = Left(self.size) if left else None
        return commit
