"""What an audit found, for a terminal and as JSON: a line for each step, then its remarks."""

from collections.abc import Iterator, Mapping

from msgspec import to_builtins
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..audit import Report
from ..audit.report import Remark, Result, Verdict
from .account import BAD, EVEN, GOOD
from .json import Object
from .text import Pen

STYLES: Mapping[Verdict, tuple[str, str]] = {
    "pass": ("done", GOOD),
    "fail": ("wrong", BAD),
    "finding": ("dot", EVEN),
    "not-checked": ("dot", EVEN),
    "not-applicable": ("", "dim"),
}
"""The sign and the style of each verdict."""


def in_words(report: Report) -> str:
    """The verdict of an audit, in a sentence."""
    failed = [result.name for result in report.failed]
    if failed:
        return f"This log is not sound: {', '.join(failed)}."
    others = {
        "look closer": [each.name for each in report.results if each.verdict == "finding"],
        "not checked": [each.name for each in report.results if each.verdict == "not-checked"],
    }
    named = (f"; {what}: {', '.join(names)}" for what, names in others.items() if names)
    condition = ", if its key is the log's: the file alone says so" if report.self_asserted else ""
    return f"Nothing is wrong{condition}{''.join(named)}."


def about(report: Report) -> str:
    """What was audited, in a sentence."""
    what = "a whole table" if report.scope == "table" else f"roll {report.roll}"
    entries = f"{report.entries:,} of {report.size:,} entries"
    return f"{report.origin}: {what} of {report.system} {report.version}, {entries}"


def stated(report: Report) -> Iterator[str]:
    """What else a reader has to know at once, a sentence each."""
    if report.one_machine:
        yield "One machine plays every seat: nobody is protected from its owner"
    if report.self_asserted_seats:
        yield f"Seat keys self-asserted: {', '.join(report.self_asserted_seats)}"


# --- for a terminal -------------------------------------------------------------------------------


def audit_parts(report: Report, pen: Pen) -> Iterator[RenderableType]:
    """What was audited, every step on a line, the remarks of those that have some, the verdict."""
    yield pen.text(about(report), "bold")
    for line in stated(report):
        yield pen.text(line)
    yield Text()
    yield steps_table(report, pen)
    yield Text()
    for result in report.results:
        if result.remarks:
            yield from _remarks(result, pen)
    yield pen.text(in_words(report), BAD if report.failed else GOOD)


def steps_table(report: Report, pen: Pen) -> Table:
    """Every step: its number, its name, its verdict, how much it checked, its summary."""
    table = Table(box=None, pad_edge=False)
    table.add_column("step", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("looked at", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for result in report.results:
        sign, style = STYLES[result.verdict]
        verdict = f"{pen.glyph(sign)} {result.verdict}" if sign else result.verdict
        cells = (str(result.step), result.name)
        looked = f"{result.checked:,}" if result.checked else ""
        summary = pen.text(result.summary)
        table.add_row(*cells, Text(verdict, style), looked, summary)
    return table


def _remarks(result: Result, pen: Pen) -> Iterator[RenderableType]:
    yield pen.text(f"{result.step} {result.name}", "bold")
    for remark in result.remarks:
        yield Padding(pen.text(remark_text(remark, pen)), (0, 0, 0, 2))
    if result.more:
        yield Padding(pen.text(f"and {result.more:,} more", "dim"), (0, 0, 0, 2))
    yield Text()


def remark_text(remark: Remark, pen: Pen) -> str:
    """A remark in a line."""
    where = "" if remark.seq is None else f"entry {remark.seq}: "
    sides = {"expected": remark.expected, "found": remark.found}
    shown = [f"{side} {pen.isolated(value)}" for side, value in sides.items() if value is not None]
    values = f" ({', '.join(shown)})" if shown else ""
    return f"{where}{remark.why}{values}"


# --- as JSON --------------------------------------------------------------------------------------


def audit_objects(report: Report) -> Iterator[Object]:
    """What was audited and the verdict, then every step."""
    yield {
        "type": "audit",
        "origin": report.origin,
        "scope": report.scope,
        "roll": report.roll,
        "size": report.size,
        "entries": report.entries,
        "system": report.system,
        "version": report.version,
        "self_asserted": report.self_asserted,
        "seats": list(report.seats),
        "self_asserted_seats": list(report.self_asserted_seats),
        "one_machine": report.one_machine,
        "failed": [result.name for result in report.failed],
        "says": in_words(report),
        "exit": report.exit,
    }
    for result in report.results:
        yield {"type": "step", **to_builtins(result)}
