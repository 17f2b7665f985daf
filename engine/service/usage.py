"""What every seat of a table has and wrote, counted from its entries, held against the budgets.

It is kept in memory beside the table and counted again from its log when the table is loaded; so a
restart gives nobody room. Of a text that was erased before a restart, the bytes are not known any
more: it still counts as a text.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial
from math import ceil
from time import monotonic, time
from weakref import WeakKeyDictionary

from msgspec import Struct, field
from msgspec.msgpack import Decoder, Encoder

from ...errors import Refused
from ...events import ruling
from ...events.asked import Text
from ...events.codec import RecordedEvent
from ...events.entry import HIDDEN, TEXTS, Entry
from ...events.roll import RollEventBase, RollVoided
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ..core.aggregate import Aggregate
from ..core.commands import Command, Declare, Dispute, EnterCharacter
from ..core.parse import read_command
from ..core.view import roll_as_seen
from ..core.visibility import may_have
from ..snapshots.protocol import Apart, at_once
from .budgets import Alarm, Budgets, Spent

HOUR = 3_600
"""Seconds in which what a seat writes is counted."""

MINUTE = 60
"""Seconds that are counted together: a seat costs 61 numbers, however much it writes."""

ROW = 256
"""Bytes that an entry takes beside its payload: hashes, salt, index."""

SEALED = 4_096
"""Bytes that a hidden entry counts as at least, and in steps of: what is used must not say how long
one is, as its writer may throw dice that it does not see."""

SLICE = 1_000
"""Entries counted at once: a millisecond or two, then other tables have their turn."""

FINISHED = ("resolved", "damaged", "voided")


# --- what was written within an hour --------------------------------------------------------------


class Minute(Struct):
    """What a seat wrote in one minute; `number` counts minutes of the clock."""

    number: int
    log_bytes: int = 0
    texts: int = 0

    @property
    def over(self) -> float:
        """When all of it is an hour old."""
        return (self.number + 1) * MINUTE + HOUR


class Hour(Struct):
    """What a seat wrote within the last hour, minute by minute, oldest first, and in all."""

    minutes: deque[Minute] = field(default_factory=deque)
    log_bytes: int = 0
    texts: int = 0

    def add(self, when: float, log_bytes: int, texts: int) -> None:
        """Count what was written at `when`, in seconds of the clock."""
        self._forget(when)
        number = int(when // MINUTE)
        if not self.minutes or self.minutes[-1].number < number:
            self.minutes.append(Minute(number))
        for counted in (self, self.minutes[-1]):
            counted.log_bytes += log_bytes
            counted.texts += texts

    def spent(self, budget: str, most: int, what: str, now: float) -> Spent | None:
        """The budget where it has no room, with the seconds until it has; None where it has."""
        self._forget(now)
        used = left = getattr(self, budget)
        if used < most:
            return None
        for minute in self.minutes:
            left -= getattr(minute, budget)
            if left < most:
                return Spent(budget, used, most, what, ceil(minute.over - now))
        return Spent(budget, used, most, what, HOUR)  # a budget of 0 never has room

    def _forget(self, now: float) -> None:
        while self.minutes and self.minutes[0].over <= now:
            gone = self.minutes.popleft()
            self.log_bytes -= gone.log_bytes
            self.texts -= gone.texts


# --- one table ------------------------------------------------------------------------------------


class Held(Struct, frozen=True, array_like=True):
    """What a snapshot keeps of a table's usage; the fields are those of `Usage`."""

    counted: int
    rolls: dict[str, list[int]]
    disputes: dict[str, dict[int, int]]
    ruled: dict[int, tuple[int, ...]]
    raised: dict[int, str]
    by: str


_encoder = Encoder()
_held = Decoder(Held)


