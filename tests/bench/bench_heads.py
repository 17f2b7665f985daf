"""What a signed head of every answer costs a command: a note on a log in memory, answered."""

import asyncio
from functools import partial
from pathlib import Path
from time import process_time

from tests.bench import measure
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.engine.helpers.stages.heads import service_on
from tests.engine.helpers.stages.service import TABLE
from urim.engine.core.commands import Note, OpenTable, worded
from urim.engine.service.secrets import MemorySecrets
from urim.events.log.memory import MemoryLog


def rows(size: Size, folder: Path) -> list[Row]:
    """Notes answered without a head, and with one that is signed for each."""
    ways = {
        "without a head": partial(notes, size.rolls, heads=False),
        "with a signed head": partial(notes, size.rolls, heads=True),
    }
    taken = measure.in_turn(ways, size.rounds)
    return measure.rows("A signed head for each answer", "note", size.rolls, taken)


def notes(count: int, *, heads: bool) -> float:
    """The processor's seconds of so many notes."""
    return asyncio.run(_notes(count, heads=heads))


async def _notes(count: int, *, heads: bool) -> float:
    service = service_on(MemoryLog(), MemorySecrets())
    await service.open_table("narrator", OpenTable(TABLE, "plain"))
    await service.checkpoint(TABLE)
    before = process_time()
    for number in range(count):
        note = worded(Note(0), "a note")
        await service.submit(TABLE, "narrator", note, f"r{number}")
        if heads:
            await service.head(TABLE)
    spent = process_time() - before
    await service.close()
    return spent


def test_heads(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
