"""What the tests of the SQLite log share: scenarios, and commits that say whose they are."""

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from tests.sealing import sealed_raw
from tests.tree import ROOT
from urim.events.entry import Entry, EntryClass
from urim.events.log.protocol import Conflict, EventLog
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.lookers import Lookers
from urim.events.log.sqlite.writer import Job, Writer

T = TypeVar("T")

PATIENCE = 60
"""Seconds until a scenario is given up."""


class Cramped(Writer):
    """Has as many pages as `pages` says: SQLite's own way to fill a disk."""

    pages = 1_000_000

    def transact(self, batch: Sequence[Job]) -> list[object]:
        self.connection.execute(f"PRAGMA max_page_count = {self.pages}").fetchall()
        return super().transact(batch)


def on_log(
    path: Path,
    scenario: Callable[[SqliteLog], Awaitable[T]],
    *,
    busy: float = 30.0,
    writer: type[Writer] = Writer,
) -> T:
    """Run a scenario on the log in a file."""

    async def within() -> T:
        async with asyncio.timeout(PATIENCE):
            log = await SqliteLog.open_at(Place(path, busy=busy), poll=0.01, writer=writer)
            try:
                return await scenario(log)
            finally:
                await log.close()

    return asyncio.run(within())


def looked(path: Path, work: Callable[[sqlite3.Connection], T], busy: float = 30.0) -> T:
    """What some work gives on a connection that a reader has."""
    found = Lookers(Place(path, busy=busy))
    try:
        return asyncio.run(found.look(work))
    finally:
        found.close()


def kept_in(path: Path) -> dict[str, tuple[Entry, ...]]:
    """All entries in a file that passes the log's own check."""

    async def scenario(log: SqliteLog) -> dict[str, tuple[Entry, ...]]:
        await log.check()
        return await everything(log)

    return on_log(path, scenario)


def read_in(path: Path) -> dict[str, tuple[Entry, ...]]:
    """All entries in a file, each compared with its digests alone."""
    return on_log(path, everything)


async def everything(log: SqliteLog) -> dict[str, tuple[Entry, ...]]:
    """All entries of all tables."""
    return {table: await log.read(table) for table in await log.tables()}


def by_hand(path: Path, *statements: str) -> None:
    """Run statements on the file as any other program could."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def signed(start: int, length: int, who: str, turn: int, filler: int = 0) -> list[Entry]:
    """A commit whose entries say whose it is, which, and what place each has in how many.

    The last is a text, which can be erased.
    """
    entries: list[Entry] = []
    for place in range(length):
        filling = json.dumps([who, turn, place, length, "x" * filler]).encode()
        kind: EntryClass = "text" if place == length - 1 else "open"
        entries.append(sealed_raw(start + place, start, filling, kind=kind, first=start))
    return entries


def commits_of(entries: Iterable[Entry]) -> list[tuple[str, int, int, int]]:
    """Who wrote which turn, from where to where. Fails unless all commits are whole."""
    found: list[tuple[str, int, int, int]] = []
    left = 0
    for seq, entry in enumerate(entries):
        assert entry.seq == seq
        assert entry.payload is not None
        who, turn, place, length, _ = json.loads(entry.payload)
        if left == 0:
            assert place == 0, f"entry {seq} begins inside a commit"
            found.append((who, turn, seq, seq + length))
            left = length
        assert found[-1] == (who, turn, seq - place, seq - place + length)
        left -= 1
    assert left == 0, "the log ends inside a commit"
    return found


async def insist(
    log: EventLog, table: str, length: int, who: str, turn: int, *, known: int = 0, filler: int = 0
) -> int:
    """Append a signed commit after as many conflicts as it takes; where it starts."""
    start = known
    while True:
        entries = signed(start, length, who, turn, filler)
        result = await log.append(table, entries, start)
        if not isinstance(result, Conflict):
            return start
        start += len(result.missed)


def child(*words: object) -> "subprocess.Popen[bytes]":
    """Start tests/events/sqlite/child.py; what it reports comes through its standard output."""
    command = [sys.executable, "-m", "tests.events.sqlite.child", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def chance(*words: object) -> random.Random:
    """A source of chance that is the same for the same words."""
    return random.Random(repr(words))  # noqa: S311 - where a test cuts need not be a secret


def flip(path: Path, place: int, bit: int = 0) -> None:
    """Flip one bit of a file that nobody has open."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


def remains(path: Path) -> Sequence[str]:
    """The names of the file and of all beside it that begin like it, sorted."""
    return sorted(each.name for each in path.parent.glob(f"{path.name}*"))
