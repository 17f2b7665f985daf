"""An honest table at the pace of people: its seats play whole rolls, read, go and resume."""

import asyncio
import time
from array import array
from collections.abc import Awaitable, Sequence
from contextlib import aclosing
from hashlib import sha256
from itertools import chain
from random import Random
from zlib import crc32

from msgspec.json import decode

from tests.bench.script import ANSWER, OPENING, READINGS, STRIKE, STRIKER, SYSTEM, TOAD, next_step
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.feed import Commit, Message
from urim.events.entry import Entry
from urim.events.line import entry_line
from urim.projections.tables import TableState

WITNESS = "p3"
MISBEHAVING = "x1"
SEATS = (NARRATOR, STRIKER, TOAD, WITNESS)
"""The honest seats of a table; every other table has no witness."""

HIDDEN, NOTES, READS = 8, 10, 20
"""One roll in so many is hidden; one turn in so many is a note, or a seat that reads."""

STAY = 200
"""Messages that a reader takes before it goes and resumes, at most."""


class Taken:
    """Seconds that honest commands, and honest reads, took."""

    def __init__(self) -> None:
        self.commands = array("d")
        self.reads = array("d")


class Place:
    """One table: what was acknowledged at it, and whether a seat misbehaves there."""

    def __init__(self, service: Service, table: str, *, misbehaving: bool) -> None:
        self.service = service
        self.table = table
        self.misbehaving = misbehaving
        self.leaves = array("Q")

    async def submit(
        self, seat: str, command: asked.Asking, request: str | None = None
    ) -> tuple[Entry, ...]:
        """Do what a seat asks, and note what was acknowledged."""
        entries = await self.service.submit(self.table, seat, command, request)
        self.acknowledged(entries)
        return entries

    def acknowledged(self, entries: Sequence[Entry]) -> None:
        """Note entries that a command was answered with."""
        for entry in entries:
            if entry.seq >= len(self.leaves):
                self.leaves.extend([0] * (entry.seq + 1 - len(self.leaves)))
            self.leaves[entry.seq] = _short(entry)

    async def opened(self, seats: Sequence[str]) -> None:
        """Open the table, and seat everybody."""
        command = asked.OpenTable(self.table, SYSTEM, READINGS, "fair", "player")
        self.acknowledged(await self.service.open_table(NARRATOR, command))
        for opening in OPENING:
            await self.submit(NARRATOR, opening)
        for seat in seats:
            if seat in (WITNESS, MISBEHAVING):
                await self.submit(NARRATOR, asked.TakeSeat(seat))

    async def check(self) -> int:
        """The log has what was acknowledged, and nothing else; gives its size."""
        entries = await self.service.log.read(self.table)
        assert array("Q", map(_short, entries)) == self.leaves, self.table
        return len(entries)


def _short(entry: Entry) -> int:
    return int.from_bytes(entry.leaf[:8])


# --- who reads ------------------------------------------------------------------------------------


class Reader:
    """A seat's subscription: it keeps the sum of each line, goes now and then, and resumes."""

    def __init__(self, place: Place, seat: str, luck: Random) -> None:
        self.place = place
        self.seat = seat
        self.sums = array("L")
        self.resumed = -1
        self._luck = luck

    async def follow(self) -> None:
        """Take everything until the service ends the subscription."""
        going = True
        while going:
            self.resumed += 1
            left = self._luck.randrange(STAY // 2, STAY)
            after = len(self.sums) - 1
            going = False
            async with aclosing(
                self.place.service.subscribe(self.place.table, self.seat, after)
            ) as messages:
                async for message in messages:
                    self._take(message)
                    left -= 1
                    if not left:
                        going = True
                        break

    def _take(self, message: Message) -> None:
        if not isinstance(message, Commit):
            return
        self.sums.extend(map(crc32, message.entries))
        assert len(self.sums) == message.size, (self.place.table, self.seat)
        for line in message.changed:
            self.sums[decode(line)["seq"]] = crc32(line)

    async def check(self) -> None:
        """It was sent the seat's view, all of it."""
        view = await self.place.service.view(self.place.table, self.seat)
        sums = array("L", (crc32(entry_line(entry)) for entry in view))
        assert self.sums == sums, (self.place.table, self.seat)


# --- who plays ------------------------------------------------------------------------------------


class Party:
    """The honest seats of one table, one command at a time; no answer may be a refusal."""

    def __init__(self, place: Place, seed: int, *, witness: bool) -> None:
        self._luck = luck = Random(seed)  # noqa: S311 - nothing secret
        self.place = place
        self.seats = SEATS if witness else SEATS[:-1]
        self.readers = [Reader(place, seat, luck) for seat in self.seats]
        self.turns = luck.randrange(READS)  # tables do not all read at once

    async def play(self, turns: int, pause: float, taken: Taken) -> None:
        """So many turns, with pauses of so many seconds in the mean."""
        for _ in range(turns):
            await asyncio.sleep(pause * self._luck.uniform(0.5, 1.5))
            await self._turn(taken)

    async def _turn(self, taken: Taken) -> None:
        self.turns += 1
        if self.turns % READS == 0:
            await _timed(self._read(), taken.reads)
            return
        state = await self.place.service.state(self.place.table)
        seat, command = self._next(state)
        request = f"turn-{self.turns}"
        entries = await _timed(self.place.submit(seat, command, request), taken.commands)
        assert entries, (self.place.table, command)

    async def _read(self) -> None:
        service, table, seat = self.place.service, self.place.table, self._luck.choice(self.seats)
        if self._luck.random() < 0.5:
            assert (await service.sight(table, seat)).seat == seat
        else:
            assert await service.legal_moves(table, seat) or seat == WITNESS

    def _next(self, state: TableState) -> tuple[str, asked.Asking]:
        if self.turns % NOTES == 0:
            words = f"what happened in turn {self.turns}"
            return self._luck.choice(self.seats), asked.worded(asked.Note(0), words)
        own = [roll for roll in state.rolls.values() if roll.seat == STRIKER]
        if own:
            roll = max(own, key=lambda roll: roll.number)
            nonce = sha256(f"{self.place.table} {self.turns}".encode()).hexdigest()
            if roll.state == "declared":
                return TOAD, asked.React(roll.number, "c2", ANSWER)
            step = next_step(state, roll, nonce)
            if step is not None:
                return step
            if roll.hidden:
                return NARRATOR, asked.Reveal(roll.number)
        if (len(own) + 1) % HIDDEN:
            return STRIKER, asked.Declare("c1", STRIKE)
        return STRIKER, asked.Declare("c1", STRIKE, visibility="gm", level="player")


async def _timed(work: Awaitable[object], seconds: "array[float]") -> object:
    start = time.perf_counter()
    found = await work
    seconds.append(time.perf_counter() - start)
    return found


def every_reader(parties: Sequence[Party]) -> list[Reader]:
    """The readers of all tables."""
    return list(chain.from_iterable(party.readers for party in parties))
