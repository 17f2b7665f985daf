"""Mixed load: tables at the pace of people, alone and beside seats that misbehave in every way.

What honest commands take beside misbehaviour is held against the same alone. The two take turns, so
that the tables are as old in the one as in the other. `URIM_MINUTES=10` is the long run; without
it, it is a short one.
"""

import asyncio
import ctypes
import gc
import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.load.run import Phase, Run, Sample, Setting, resident, run
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report, duration
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.events.log.sqlite import SqliteLog

MINUTES = float(os.environ.get("URIM_MINUTES", "1"))

PAUSE = 0.5
"""Seconds between the commands of a table, in the mean: it does two a second."""

TABLES = 50

ALONE = 1 / 2
"""Beside misbehaviour the median may be twice as much as alone: alone is half of it, or more."""

LOADED = 1 / 1.5
"""As it grew an entry may take half as much again as loaded from the log: that is so much of it."""


PHASES = 8
"""Every other one beside misbehaviour."""


def setting(size: Size) -> Setting:
    """Phases of the same length."""
    if size is not FULL:
        return Setting(tables=size.tables, turns=(2, 2), pause=0)
    turns = int(MINUTES * 60 / PAUSE / PHASES)
    return Setting(tables=TABLES, turns=(turns,) * PHASES, pause=PAUSE)


def rows(size: Size, folder: Path) -> list[Row]:
    """The medians, phase by phase; what the process has; what an entry takes in memory."""
    how = setting(size)
    with TemporaryDirectory(dir=folder) as name:
        file = Path(name) / "log.db"
        before = _swept()
        start = time.monotonic()
        found = asyncio.run(run(file, how, FileSecrets.beside(file)))
        minutes = (time.monotonic() - start) / 60
        after = _swept()
        # In a process of its own: this one has room left of all that it has given back.
        with ProcessPoolExecutor(1, get_context("spawn")) as processes:
            loaded = processes.submit(_loaded, file).result()
        print(f"\n{how.tables} tables, {minutes:.1f} minutes, {found.entries:,} entries")
        print(f"{found.resumed:,} times a reader went and resumed")
        print(f"{before >> 20} MiB before, {after >> 20} MiB once all is closed")
        print(f"{loaded >> 20} MiB for the tables loaded from the log alone")
        _print_all(found)
    return [*_commands(found), *_memory(found, loaded)]


def _commands(found: Run) -> list[Row]:
    alone, beside = _all(found.phases[::2]), _all(found.phases[1::2])
    return [_row("beside misbehaviour", beside, beside), _row("alone", alone, beside)]


def _all(phases: Iterable[Phase]) -> list[float]:
    return sorted(
        each for phase in phases for each in (*phase.clean.commands, *phase.beside.commands)
    )


def _row(what: str, taken: Sequence[float], own: Sequence[float]) -> Row:
    return Row(
        group="Honest commands, median, mixed load",
        what=what,
        unit="command",
        count=len(taken),
        each=(quantile(taken, 0.5),),
        ratios=() if taken is own else (quantile(taken, 0.5) / quantile(own, 0.5),),
        aim=ALONE if what == "alone" else None,
        more=f"p95 {duration(quantile(taken, 0.95))}, p99 {duration(quantile(taken, 0.99))}",
    )


def _memory(found: Run, loaded: int) -> list[Row]:
    # From the end of the first phase on: what a process takes once, it has taken by then.
    first, last = found.phases[0].samples[-1], found.phases[-1].samples[-1]
    added = max(1, last.entries - first.entries)
    kinds = {
        "as it grew": max(1, last.rss - first.rss) / added,
        "loaded from the log": max(1, loaded) / max(1, found.entries),
    }
    ratio = kinds["loaded from the log"] / kinds["as it grew"]
    group = "Memory of mixed load"
    return [
        Row(
            group=group,
            what=what,
            unit="entry",
            count=added,
            each=(each,),
            ratios=() if what == "as it grew" else (ratio,),
            aim=None if what == "as it grew" else LOADED,
            bytes=True,
        )
        for what, each in kinds.items()
    ]


def quantile(taken: Iterable[float], part: float) -> float:
    """The value below which so large a part of them is."""
    values = sorted(taken)
    return values[min(len(values) - 1, int(part * len(values)))]


def _print_all(found: Run) -> None:
    for number, phase in enumerate(found.phases):
        name = f"{number} {phase.name}"
        for where, taken in (("other tables", phase.clean), ("same tables", phase.beside)):
            for what, values in (("commands", taken.commands), ("reads", taken.reads)):
                if values:
                    parts = (duration(quantile(values, part)) for part in (0.5, 0.95, 0.99))
                    print(f"{name}, {where}, {what}: {len(values)}: {', '.join(parts)}")
        step = max(1, len(phase.samples) // 8)
        for sample in (*phase.samples[:-1:step], phase.samples[-1]):
            print(f"{name}: {_words(sample)}")
    for way, answers in found.answers.items():
        print(f"{way}: {dict(answers)}")


def _words(sample: Sample) -> str:
    return (
        f"{sample.rss >> 20} MiB, {sample.descriptors} descriptors, {sample.threads} threads, "
        f"{sample.entries} entries, {sample.tasks} tasks, {sample.wal >> 10} KiB write-ahead"
    )


def _loaded(file: Path) -> int:
    """Bytes of memory that all tables take when a service loads them from their log."""
    return asyncio.run(_all_loaded(file))


async def _all_loaded(file: Path) -> int:
    log = await SqliteLog.open(file)
    service = Service(log, FileSecrets.beside(file))
    before = _swept()
    for table in await service.tables():
        await service.state(table)
    bytes_loaded = _swept() - before
    await service.close()
    await log.close()
    return bytes_loaded


def _swept() -> int:
    """Bytes of memory once what is free was given back, as far as this system can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return resident()


def test_mixed_load(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
