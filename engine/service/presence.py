"""Who is at a table: the seats with a live subscription, at this service and at others on the log.

A hint for people. Nothing depends on it, nothing is kept of it, and no commit waits for it. Where
the log carries hints (`urim.events.log.hints`), a service gives its own seats of a table when they
change, and again every EVERY seconds; one that it did not know there it answers, so that neither
waits for that. What is not repeated, as of a service that died, fades. On any other log, as one in
a file, each service knows its own seats alone.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from secrets import token_hex
from time import monotonic

from msgspec import Struct

from ...errors import Refused
from ...events.log.hints import Hints
from ...events.log.protocol import EventLog
from ...events.throw import checked_seat

EVERY = 15.0
"""Seconds after which a service says again who is at its tables."""

MISSED = 3
"""After so many of these without a word, what another service said last is forgotten."""

MOST = 100
"""Seats that a service names of a table, and others that it listens to, at most."""


class Elsewhere(Struct, frozen=True):
    """The seats at another service, and until when that counts, on the clock of `monotonic`."""

    seats: frozenset[str]
    until: float


class Seats:
    """The seats of one table; `present` are all of them, sorted, and `changed` is called then.

    `own` counts the subscriptions here; `others` are those elsewhere, by the service's id.
    """

    def __init__(self, table: str, changed: Callable[[], None]) -> None:
        self.table = table
        self.own: Counter[str] = Counter()
        self.others: dict[str, Elsewhere] = {}
        self.present: tuple[str, ...] = ()
        self._changed = changed

    def count(self) -> None:
        """Find who is present now."""
        present = tuple(sorted({*self.own}.union(*(each.seats for each in self.others.values()))))
        if present != self.present:
            self.present = present
            self._changed()

    def fade(self, now: float) -> None:
        """Forget what was not repeated."""
        self.others = {id: each for id, each in self.others.items() if each.until > now}
        self.count()


class Presence:
    """The seats of a service's tables, of those that are subscribed to here."""

    def __init__(self, log: EventLog) -> None:
        self._hints = log if isinstance(log, Hints) else None
        self._id = token_hex(8)
        self._tables: dict[str, Seats] = {}
        self._deaf: Callable[[], None] = lambda: None
        self._repeating: asyncio.Task[None] | None = None

    def begin(self, seats: Seats) -> None:
        """Hear who is at a table elsewhere."""
        if self._hints is not None and not self._tables:
            self._deaf = self._hints.hear(self._heard)
            self._repeating = asyncio.create_task(self._repeat())
        self._tables[seats.table] = seats

    def end(self, seats: Seats) -> None:
        """Hear and say no more of a table; nobody is there any more."""
        if seats.own:
            self._tell(seats.table, ())
        del self._tables[seats.table]
        if self._repeating is not None and not self._tables:
            self._deaf()
            self._repeating.cancel()

    def join(self, seats: Seats, seat: str, by: int = 1) -> None:
        """Count a live subscription of a seat."""
        before = seats.own.keys() | ()
        seats.own[seat] += by
        seats.own = +seats.own
        if seats.own.keys() != before:
            seats.count()
            if self._tables.get(seats.table) is seats:  # else its feed has ended
                self._tell(seats.table, seats.own)

    def leave(self, seats: Seats, seat: str) -> None:
        """Count one less."""
        self.join(seats, seat, -1)

    def _tell(self, table: str, own: Collection[str]) -> None:
        if self._hints is not None:
            self._hints.hint(f"{self._id} {table}", " ".join(sorted(own)[:MOST]))

    def _heard(self, about: str, words: str) -> None:
        """Take over what a service says of its seats, perhaps this one itself."""
        id, _, table = about.partition(" ")
        seats = self._tables.get(table)
        if seats is None or id == self._id:
            return
        known = seats.others.pop(id, None)
        with suppress(Refused):
            named = frozenset(map(checked_seat, words.split()))
            if named and len(seats.others) < MOST:
                seats.others[id] = Elsewhere(named, monotonic() + MISSED * EVERY)
                if known is None and seats.own:
                    self._tell(table, seats.own)
        seats.count()

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            for seats in self._tables.values():
                seats.fade(monotonic())
                if seats.own:
                    self._tell(seats.table, seats.own)
