"""Commands on disk: one table and many at once, beside the raw limit and beside `eventsourcing`."""

from functools import partial
from itertools import chain
from pathlib import Path

from tests.bench import durable, measure
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.bench.script import Script, script

THREADS = 4
"""How many threads the rival gets beside its run with one."""


def rows(size: Size, folder: Path) -> list[Row]:
    """One table, then many at once."""
    alone = [script("bench000", size.rolls_alone)]
    together = [script(f"bench{at:03}", size.rolls_each) for at in range(size.tables)]
    return [
        *_measured(size, folder, alone, "one table", aim=1.0),
        *_measured(size, folder, together, f"{size.tables} tables at once", aim=4.0),
    ]


def _measured(size: Size, folder: Path, scripts: list[Script], which: str, aim: float) -> list[Row]:
    sizes = durable.groups(scripts, folder)
    ways: dict[str, measure.Way] = {
        "Urim": partial(durable.commands, scripts, folder),
        "Urim's log alone": partial(durable.log_alone, scripts, folder),
        "sqlite3 alone": partial(durable.raw, scripts, sizes, folder),
        "eventsourcing": partial(durable.rivals, scripts, folder),
    }
    threaded = f"eventsourcing, {THREADS} threads"
    if len(scripts) > 1:
        ways[threaded] = partial(durable.rivals, scripts, folder, THREADS)
    count = len(list(chain.from_iterable(script.played for script in scripts)))
    return measure.rows(
        f"Durable commands, {which}",
        "command",
        count,
        measure.in_turn(ways, size.rounds),
        aims={"eventsourcing": aim, threaded: aim},
        more={"sqlite3 alone": f"{sum(sizes) / len(sizes):.1f} commits a transaction"},
    )


def test_durable_commands(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
