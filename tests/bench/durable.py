"""Commands that are answered once they are on disk: Urim's, its log alone, and others' ways.

Each way plays the same scripts on a fresh file, their tables opened beforehand, every table at most
one command at a time, and is timed from the first command to the last answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import cycle, islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from tests.bench import bare, rival
from tests.bench.script import SECRET, Commit, Script, around
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets
from urim.events.codec import decode
from urim.events.log.protocol import Appended
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.writer import MOST, Job, Writer

T = TypeVar("T")


class OneSecret(MemorySecrets):
    """The scripts' secret, whatever the table."""

    def find(self, table: str) -> bytes | None:
        """The same for all."""
        return SECRET


async def _together(tasks: Iterable[Awaitable[None]]) -> float:
    start = time.perf_counter()
    await asyncio.gather(*tasks)
    return time.perf_counter() - start


async def fill(path: Path, table: str, commits: Iterable[Commit]) -> None:
    """Write a table's commits to a new log, as many at once as it takes."""
    log = await SqliteLog.open(path)
    waiting = iter(commits)
    while some := list(islice(waiting, MOST)):
        await asyncio.gather(*(_append(log, table, commit) for commit in some))
    await log.close()


async def opened(path: Path, scripts: Sequence[Script]) -> SqliteLog:
    """A new log on which the scripts' rolls may begin."""
    log = await SqliteLog.open(path)
    for script in scripts:
        for commit in script.commits[: len(script.opening)]:
            await _append(log, script.table, commit)
    return log


async def _append(log: SqliteLog, table: str, commit: Commit) -> None:
    answer = await log.append(table, commit.entries, commit.expected, commit.request)
    assert isinstance(answer, Appended)


def commands(scripts: Sequence[Script], folder: Path) -> float:
    """Urim's service: decided, sealed, appended, kept."""

    async def table(service: Service, script: Script) -> None:
        for step in script.steps:
            await service.submit(script.table, step.seat, step.command, step.request)

    async def all_tables(path: Path) -> float:
        log = await opened(path, scripts)
        service = Service(log, OneSecret(), environments=lambda dice, secret: around())
        try:
            for script in scripts:
                await service.state(script.table)
            seconds = await _together(table(service, script) for script in scripts)
            for script in scripts:
                assert await log.read(script.table) == script.entries
            return seconds
        finally:
            await service.close()
            await log.close()

    return fresh(folder, lambda path: asyncio.run(all_tables(path)))


def log_alone(scripts: Sequence[Script], folder: Path) -> float:
    """Urim's log: the same commits, decided before."""

    async def table(log: SqliteLog, script: Script) -> None:
        for commit in script.played:
            await _append(log, script.table, commit)

    async def all_tables(path: Path) -> float:
        log = await opened(path, scripts)
        try:
            return await _together(table(log, script) for script in scripts)
        finally:
            await log.close()

    return fresh(folder, lambda path: asyncio.run(all_tables(path)))


def groups(scripts: Sequence[Script], folder: Path) -> list[int]:
    """How many commits the log writes together, transaction by transaction."""
    found: list[int] = []

    class Counting(Writer):
        def transact(self, batch: Sequence[Job]) -> list[object]:
            found.append(len(batch))
            return super().transact(batch)

    async def table(log: SqliteLog, script: Script) -> None:
        for commit in script.commits:
            await _append(log, script.table, commit)

    async def all_tables(path: Path) -> None:
        log = await SqliteLog.open_at(Place(path), writer=Counting)
        await _together(table(log, script) for script in scripts)
        await log.close()

    fresh(folder, lambda path: asyncio.run(all_tables(path)))
    return found


def raw(scripts: Sequence[Script], sizes: Sequence[int], folder: Path) -> float:
    """The same bytes through sqlite3 alone, as many commits in a transaction as the log's."""
    turns = zip_longest(*(script.played for script in scripts))
    commits = [
        (script.table, commit)
        for turn in turns
        for script, commit in zip(scripts, turn, strict=True)
        if commit is not None
    ]

    def all_commits(path: Path) -> float:
        with closing(bare.connect(path)) as connection:
            start = time.perf_counter()
            bare.write(connection, commits, _enough(sizes, len(commits)))
            return time.perf_counter() - start

    return fresh(folder, all_commits)


def _enough(sizes: Sequence[int], total: int) -> Iterator[int]:
    """The sizes again and again, as far as they are needed."""
    for size in cycle(sizes):
        if total <= 0:
            return
        yield size
        total -= size


def rivals(scripts: Sequence[Script], folder: Path, threads: int = 1) -> float:
    """The same steps on `eventsourcing`, each saved before the next; tables shared by threads."""
    work = [_said(script) for script in scripts]

    def all_rolls(path: Path) -> float:
        with rival.on_disk(path) as application:

            def some(share: int) -> None:
                for turn in zip_longest(*work[share::threads]):
                    for step in filter(None, turn):
                        rival.command(application, step)

            with ThreadPoolExecutor(threads) as pool:
                start = time.perf_counter()
                list(pool.map(some, range(threads)))
                return time.perf_counter() - start

    return fresh(folder, all_rolls)


def _said(script: Script) -> list[rival.Step]:
    """A script's events in the rival's words: (roll, whether it begins it, name and fields)."""
    entries = (entry for commit in script.played for entry in commit.entries)
    facts = (decode(entry.payload or b"").event for entry in entries)
    return [rival.step_of(script.table, fact) for fact in facts]


def fresh(folder: Path, work: Callable[[Path], T]) -> T:
    """Do some work on a file that is not there yet, in a folder that is gone afterwards."""
    with TemporaryDirectory(dir=folder) as name:
        return work(Path(name) / "log.db")
