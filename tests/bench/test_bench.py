"""Every benchmark still runs, on so little that nothing can be learnt from it but that."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.bench.measure import TINY, Row
from tests.bench.report import LOAD, Report
from tests.bench.tried import tried

HERE = Path(__file__).parent
BENCHES = [path.stem for path in sorted(HERE.glob("bench_*.py"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_runs_and_its_report_can_be_written(name: str, tmp_path: Path) -> None:
    rows = import_module(f"tests.bench.{name}").rows
    tried(rows(TINY, tmp_path), Report(), tmp_path / "results.md")


def a_row(group: str, what: str) -> Row:
    """Something measured."""
    return Row(group=group, what=what, unit="time", count=1, each=(1.0,))


def without_load(page: str) -> str:
    """The page but for what it says of the machine's load, which goes up and down."""
    return re.sub(r"the load average was .* afterwards", "", page)


def test_groups_that_were_not_measured_stay_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    first, second = Report(), Report()
    first.add([a_row("One", "old"), a_row("Two", "kept")])
    first.write(path)
    before = without_load(path.read_text(encoding="utf-8"))
    Report(LOAD).write(path)
    second.add([a_row("One", "new")])
    second.write(path, some=True)
    page = without_load(path.read_text(encoding="utf-8"))
    assert page.startswith(before.replace("| old |", "| new |"))
    second.write(path, some=False)
    assert "## Two" not in path.read_text(encoding="utf-8")
    assert "# A server under load" in path.read_text(encoding="utf-8")
