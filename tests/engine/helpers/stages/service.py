"""A service for tests: on either log, tables whose dice need no nonce, and small commands."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import (
    Declare,
    EnterCharacter,
    Note,
    OpenTable,
    RollDice,
    SetTrack,
    TakeSeat,
    Worded,
    worded,
)
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets, MemorySecrets, Secrets
from urim.engine.service.tables import PER_TABLE
from urim.events.codec import decode
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog
from urim.events.log.sqlite import SqliteLog
from urim.events.table import Noted, TextSaid

TABLE = "table001"

ONE, TWO = 2 * PER_TABLE, 3 * PER_TABLE
"""Memory for one or two small tables, and no more."""


ROOT = "רוח"
FACES = tuple("שזגכלקבט")

Test = Callable[[EventLog, Secrets], Awaitable[None]]


@asynccontextmanager
async def made(kind: str, path: Path) -> AsyncGenerator[tuple[EventLog, Secrets], None]:
    """A log of that kind and the secrets beside it; closed at the end."""
    file = path / "table.db"
    memory = kind == "memory"
    log: EventLog = MemoryLog() if memory else await SqliteLog.open(file, poll=0.01)
    try:
        yield log, MemorySecrets() if memory else FileSecrets.beside(file)
    finally:
        await log.close()


def on_each_log(test: Any) -> Any:
    """Run an async test that takes a log and its secrets on every kind of log."""

    @pytest.mark.parametrize("kind", ["memory", "sqlite"])
    def runs(kind: str, tmp_path: Path) -> None:
        async def run() -> None:
            async with made(kind, tmp_path) as (log, secrets):
                await asyncio.wait_for(test(log, secrets), 60)

        asyncio.run(run())

    runs.__name__ = test.__name__
    runs.__doc__ = test.__doc__
    return runs


def at_a_table(**settings: Any) -> Callable[[Any], Any]:
    """Run an async test that takes a service with the table of `seated`, on every kind of log."""

    def decorated(test: Any) -> Any:
        @wraps(test)
        async def run(log: EventLog, secrets: Secrets) -> None:
            service = Service(log, secrets, **settings)
            await seated(service)
            await test(service)

        return on_each_log(run)

    return decorated


async def seated(service: Service, table: str = TABLE, dice: str = "scripted") -> None:
    """A table of 5 entries: Etgar (c1) on seat p1, and Dana on p2 who only looks on."""
    await service.open_table("narrator", OpenTable(table, "milhamah", {}, dice))
    await sat_down(service, table)


async def sat_down(service: Service, table: str = TABLE) -> None:
    """The same, at a table that was just opened."""
    for seat in ("p1", "p2"):
        await service.submit(table, "narrator", TakeSeat(seat))
    entering = EnterCharacter("c1", "p1", {"BLE": 3})
    await service.submit(table, "narrator", worded(entering, "Etgar"))


def declare(visibility: Any = "public") -> Declare:
    """Etgar prays."""
    return Declare("c1", {"root": ROOT, "rating": 2}, visibility)


def throw(roll: int = 1) -> RollDice:
    """Etgar throws."""
    return RollDice(roll, "initiator", faces=FACES)


def noting(words: str, about: int = 0) -> Worded:
    """A note, any seat's: two entries. To ask again under its request id, send the same one."""
    return worded(Note(about), words)


def mark(value: int = 1) -> SetTrack:
    """A track is set, a narrator's: one entry, always."""
    return SetTrack("c1", "xr", value)


async def notes(log: EventLog, table: str = TABLE) -> list[str]:
    """The notes on a log, in order."""
    events = [decode(entry.payload).event for entry in await log.read(table) if entry.payload]
    return [
        text.text
        for noted, text in pairwise(events)
        if isinstance(noted, Noted) and isinstance(text, TextSaid)
    ]


async def whole(log: EventLog, table: str = TABLE) -> Aggregate:
    """A table as its log has it; raises Damaged where a commit is half there."""
    aggregate = Aggregate(environment("scripted"))
    aggregate.load(await log.read(table))
    return aggregate
