"""What holds of all that is measured, however little of it."""

from math import isfinite
from pathlib import Path

from tests.bench.measure import Row
from tests.bench.report import Report


def tried(found: list[Row], report: Report, path: Path) -> None:
    """Every row says something, and is in the report that is written."""
    for row in found:
        assert row.count > 0
        assert all(value > 0 for value in row.each)
        assert all(isfinite(ratio) for ratio in row.ratios)
    report.add(found)
    report.write(path)
    page = path.read_text(encoding="utf-8")
    assert all(f"| {row.what} |" in page for row in found)
