"""A command on one table while others write notes and erase them, and somebody reads all along."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from tests.bench import measure
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from urim.engine.core.commands import EnterCharacter, Erase, Note, OpenTable, worded
from urim.engine.service import Service
from urim.engine.service.budgets import Budgets
from urim.engine.service.secrets import MemorySecrets
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog

OWN = "bench000"
LOOPS = ("bench001", "bench002", "bench003")

ROOM = Budgets(texts=10**9, log_bytes=10**12, pace=10**9)
"""Budgets that the loops never meet: what is measured is what they cost without."""

Turn: TypeAlias = Callable[[Service, str], Awaitable[object]]
"""What a loop does again and again on its table."""

COMMANDS = 20
"""Commands for each roll of the size, of which the median is taken."""


def rows(size: Size, folder: Path) -> list[Row]:
    """Alone, beside loops of notes, and beside loops that erase them, with a reader too."""
    median = partial(_median, folder, COMMANDS * size.rolls_alone)
    ways: dict[str, measure.Way] = {
        "alone": partial(median, None, reads=False),
        "beside 3 loops of notes": partial(median, _note, reads=False),
        "that erase them": partial(median, _note_and_erase, reads=False),
        "and a reader holds a snapshot": partial(median, _note_and_erase, reads=True),
    }
    group = "Durable commands, median, beside loops of notes and erasures"
    return measure.rows(group, "command", 1, measure.in_turn(ways, size.rounds))


def _median(folder: Path, count: int, turn: Turn | None, *, reads: bool) -> float:
    """The median seconds of so many commands on one table."""
    with TemporaryDirectory(dir=folder) as name:
        return asyncio.run(_measured(Path(name) / "log.db", count, turn, reads=reads))


async def _measured(path: Path, count: int, turn: Turn | None, *, reads: bool) -> float:
    log = await SqliteLog.open(path)
    service = Service(log, MemorySecrets(), budgets=ROOM)
    for table in (OWN, *LOOPS):
        await service.open_table("narrator", OpenTable(table, "plain"))
        await service.submit(table, "narrator", EnterCharacter("c1", "narrator"))
    with _reading(path, reads=reads):
        loops = () if turn is None else LOOPS
        tasks = [asyncio.create_task(_loop(turn, service, table)) for table in loops]
        taken: list[float] = []
        for at in range(count):
            start = time.perf_counter()
            await service.submit(OWN, "narrator", worded(Note(at % 2), f"note {at}"))
            taken.append(time.perf_counter() - start)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    await service.close()
    await log.close()
    return measure.middle(taken)


async def _loop(turn: Turn | None, service: Service, table: str) -> None:
    while turn is not None:
        await turn(service, table)


async def _note(service: Service, table: str) -> Entry:
    _, text = await service.submit(table, "narrator", worded(Note(0), "x" * 3_900))
    return text


async def _note_and_erase(service: Service, table: str) -> None:
    text = await _note(service, table)
    await service.submit(table, "narrator", Erase(text.seq))


@contextmanager
def _reading(path: Path, *, reads: bool) -> Generator[None]:
    """Another program that holds a snapshot of the log, where there is one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if reads:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM entries").fetchone()
        yield


def test_commands_beside_erasures(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