class Usage:
    """What every seat of one table has and wrote, as far as its entries were counted.

    What a hidden roll has come to counts from its reveal on, or for who sees it: `rolls` and
    `disputes` keep those of hidden ones, `ruled` says which disputes of them are decided.
    """

    def __init__(self) -> None:
        self.counted = 0
        self.hours: dict[str, Hour] = {}
        self.rolls: dict[str, set[int]] = {}
        self.disputes: dict[str, dict[int, int]] = {}
        self.ruled: dict[int, tuple[int, ...]] = {}
        self._raised: dict[int, str] = {}
        self._by = ""

    def count(self, aggregate: Aggregate, stop: int, *, loaded: bool) -> None:
        """Count entries up to `stop`; `loaded` ones at the age that they have, others as of now."""
        start, self.counted = self.counted, stop
        now, wall = monotonic(), time()
        touched: set[int] = set()
        pairs = zip(aggregate.entries[start:stop], aggregate.records[start:stop], strict=True)
        for entry, record in pairs:
            if record is not None:
                if record.first:
                    self._by = record.event.by
                if isinstance(record.event, RollEventBase):
                    touched.add(record.event.roll)
                self._happened(record)
            age = wall - entry.at / 1_000 if loaded else 0
            if 0 <= age < HOUR:
                self._written(entry, now - age)
        rolls = aggregate.opened.rolls
        self._follow(rolls[number] for number in touched if number in rolls)

    # --- beside a snapshot ------------------------------------------------------------------------

    @property
    def held(self) -> bytes:
        """What a snapshot keeps of it: all but what was written within an hour."""
        rolls = {seat: sorted(each) for seat, each in self.rolls.items()}
        return _encoder.encode(
            Held(self.counted, rolls, self.disputes, self.ruled, self._raised, self._by)
        )

    def take_up(self, held: bytes, aggregate: Aggregate) -> None:
        """Go on from what a snapshot kept; what is too old for an hour is not looked at."""
        found = _held.decode(held)
        self.rolls = {seat: set(each) for seat, each in found.rolls.items()}
        self.disputes, self.ruled, self._raised = found.disputes, found.ruled, found.raised
        now, oldest = monotonic(), (time() - HOUR) * 1_000
        start = self.counted = found.counted
        while start and aggregate.entries[start - 1].at > oldest:
            start = aggregate.entries[start - 1].commit
        for entry in aggregate.entries[start : found.counted]:
            record = aggregate.records[entry.seq]
            if record is not None and record.first:
                self._by = record.event.by
            if (age := time() - entry.at / 1_000) >= 0:
                self._written(entry, now - age)
        self._by = found.by

    def _written(self, entry: Entry, when: float) -> None:
        size = len(entry.payload or b"")
        if entry.kind in HIDDEN:
            size = SEALED * max(1, -(-size // SEALED))
        size += ROW
        self.hours.setdefault(self._by, Hour()).add(when, size, entry.kind in TEXTS)

    def _happened(self, record: RecordedEvent) -> None:
        event = record.event
        if isinstance(event, ruling.DisputeRaised):
            self._raised[record.seq] = event.by
            self.disputes.setdefault(event.by, {})[record.seq] = event.roll
        elif isinstance(event, ruling.RulingMade) and event.dispute in self._raised:
            self.ruled[event.roll] = (*self.ruled.get(event.roll, ()), event.dispute)
        elif isinstance(event, RollVoided):
            every = self._raised.items()
            here = tuple(seq for seq, by in every if self.disputes[by][seq] == event.roll)
            self.ruled |= {event.roll: here} if here else {}

    def _follow(self, rolls: Iterable[RollState]) -> None:
        for roll in rolls:
            of_seat = self.rolls.setdefault(roll.seat, set())
            if not roll.hidden and over(roll):
                of_seat.discard(roll.number)
            else:
                of_seat.add(roll.number)
            for dispute in () if roll.hidden else self.ruled.pop(roll.number, ()):
                del self.disputes[self._raised.pop(dispute)][dispute]


def over(roll: RollState) -> bool:
    """Whether a roll is open no more."""
    return roll.state in FINISHED or roll.vetoed


# --- all tables -----------------------------------------------------------------------------------


class Meter:
    """Holds what seats ask for against their budgets, table by table."""

    def __init__(self, budgets: Budgets, alarm: Alarm, apart: Apart = at_once) -> None:
        self._apart = apart
        self._budgets = budgets
        self._alarm = alarm
        # Beside the table in memory, and gone with it.
        self._usages: WeakKeyDictionary[Aggregate, Usage] = WeakKeyDictionary()

    async def check(self, aggregate: Aggregate, seat: str, body: bytes, text: Text | None) -> None:
        """Raises Refused("over-budget") where a budget of the seat has no room for the command.

        The refusal names the budget, how much is used, and when there is room; it is logged. What
        is wrong with a seat or a command is for who decides to say.
        """
        usage = await self._counted(aggregate)
        state = aggregate.opened
        if seat not in state.seats:
            return
        spent = self._written(usage, seat, text)
        if spent is None:
            spent = await self._apart(partial(self._held, state, usage, seat, body))
        if spent is not None:
            self._alarm.log(state.id, seat, spent, monotonic())
            raise spent.refused(seat)

    def check_subscriptions(self, table: str, seat: str, used: int) -> None:
        """Raises Refused("over-budget") where the seat has as many as it may."""
        most = self._budgets.subscriptions
        if used >= most:
            room = "once one of them ends"
            allowed = ("end one of them",)
            spent = Spent("subscriptions", used, most, "subscriptions", room=room, allowed=allowed)
            self._alarm.log(table, seat, spent, monotonic())
            raise spent.refused(seat)

    def kept(self, aggregate: Aggregate) -> None:
        """Count a commit that was kept just now, at its own time and not that of the next one."""
        usage = self._usages.get(aggregate)
        if usage is not None:
            usage.count(aggregate, len(aggregate.entries), loaded=False)

    async def loaded(self, aggregate: Aggregate) -> None:
        """Count what was loaded of a table, at its age: while it is in memory, if only for now."""
        usage = self._usages.get(aggregate)
        if usage is None:
            usage = self._usages[aggregate] = Usage()
        await self._count(usage, aggregate, loaded=True)

    async def held(self, aggregate: Aggregate) -> bytes:
        """What a snapshot keeps of a table's usage, all of its entries counted."""
        return (await self._counted(aggregate)).held

    def take_up(self, aggregate: Aggregate, held: bytes) -> None:
        """Go on from what a snapshot kept of a table that was taken up from it."""
        if held:
            usage = self._usages[aggregate] = Usage()
            usage.take_up(held, aggregate)

    async def _counted(self, aggregate: Aggregate) -> Usage:
        usage = self._usages.get(aggregate)
        loaded = usage is None
        if usage is None:
            usage = self._usages[aggregate] = Usage()
        await self._count(usage, aggregate, loaded=loaded)
        return usage

    async def _count(self, usage: Usage, aggregate: Aggregate, *, loaded: bool) -> None:
        """Count all entries that were not counted yet, some at a time."""
        while usage.counted < len(aggregate.entries):
            if usage.counted and loaded:
                await asyncio.sleep(0)
            stop = min(usage.counted + SLICE, len(aggregate.entries))
            await self._apart(partial(usage.count, aggregate, stop, loaded=loaded))

    def _written(self, usage: Usage, seat: str, text: Text | None) -> Spent | None:
        hour, now = usage.hours.get(seat), monotonic()
        if hour is None:
            hour = Hour()
        most, what = self._budgets.log_bytes, "bytes in the log within an hour"
        spent = hour.spent("log_bytes", most, what, now)
        if spent is None and text is not None:
            what = "texts written within an hour"
            spent = hour.spent("texts", self._budgets.texts, what, now)
        return spent

    def _held(self, state: TableState, usage: Usage, seat: str, body: bytes) -> Spent | None:
        """What the seat has at once; its command is read only where one of the budgets is full."""
        found: Mapping[type[Command], Spent | None] = {
            EnterCharacter: _characters(state, seat, self._budgets),
            Declare: _rolls(state, usage, seat, self._budgets.open_rolls),
            Dispute: _disputes(state, usage, seat, self._budgets.open_disputes),
        }
        if not any(found.values()):
            return None
        try:
            return found.get(type(read_command(body)))
        except Refused:
            return None


def _characters(state: TableState, seat: str, budgets: Budgets) -> Spent | None:
    budget, most = "characters", budgets.characters
    if state.seats[seat].role == "narrator":
        budget, most = "narrator_characters", budgets.narrator_characters
    used = sum(each.here and each.by == seat for each in state.characters.values())
    if used < most:
        return None
    room, allowed = "once one of them is removed", ("remove", "a narrator's")
    return Spent(budget, used, most, "characters brought", room=room, allowed=allowed)


def _rolls(state: TableState, usage: Usage, seat: str, most: int) -> Spent | None:
    rolls = usage.rolls.get(seat, ())
    if len(rolls) < most:
        return None
    # A roll counts as the seat sees it: from this too it may not learn what is hidden from it.
    seen = {number: roll_as_seen(state, seat, state.rolls[number]) for number in sorted(rolls)}
    used = sum(roll is None or not over(roll) for roll in seen.values())
    if used < most:
        return None
    allowed = tuple(
        f"resolve or void roll {number}"
        for number, roll in seen.items()
        if roll is not None and roll is state.rolls[number] and not over(roll)
    )
    room = "once one is resolved or voided"
    return Spent("open_rolls", used, most, "open rolls", room=room, allowed=allowed)


def _disputes(state: TableState, usage: Usage, seat: str, most: int) -> Spent | None:
    disputes = usage.disputes.get(seat, {})
    if len(disputes) < most:
        return None
    seen = {
        seq: roll
        for seq, roll in disputes.items()
        if seq not in usage.ruled.get(roll, ()) or not may_have(state, seat, seq)
    }
    if len(seen) < most:
        return None
    allowed = tuple(f"a ruling on entry {seq}, roll {roll}" for seq, roll in seen.items())
    room = "once a narrator rules on one"
    return Spent("open_disputes", len(seen), most, "open disputes", room=room, allowed=allowed)
