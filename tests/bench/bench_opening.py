"""Opening a table from disk, small and large: time and memory, beside reading and decoding rows."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import durable, measure, opening, script
from tests.bench.measure import FULL, MILLION, Row, Size
from tests.bench.report import Report
from tests.tree import ROOT

TABLE = "bench000"
SERVICE, ROWS = "Urim's service", "its rows read and decoded"
HUNDREDS = 1_000
KEPT = ROOT / "build" / "bench"
"""Where a log that takes minutes to make stays for the next time."""
FASTER = 0.25
"""The rows alone may take a quarter of the service's time, not less."""


def rows(size: Size, folder: Path) -> list[Row]:
    """One group for every size of table."""
    return [row for entries in size.openings for row in _opened(size, folder, entries)]


def _opened(size: Size, folder: Path, entries: int) -> list[Row]:
    path = made(entries, KEPT if entries >= MILLION else folder)
    peaks: dict[str, list[int]] = {SERVICE: [], ROWS: []}
    count = 0

    def opened(name: str, way: str) -> float:
        nonlocal count
        found = opening.measured(way, path, TABLE)
        peaks[name].append(found.memory)
        count = found.entries
        return found.seconds

    rounds = size.rounds if entries < MILLION else 3
    taken = measure.in_turn(
        {SERVICE: lambda: opened(SERVICE, "service"), ROWS: lambda: opened(ROWS, "rows")}, rounds
    )
    more = {name: _memory(measure.middle(peak), count) for name, peak in peaks.items()}
    group = f"Opening a table of {entries:,} entries"
    # What it takes to open a file at all says nothing about its entries.
    aims = {ROWS: FASTER} if entries > HUNDREDS else {}
    return measure.rows(group, "entry", count, taken, aims=aims, more=more)


def made(entries: int, folder: Path) -> Path:
    """The log of a table that grew to so many entries, made unless the folder has it."""
    commits = script.commits(TABLE, entries)
    return kept(folder / f"{entries}.db", lambda path: durable.fill(path, TABLE, commits))


def kept(path: Path, fill: Callable[[Path], Coroutine[None, None, None]]) -> Path:
    """A log at that path, made unless it is there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=path.parent) as name:
            fresh = Path(name) / path.name
            asyncio.run(fill(fresh))
            fresh.rename(path)
    return path


def _memory(peak: float, entries: int) -> str:
    return f"peak {peak / 2**20:,.0f} MiB, {peak / entries:,.0f} bytes an entry"


def test_opening(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
