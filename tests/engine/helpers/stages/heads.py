"""What the tests of signed heads share: databases that were served, and then tampered with."""

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest

from tests.engine.helpers.stages.service import TABLE, mark, noting, seated
from urim.engine.core.limits import NARRATOR
from urim.engine.service import MEMORY, Service
from urim.engine.service.keys import table_key
from urim.engine.service.secrets import FileSecrets, Secrets
from urim.errors import Damaged, Refused, UrimError
from urim.events.checkpoint import Checkpoint, Key, read
from urim.events.entry import Entry
from urim.events.log.head import Head
from urim.events.log.protocol import EventLog
from urim.events.log.sqlite import SqliteLog
from urim.events.merkle import root_of

T = TypeVar("T")

NEVER = 10_000.0
"""Seconds between two signatures, for tests in which only what asks for one gets one."""


def served(path: Path, work: Callable[[Service], Awaitable[T]], every: float = NEVER) -> T:
    """Run some work on a service over the log in a file, and close both."""

    async def run() -> T:
        log = await SqliteLog.open(path, poll=0.01)
        service = Service(log, FileSecrets.beside(path), sign_every=every)
        try:
            async with asyncio.timeout(60):
                return await work(service)
        finally:
            await service.close()
            await log.close()

    return asyncio.run(run())


def service_on(
    log: EventLog, secrets: Secrets, every: float = NEVER, memory: int = MEMORY
) -> Service:
    """A service that signs when asked, unless another pace is given."""
    return Service(log, secrets, memory=memory, sign_every=every)


async def signed_at(service: Service, *sizes: int, dice: str = "scripted") -> None:
    """A table whose tracks are set, signed when it has so many entries; it has 5 to begin with."""
    if TABLE not in await service.tables():
        await seated(service, dice=dice)
    for size in sizes:
        while (found := (await service.state(TABLE)).size) < size:
            await service.submit(TABLE, NARRATOR, mark(found))
        await service.checkpoint(TABLE)


def file_of(path: Path, name: str = "") -> Path:
    """The file of the last signed head, or another one in the directory of secrets."""
    return path.with_name(f"{path.name}.secrets") / (name or f"heads/{TABLE}")


def past_triggers(path: Path, *statements: str) -> None:
    """Change a file as somebody would who removes the triggers and puts them back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        is_trigger = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        triggers = connection.execute(is_trigger).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


def exchanged(path: Path, entry: Entry) -> None:
    """Put another entry, sealed as it should be, in the place of one."""
    blobs = {"digest": entry.digest, "leaf": entry.leaf, "salt": entry.salt}
    blobs["payload"] = entry.payload
    values = ", ".join(f"{name} = x'{(blob or b'').hex()}'" for name, blob in blobs.items())
    past_triggers(path, f"UPDATE entries SET {values} WHERE seq = {entry.seq}")  # noqa: S608


def put_aside(path: Path, folder: Path) -> None:
    """Copy a log's file, and nothing that belongs to it, as a backup does."""
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(folder / path.name)) as target,
    ):
        source.backup(target)


def put_back(path: Path, folder: Path) -> None:
    """Restore a log's file from a backup."""
    for left in path.parent.glob(f"{path.name}-*"):
        left.unlink()
    shutil.copy(folder / path.name, path)


def key_of(secrets: Secrets) -> Key:
    """The key by which others verify the table's heads."""
    private = secrets.key.find()
    assert private is not None
    return table_key(TABLE, private)


async def is_head_of(log: EventLog, secrets: Secrets, note: bytes) -> Checkpoint:
    """What a note says, after it was checked as a client would, and against the log."""
    said = read(note, [key_of(secrets)])
    leaves = [entry.leaf for entry in await log.read(TABLE)]
    assert said.root == root_of(leaves[: said.size])
    return said


async def heads_come(log: EventLog, table: str = TABLE, beyond: int = 0) -> Head:
    """The first head of more than so many entries that a log gets."""
    async with asyncio.timeout(30):
        while True:
            last = await log.last_head(table)
            if last is not None and last.size > beyond:
                return last
            await asyncio.sleep(0.005)


def signed_thrice(folder: Path) -> Path:
    """A database whose table has 12 entries, signed at 5, 8 and 12, which nobody has open."""
    path = folder / "table.db"
    served(path, lambda service: signed_at(service, 5, 8, 12))
    return path


def refusal(path: Path) -> UrimError:
    """How a table is refused, the same way for whatever is asked of it."""

    async def work(service: Service) -> list[UrimError]:
        found: list[UrimError] = []
        for call in (
            service.view(TABLE, "p1"),
            service.submit(TABLE, "p1", noting("text")),
            service.checkpoint(TABLE),
        ):
            with pytest.raises((Damaged, Refused)) as refused:
                await call
            found.append(refused.value)
        return found

    found = served(path, work)
    assert len({str(each) for each in found}) == 1
    return found[0]


def entries_in(path: Path) -> tuple[Entry, ...]:
    """What the log has."""
    return served(path, lambda service: service.log.read(TABLE))
