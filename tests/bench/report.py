"""What was measured as a plain table for the terminal, and as a part of a page.

`URIM_BENCH_WRITE=1 make bench` writes its part of the page, tests/bench/results.md, and leaves that
of `make load` as it is; so does `URIM_BENCH_WRITE=1 make load`. `URIM_BENCH_WRITE=some` writes the
groups that were measured alone: `URIM_BENCH_WRITE=some make bench ARGS="-k audit"`.
"""

import os
import platform
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from tests.bench.measure import Row, middle
from tests.prove import commit
from tests.tree import ROOT

PAGE = ROOT / "tests" / "bench" / "results.md"
WRITE = os.environ.get("URIM_BENCH_WRITE", "")
SOME = "some"
"""What is written: nothing, everything, or the groups that were measured and no others."""

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))

COLUMNS = ("", "each", "spread", "a second", "× Urim", "aim", "count × rounds")

LEGEND = """\
`each` is the median of one unit and `spread` its least and most over the rounds; `× Urim` is how
many times as much as Urim this way took, round by round, median and spread: above 1 Urim is better.
Durable commands are in seconds of the clock, everything else in seconds of the processor."""

LOAD_LEGEND = """\
The server, its peers and what drives them are processes of their own, on the loopback; the server
is set up as `urim serve` is, but for the limit of 10 commands a second of a seat, which is set to
100,000. `each` is the median over the rounds; `× Urim` is how many times as much as the server this
way took. Where nothing else stands there, seconds are the processor's, of the whole process."""


class Part(Struct, frozen=True):
    """A part of the page: its title, what makes it, and what is to be known of its figures."""

    title: str
    command: str
    legend: str


BENCH = Part("Benchmarks", "make bench", LEGEND)
LOAD = Part("A server under load", "make load", LOAD_LEGEND)

PARTS = (BENCH, LOAD)
"""The parts, in their order."""


class Report:
    """Collects rows of one part, and says them."""

    def __init__(self, part: Part = BENCH) -> None:
        self.part = part
        self.rows: list[Row] = []
        self._measured: dict[str, str] = {}

    def add(self, rows: Iterable[Row]) -> None:
        """Take rows in and print them."""
        new = list(rows)
        self.rows += new
        for group, lines in _grouped(new):
            self._measured[group] = measured()
            print(f"\n{group}")
            print("\n".join(_plain([_cells(row) for row in lines])))

    def page(self, kept: Mapping[str, str] | None = None) -> str:
        """Everything as Markdown, with groups that are kept as they were."""
        lines = [_title(self.part), "", f"Written by `{self.part.command}`; do not edit.", ""]
        lines += ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in facts())]
        groups = {**(kept or {}), **self._groups()}
        every = (f"## {group}\n\n{text}" for group, text in groups.items())
        return "\n\n".join(["\n".join([*lines, "", self.part.legend]), *every]) + "\n"

    def _groups(self) -> dict[str, str]:
        """The lines of each group, and where they come from."""
        head = [_line(COLUMNS), _line(["---"] * len(COLUMNS))]
        return {
            group: "\n".join(
                [*head, *(_line(_cells(row)) for row in rows), "", self._measured[group]]
            )
            for group, rows in _grouped(self.rows)
        }

    def write(self, path: Path = PAGE, *, some: bool = WRITE == SOME) -> None:
        """Write this part of the page, and keep the other ones.

        With `some` the part keeps the groups that were not measured.
        """
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        parts = {part: _found(before, part) for part in PARTS}
        parts[self.part] = self.page(_groups_in(parts[self.part]) if some else None)
        path.write_text("\n".join(filter(None, parts.values())), encoding="utf-8")
        print(f"wrote {path.name}")


def _title(part: Part) -> str:
    return f"# {part.title}"


def _found(page: str, part: Part) -> str:
    """A part as the page has it; "" where it has none."""
    _, title, rest = f"\n{page}".partition(f"\n{_title(part)}\n")
    return title.removeprefix("\n") + rest.split("\n\n# ")[0].rstrip("\n") + "\n" if title else ""


def _groups_in(part: str) -> dict[str, str]:
    """The groups of a part as the page has it."""
    _, *groups = f"\n{part}".split("\n## ")
    every = (group.partition("\n\n") for group in groups)
    return {name: text.rstrip("\n") for name, _, text in every}


def measured() -> str:
    """What the figures of a group are of, and how busy the machine was."""
    load = "{:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg())
    return f"At {commit()}; the load average was {load} afterwards."


def facts() -> list[tuple[str, str]]:
    """What the figures depend on, without saying whose machine it was."""
    return [
        ("cores", str(os.cpu_count())),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("SQLite", sqlite3.sqlite_version),
        ("eventsourcing", version("eventsourcing")),
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
