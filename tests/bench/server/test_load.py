"""Every load still runs, on so little that nothing can be learnt from it but that."""

from collections.abc import Callable
from math import isfinite
from pathlib import Path

import pytest

from tests.bench.measure import Row
from tests.bench.report import BENCH, LOAD, Report
from tests.bench.server import (
    load_alone,
    load_commands,
    load_crowd,
    load_far,
    load_page,
    load_resume,
)
from tests.bench.server.size import TINY, Load

pytestmark = pytest.mark.slow

LOADS = (load_alone, load_commands, load_crowd, load_far, load_page, load_resume)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [load.rows for load in LOADS], ids=lambda f: f.__module__)
def test_a_load_runs_and_its_report_can_be_written(
    rows: Callable[[Load, Path], list[Row]], tmp_path: Path
) -> None:
    found = rows(TINY, tmp_path)
    for row in found:
        assert row.count > 0
        assert all(value > 0 for value in row.each)
        assert all(isfinite(ratio) for ratio in row.ratios)
    report = Report(LOAD)
    report.add(found)
    report.write(tmp_path / "results.md")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert all(f"| {row.what} |" in page for row in found)


def test_every_load_is_among_them() -> None:
    files = sorted(Path(__file__).parent.glob("load_*.py"))
    assert [path.stem for path in files] == [load.__name__.split(".")[-1] for load in LOADS]


def test_a_part_of_the_page_leaves_the_other_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    for part, each in ((LOAD, 1.0), (BENCH, 2.0), (LOAD, 3.0), (LOAD, 4.0), (BENCH, 5.0)):
        report = Report(part)
        report.add([Row(group="g", what="w", unit="u", count=1, each=(each,))])
        report.write(page)
    text = page.read_text(encoding="utf-8")
    bench, load = text.index(f"# {BENCH.title}\n"), text.index(f"# {LOAD.title}\n")
    assert bench < text.index("5.00 s") < load < text.index("4.00 s")
    assert [text.count(f"{each}.00 s a") for each in range(1, 6)] == [0, 0, 0, 1, 1]
