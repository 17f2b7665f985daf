"""What it costs to start: the command line beside a small program, an import beside bare Python.

Every start is a process of its own; what counts is its time on the processor, the system's too.
"""

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench import measure
from tests.bench.measure import FULL, Row, Size, Way
from tests.bench.report import Report
from tests.tree import plain_environment

SMALL = """
import click
from rich.console import Console
from rich.table import Table


@click.group()
def app() -> None:
    "Two commands, as small as click and Rich allow."


@app.command()
@click.argument("name", required=False)
def table(name: str | None) -> None:
    "Print a table."
    found = Table("name", "value")
    found.add_row(name or "a name", "a value")
    Console().print(found)


@app.command()
def line() -> None:
    "Print a line."
    Console().print("a line")


app(prog_name="small")
"""

SINGLE = (
    "asyncio, click, cryptography.hazmat.primitives.asymmetric.ed25519, msgspec.json, rich.panel,"
    " rich.table, sqlite3, structlog, transitions"
)
"""The libraries that a single command at a database needs."""

AIM = 0.77
"""The small program's time as a part of Urim's: Urim may cost 1.3 times as much."""


def rows(size: Size, folder: Path) -> list[Row]:
    """Starts of the command line, then imports."""
    small = folder / "small.py"
    small.write_text(SMALL, encoding="utf-8")
    return [*_commands(size, str(small)), *_single(size, folder / "night.db"), *_imports(size)]


def _commands(size: Size, small: str) -> list[Row]:
    """Each command beside what the small program does of the kind."""
    found: list[Row] = []
    for ours, theirs in (
        ("--help", "--help"),
        ("systems", "table"),
        ("--version", "line"),
        ("dice 3d6", "table"),
    ):
        name = f"two commands of click and Rich: {theirs}"
        ways = {
            f"urim {ours}": started("-m", "urim", *ours.split(" ")),
            name: started(small, theirs),
        }
        found += _rows(f"Starting: urim {ours}", ways, size, aims={name: AIM})
    return found


def _single(size: Size, database: Path) -> list[Row]:
    """A command at a table in a database, durable when it is answered."""
    opening = ("-m", "urim", "open", str(database), "--system", "plain", "--level", "player")
    words = ("note", str(database), run(opening).strip(), "0", "a note", "--seat", "narrator")
    ways = {
        "urim note DB TABLE 0 'a note'": started("-m", "urim", *words),
        "its libraries, imported": started("-c", f"import {SINGLE}"),
        "bare Python": started("-c", "pass"),
    }
    return _rows("Starting: a single command at a database", ways, size)


def _imports(size: Size) -> list[Row]:
    found: list[Row] = []
    for statement in ("import urim", "from urim import Table"):
        ways = {statement: started("-c", statement), "bare Python": started("-c", "pass")}
        found += _rows(f"Starting: {statement}", ways, size)
    return found


def _rows(
    group: str, ways: Mapping[str, Way], size: Size, aims: Mapping[str, float] | None = None
) -> list[Row]:
    return measure.rows(group, "start", 1, measure.in_turn(ways, size.starts), aims=aims)


def started(*words: str) -> Way:
    """Runs Python with these words and gives its seconds on the processor."""

    def work() -> float:
        before = _children()
        run(words)
        return _children() - before

    return work


def run(words: Sequence[str]) -> str:
    """Run Python with these words to its end; what it printed."""
    done = subprocess.run(
        [sys.executable, *words],
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return done.stdout


def _children() -> float:
    """The seconds on the processor of every child process that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_starts(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
