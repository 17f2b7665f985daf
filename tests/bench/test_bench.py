"""Every benchmark still runs, on so little that nothing can be learnt from it but that."""

from collections.abc import Callable
from math import isfinite
from pathlib import Path

import pytest

from tests.bench import (
    bench_audit,
    bench_disk,
    bench_durable,
    bench_erasing,
    bench_feed,
    bench_heads,
    bench_load,
    bench_old,
    bench_opening,
    bench_postgres,
    bench_rolls,
    bench_shares,
    bench_snapshots,
    bench_start,
    bench_whatif,
)
from tests.bench.measure import TINY, Row, Size
from tests.bench.report import LOAD, Report

BENCHES = (
    bench_audit,
    bench_disk,
    bench_durable,
    bench_erasing,
    bench_feed,
    bench_heads,
    bench_load,
    bench_old,
    bench_opening,
    bench_postgres,
    bench_rolls,
    bench_shares,
    bench_snapshots,
    bench_start,
    bench_whatif,
)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [bench.rows for bench in BENCHES], ids=lambda f: f.__module__)
def test_a_benchmark_runs_and_its_report_can_be_written(
    rows: Callable[[Size, Path], list[Row]], tmp_path: Path
) -> None:
    found = rows(TINY, tmp_path)
    for row in found:
        assert row.count > 0
        assert all(value > 0 for value in row.each)
        assert all(isfinite(ratio) for ratio in row.ratios)
    report = Report()
    report.add(found)
    report.write(tmp_path / "results.md")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert all(f"| {row.what} |" in page for row in found)


def a_row(group: str, what: str) -> Row:
    """Something measured."""
    return Row(group=group, what=what, unit="time", count=1, each=(1.0,))


def test_groups_that_were_not_measured_stay_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    first, second = Report(), Report()
    first.add([a_row("One", "old"), a_row("Two", "kept")])
    first.write(path)
    before = path.read_text(encoding="utf-8")
    Report(LOAD).write(path)
    second.add([a_row("One", "new")])
    second.write(path, some=True)
    page = path.read_text(encoding="utf-8")
    assert page.startswith(before.replace("| old |", "| new |"))
    second.write(path, some=False)
    assert "## Two" not in path.read_text(encoding="utf-8")
    assert "# A server under load" in path.read_text(encoding="utf-8")


def test_every_benchmark_is_among_them() -> None:
    files = sorted(Path(__file__).parent.glob("bench_*.py"))
    assert [path.stem for path in files] == [bench.__name__.split(".")[-1] for bench in BENCHES]
