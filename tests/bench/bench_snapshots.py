"""What snapshots are for and what they cost: opening an old table, many tables, a command.

An old table is measured against a young one, and commands with snapshots against those without.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from tests.bench import durable, many, measure, opening, younger
from tests.bench.bench_opening import KEPT, TABLE, kept, made
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.bench.script import Script, around, script
from urim.engine.service import Service
from urim.engine.snapshots import Snapshots
from urim.engine.snapshots.table import EVERY

KEEPING = 50_000
"""A log of so many entries takes long to make, and stays for the next time."""

TWICE = 1 / 2
"""A young table may take half of what an old one takes, not less."""

SERVER = 256
"""MiB that a server has for tables and rows, unless it is set up otherwise."""

WITH, WITHOUT = "with snapshots", "without"


def rows(size: Size, folder: Path) -> list[Row]:
    """Openings of old and young tables; many tables in turn; the price of a command."""
    return [*_openings(size, folder), *_many(size, folder), *_commands(size, folder)]


# --- opening --------------------------------------------------------------------------------------


def _openings(size: Size, folder: Path) -> list[Row]:
    found: dict[str, list[opening.Opened]] = {}

    def way(name: str, kind: str, path: Path) -> tuple[str, measure.Way]:
        return name, partial(_opened, found.setdefault(name, []), kind, path)

    old, young = ((entries, _prepared(entries, folder)) for entries in size.snapshots)
    name = f"through a snapshot, {young[0]:,} entries"
    ways = dict(
        (
            way(f"through a snapshot, {old[0]:,} entries", "snapshot", old[1]),
            way(name, "snapshot", young[1]),
            way(f"folded whole, {young[0]:,} entries", "service", young[1]),
        )
    )
    taken = measure.in_turn(ways, size.starts)
    return measure.rows(
        "Opening a table through its snapshot",
        "opening",
        1,
        taken,
        aims={name: TWICE},
        more={each: _memory(opened) for each, opened in found.items()},
    )


def _prepared(entries: int, folder: Path) -> Path:
    """A log of a table, with a snapshot of a little while ago."""
    path = made(entries, KEPT if entries >= KEEPING else folder)
    younger.prepare(path, {TABLE: entries - younger.BEHIND})
    return path


def _opened(found: list[opening.Opened], way: str, path: Path) -> float:
    found.append(opening.measured(way, path, TABLE))
    return found[-1].seconds


def _memory(found: Sequence[opening.Opened]) -> str:
    peak = measure.middle([each.memory / 2**20 for each in found])
    return f"peak {peak:,.1f} MiB, {found[-1].folded:,} entries read"


# --- many tables ----------------------------------------------------------------------------------


def _many(size: Size, folder: Path) -> list[Row]:
    """As many tables as the size has, and one more, at which a command is all that happens."""
    tables, entries = size.many
    names = [f"bench{at:03}" for at in range(tables + 1)]
    made = _filled(names, entries, KEPT if tables * entries >= KEEPING else folder)
    with TemporaryDirectory(dir=folder) as name:
        path = Path(name) / made.name
        for file in made.parent.glob(f"{made.name}*"):
            copyfile(file, path.with_name(file.name))
        found = many.measured(path, size.starts, SERVER)
    group = f"{tables:,} tables of {entries:,} entries, one after the other, {SERVER} MiB for them"
    before, opened, peak = (f"{each >> 20:,} MiB" for each in found.sizes)
    said = f"peak {peak}, {opened} with all opened, {before} with none; {found.loaded} in memory"
    taken = {"a command at each in turn": found.in_turn, "the same at one table": found.alone}
    *_, single = taken
    aims, more = {single: TWICE}, dict.fromkeys(taken, said)
    commands = measure.rows(group, "command", tables, taken, aims=aims, more=more)
    each = {"opened through its snapshot": (found.openings,)}
    return [*commands, *measure.rows(group, "table", len(names), each)]


def _filled(names: Sequence[str], entries: int, folder: Path) -> Path:
    """A log of these tables, with snapshots of a little while ago."""
    path = folder / f"{len(names)}-of-{entries}.db"
    kept(path, lambda fresh: many.fill(fresh, names, entries))
    # The next snapshots of the tables are not all due at once.
    ages = {table: entries - EVERY * at // len(names) for at, table in enumerate(names)}
    younger.prepare(path, ages)
    return path


# --- commands -------------------------------------------------------------------------------------


def _commands(size: Size, folder: Path) -> list[Row]:
    played = script(TABLE, size.rolls)
    ways: Mapping[str, measure.Way] = {
        WITH: partial(commanded, played, folder, snapshots=True),
        WITHOUT: partial(commanded, played, folder, snapshots=False),
    }
    taken = measure.in_turn(ways, size.rounds)
    return measure.rows(
        "Commands on disk, the processor's time", "command", len(played.steps), taken
    )


def commanded(played: Script, folder: Path, *, snapshots: bool) -> float:
    """The processor's seconds that a script's commands take; its snapshots are written in them."""
    return durable.fresh(folder, lambda path: asyncio.run(_commanded(played, path, snapshots)))


async def _commanded(played: Script, path: Path, snapshots: bool) -> float:
    log = await durable.opened(path, [played])
    service = Service(
        log,
        durable.OneSecret(),
        environments=lambda dice, secret: around(),
        budgets=many.PLENTY,
        snapshots=Snapshots.beside(path) if snapshots else None,
    )
    await service.state(played.table)
    start = time.process_time()
    for step in played.steps:
        await service.submit(played.table, step.seat, step.command, step.request)
    await service.close()
    seconds = time.process_time() - start
    await log.close()
    return seconds


def test_snapshots(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
