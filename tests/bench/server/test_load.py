"""Every load still runs, on so little that nothing can be learnt from it but that."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.bench.measure import Row
from tests.bench.report import BENCH, LOAD, Report
from tests.bench.server.size import TINY
from tests.bench.tried import tried

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
LOADS = [path.stem for path in sorted(HERE.glob("load_*.py"))]


@pytest.mark.sampled(0, rest=2)
@pytest.mark.parametrize("name", LOADS)
def test_a_load_runs_and_its_report_can_be_written(name: str, tmp_path: Path) -> None:
    rows = import_module(f"tests.bench.server.{name}").rows
    tried(rows(TINY, tmp_path), Report(LOAD), tmp_path / "results.md")


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
