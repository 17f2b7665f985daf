"""What was measured as a plain table for the terminal, and as a page.

`URIM_BENCH_WRITE=1 make bench` writes the page, tests/bench/results.md.
"""

import os
import platform
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from tests.bench.measure import Row, middle
from tests.prove import commit
from tests.tree import ROOT

PAGE = ROOT / "tests" / "bench" / "results.md"
WRITE = os.environ.get("URIM_BENCH_WRITE") == "1"

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))

COLUMNS = ("", "each", "spread", "a second", "× Urim", "aim", "count × rounds")

LEGEND = """\
`each` is the median of one unit and `spread` its least and most over the rounds; `× Urim` is how
many times as much as Urim this way took, round by round, median and spread: above 1 Urim is better.
Durable commands are in seconds of the clock, everything else in seconds of the processor."""


class Report:
    """Collects rows, and says them."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Take rows in and print them."""
        new = list(rows)
        self.rows += new
        for group, lines in _grouped(new):
            print(f"\n{group}")
            print("\n".join(_plain([_cells(row) for row in lines])))

    def page(self) -> str:
        """Everything as Markdown."""
        lines = ["# Benchmarks", "", "Written by `make bench`; do not edit.", "", "| | |"]
        lines += ["|---|---|", *(f"| {name} | {value} |" for name, value in facts()), "", LEGEND]
        for group, rows in _grouped(self.rows):
            lines += ["", f"## {group}", "", _line(COLUMNS), _line(["---"] * len(COLUMNS))]
            lines += [_line(_cells(row)) for row in rows]
        return "\n".join(lines) + "\n"

    def write(self, path: Path = PAGE) -> None:
        """Write the page."""
        path.write_text(self.page(), encoding="utf-8")
        print(f"wrote {path.name}")


def facts() -> list[tuple[str, str]]:
    """What the figures depend on, without saying whose machine it was."""
    return [
        ("cores", str(os.cpu_count())),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("SQLite", sqlite3.sqlite_version),
        ("eventsourcing", version("eventsourcing")),
        ("commit", commit()),
    ]


def duration(seconds: float) -> str:
    """Seconds in the unit that shows three digits."""
    least, unit = next(pair for pair in UNITS if seconds >= pair[0])
    value = seconds / (least or 1e-9)
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} {unit}"


def _cells(row: Row) -> list[str]:
    each = middle(row.each)
    said = _bytes if row.bytes else duration
    ratio = f"{_ratio(row, middle)} ({_ratio(row, min)} to {_ratio(row, max)})"
    return [
        row.what,
        f"{said(each)} a {row.unit}",
        f"{said(min(row.each))} to {said(max(row.each))}" if len(row.each) > 1 else "",
        "" if row.bytes else f"{1 / each:,.0f}",
        ratio if len(row.ratios) > 1 else _ratio(row, middle) if row.ratios else "",
        _aim(row),
        ", ".join(filter(None, [f"{row.count:,} × {len(row.each)}", row.more])),
    ]


def _bytes(count: float) -> str:
    return f"{count:,.0f} bytes"


def _ratio(row: Row, choose: Callable[[Sequence[float]], float]) -> str:
    return f"{choose(row.ratios):.2f}" if row.ratios else ""


def _aim(row: Row) -> str:
    if row.aim is None:
        return ""
    met = "met" if middle(row.ratios) >= row.aim else "missed"
    return f"{row.aim:g} or more: {met}"


def _grouped(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    return [(group, list(lines)) for group, lines in groupby(rows, lambda row: row.group)]


def _plain(lines: list[list[str]]) -> list[str]:
    table = [list(COLUMNS), *lines]
    widths = [max(len(line[at]) for line in table) for at in range(len(COLUMNS))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
