"""Seats that misbehave, each in its own way, as fast as they can; what they are refused is counted.

A way is gone again and again until the seat is to stop, and then to its end: what it is answered is
noted as for everybody.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing, closing, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeAlias

from tests.bench.load.honest import MISBEHAVING, Place
from tests.bench.script import STRIKE
from urim.engine.core import commands as asked
from urim.engine.core.request import LONGEST
from urim.engine.service.feed import Behind
from urim.errors import Refused, Unavailable
from urim.events.log.protocol import CaughtUp

AT_ONCE = 40
"""Requests of one seat at once, of those that send many: more than may wait."""

LONG = "x" * 3_900

SNAPSHOT = 5.0
"""Seconds that a reader holds a snapshot of the log's file."""


class Seat:
    """A seat that misbehaves at a table, and how often it was answered what."""

    def __init__(self, place: Place, file: Path) -> None:
        self.place = place
        self.file = file
        self.answers: Counter[str] = Counter()
        self.numbers = count()
        self.over = asyncio.Event()

    async def submit(self, command: asked.Asking) -> bool:
        """Ask, and count the answer; whether it was no refusal."""
        return await self.count(self.place.submit(MISBEHAVING, command)) is not None

    async def count(self, work: Awaitable[object]) -> object:
        """Count how some work is answered; None for a refusal."""
        try:
            found = await work
        except Refused as error:
            self.answers[error.code] += 1
            return None
        except Unavailable:
            self.answers["unavailable"] += 1
            return None
        self.answers["answered"] += 1
        return found


Way: TypeAlias = Callable[[Seat], Awaitable[None]]


async def notes(seat: Seat) -> None:
    """Long notes, until the budget refuses them, and then too."""
    await seat.submit(asked.worded(asked.Note(0), LONG))


async def notes_at_once(seat: Seat) -> None:
    """The same, many at once."""
    work = (notes(seat) for _ in range(AT_ONCE))
    await asyncio.gather(*work)


async def notes_and_erasures(seat: Seat) -> None:
    """Notes, each erased at once."""
    found = await seat.count(seat.place.submit(MISBEHAVING, asked.worded(asked.Note(0), LONG)))
    if isinstance(found, tuple):
        await seat.submit(asked.Erase(found[-1].seq))


async def refused(seat: Seat) -> None:
    """Commands that are refused, many at once."""
    work = (seat.submit(asked.Resolve(1_000_000)) for _ in range(AT_ONCE))
    await asyncio.gather(*work)


async def characters(seat: Seat) -> None:
    """Characters, until the budget refuses them, and then too."""
    who = f"x{next(seat.numbers)}"
    await seat.submit(asked.EnterCharacter(who, MISBEHAVING, {"BLE": 3, "VIG": 2}))


async def rolls(seat: Seat) -> None:
    """Rolls that nobody goes on with, until the budget refuses them, and then too."""
    if not next(seat.numbers):
        await seat.submit(
            asked.EnterCharacter("x", MISBEHAVING, {"BLE": 3, "VIG": 2, "wind attack": 2})
        )
    await seat.submit(asked.Declare("x", STRIKE))


async def never_read(seat: Seat) -> None:
    """A subscription that takes nothing beyond what was there, until it is behind."""
    async with aclosing(seat.place.service.subscribe(seat.place.table, MISBEHAVING)) as messages:
        async for message in messages:
            if isinstance(message, CaughtUp):
                break
        for _ in range(300):
            if not await seat.submit(asked.worded(asked.Note(0), LONG)):
                return  # the budget is spent: nothing comes that it could fall behind
        async for message in messages:
            if isinstance(message, Behind):
                seat.answers["behind"] += 1
                break


async def subscribe(seat: Seat) -> None:
    """Subscriptions from the first entry on, many at once, each left after a few messages."""

    async def briefly(stay: int) -> None:
        service, table = seat.place.service, seat.place.table
        async with aclosing(service.subscribe(table, MISBEHAVING)) as messages:
            async for message in messages:
                stay -= 1
                if isinstance(message, CaughtUp) or not stay:
                    break

    work = (seat.count(briefly(stay)) for stay in (1, 10, 1_000_000) * (AT_ONCE // 3))
    await asyncio.gather(*work)


async def sights(seat: Seat) -> None:
    """The table's sight, many times at once."""
    sight = partial(seat.place.service.sight, seat.place.table, MISBEHAVING)
    await asyncio.gather(*(seat.count(sight()) for _ in range(AT_ONCE)))


async def moves(seat: Seat) -> None:
    """The seat's legal moves, many times at once."""
    legal = partial(seat.place.service.legal_moves, seat.place.table, MISBEHAVING)
    await asyncio.gather(*(seat.count(legal()) for _ in range(AT_ONCE)))


async def views(seat: Seat) -> None:
    """The whole log as the seat may see it."""
    await seat.count(seat.place.service.view(seat.place.table, MISBEHAVING))


async def big(seat: Seat) -> None:
    """Requests as long as they may be, and longer: none of them is a command."""
    nested = b'{"body":' + b'"' + b"\\u0078" * (LONGEST // 6 - 10) + b'"}'
    for data in (b"{" * LONGEST, nested, b" " * (LONGEST + 1)):
        service, table = seat.place.service, seat.place.table
        await seat.count(service.submit_request(table, MISBEHAVING, data))
        await asyncio.sleep(0)  # it is refused before anything waits, and came over a wire


async def snapshot(seat: Seat) -> None:
    """A reader of the log's file that holds what it sees."""
    with closing(sqlite3.connect(seat.file, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT seq FROM entries LIMIT 1").fetchone()
        seat.answers["answered"] += 1
        with suppress(TimeoutError):
            await asyncio.wait_for(seat.over.wait(), SNAPSHOT)


WAYS: Mapping[str, Way] = {
    way.__name__: way
    for way in (
        notes,
        notes_at_once,
        notes_and_erasures,
        refused,
        characters,
        rolls,
        never_read,
        subscribe,
        sights,
        moves,
        views,
        big,
        snapshot,
    )
}
"""Every way by its name."""


async def misbehave(seat: Seat, way: Way) -> None:
    """One way, again and again, until the seat is to stop."""
    seat.over.clear()
    while not seat.over.is_set():
        await way(seat)
        await asyncio.sleep(0)
