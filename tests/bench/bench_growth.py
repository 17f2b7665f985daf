"""What reads a whole table, by its entries over five doublings: how fast its cost grows.

Half of the rolls are hidden, some are revealed late, disputed, made void.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tests.bench import measure, script
from tests.bench.bench_audit import judged, write
from tests.bench.bench_old import table
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.rerun import commits_of
from urim.engine.scenario.export import scenario_text
from urim.engine.service.reading import read_by
from urim.engine.whatif.changes import Voided
from urim.engine.whatif.difference import what_if
from urim.rules.words import ENGLISH

ROUNDS = 3
"""Of work that takes seconds."""

LINEAR = 32**-0.1
"""With power 1.1 an entry of 32 times as many takes this as often as it takes alone."""

Work: TypeAlias = Callable[[Aggregate, Path], object]


def rows(size: Size, folder: Path) -> list[Row]:
    """A group for each sort of work, by the entry."""
    tables: dict[int, tuple[Aggregate, Path]] = {}
    for age in size.ages:
        known, path = table(age // 2, varied=True), folder / f"{age}.urim.jsonl"
        write(known.entries, path)
        tables[len(known.entries)] = known, path
    found: list[Row] = []
    for name, work in WORK.items():
        ways = {age: partial(timed, partial(work, *given)) for age, given in tables.items()}
        taken = measure.in_turn(ways, min(size.starts, ROUNDS))
        found += by_entry(f"Growth of what reads a whole table: {name}", taken)
    return found


def by_entry(group: str, taken: Mapping[int, Sequence[float]]) -> list[Row]:
    """The most and the fewest entries, and an entry of each."""
    most, fewest = max(taken), min(taken)
    each = {age: [second * most / age for second in taken[age]] for age in (most, fewest)}
    names = {f"of {age:,} entries": each[age] for age in each}
    more = {f"of {most:,} entries": measure.as_power(taken, "entries")}
    aims = {f"of {fewest:,} entries": LINEAR}
    return measure.rows(group, "entry", most, names, aims=aims, more=more)


def folded(known: Aggregate, path: Path) -> None:
    """The table of its log."""
    Aggregate(script.around()).load(known.entries)


def supposed(known: Aggregate, path: Path) -> None:
    """What the second roll's void would have changed."""
    what_if(tuple(commits_of(tuple(known.entries))), [Voided(2)])


WORK: Mapping[str, Work] = {
    "folded": folded,
    "seen by a seat": lambda known, path: read_by(known, script.STRIKER).sight(ENGLISH),
    "written as a bundle": lambda known, path: write(known.entries, path),
    "audited": lambda known, path: judged(path),
    "a what-if of its second roll": supposed,
    "written as a scenario": lambda known, path: scenario_text(tuple(known.entries)),
}
"""What is done with a table and its bundle, by the name of its group."""


def test_growth(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
