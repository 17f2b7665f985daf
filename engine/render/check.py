"""What a check of a log found, for a terminal and as JSON: what was checked, then what is wrong."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...projections.wording import counted
from ..check.report import WHATS, Finding, Report, What
from .account import BAD, EVEN, GOOD
from .text import Pen

NAMES: Mapping[What, str] = {
    "file": "the database",
    "entries": "entries",
    "events": "events",
    "requests": "requests",
    "heads": "signed heads",
    "secrets": "secrets",
    "snapshots": "snapshots",
    "files": "files",
}
"""What each thing is called that is checked."""


def in_words(report: Report) -> str:
    """The verdict of a check, in a sentence."""
    tables = counted(report.tables, "table")
    looks = report.total("look")
    seen = f"; {counted(looks, 'thing')} to look at" if looks else ""
    if report.whole:
        return f"{report.database} is whole: {tables}{seen}."
    return f"{report.database} is not whole: {counted(report.total('fault'), 'fault')}{seen}."


def result_of(report: Report, what: What) -> str:
    """What came of checking one kind of thing."""
    faults, looks = report.total("fault", what), report.total("look", what)
    parts = [counted(faults, "fault")] if faults else []
    parts += [f"{looks} to look at"] if looks else []
    return ", ".join(parts) or ("whole" if report.checked[what] else "none there")


# --- for a terminal -------------------------------------------------------------------------------


def check_parts(report: Report, pen: Pen) -> Iterator[RenderableType]:
    """What was checked, a line each; then every finding; then the verdict."""
    table = Table(box=None, pad_edge=False)
    table.add_column("checked", no_wrap=True)
    table.add_column("how many", justify="right", no_wrap=True)
    table.add_column("result", no_wrap=True)
    for what in WHATS:
        style = BAD if report.total("fault", what) else EVEN if report.total("look", what) else ""
        count = f"{report.checked[what]:,}"
        table.add_row(NAMES[what], count, Text(result_of(report, what), style))
    yield table
    yield Text()
    for finding in report.findings:
        yield pen.text(finding_text(finding), BAD if finding.kind == "fault" else "")
    for (kind, what), more in report.more.items():
        yield pen.text(f"and {more:,} more: {kind}, {NAMES[what]}", "dim")
    if report.findings:
        yield Text()
    if report.vouched:
        yield pen.text(vouched_text(report))
    yield pen.text(in_words(report), GOOD if report.whole else BAD)


def finding_text(finding: Finding) -> str:
    """A finding in a line: where, what is wrong, and the way out."""
    places = (
        finding.table and f"table {finding.table}",
        finding.file,
        None if finding.seq is None else f"entry {finding.seq}",
    )
    where = ", ".join(each for each in places if each)
    sign = "wrong" if finding.kind == "fault" else "look"
    way_out = f"; {finding.way_out}" if finding.way_out else ""
    return f"{sign}: {where}{': ' if where else ''}{finding.why}{way_out}"


def vouched_text(report: Report) -> str:
    """Up to which size the heads outside vouch for the log."""
    size, entries = (
        sum(each) for each in zip(*((of.size, of.entries) for of in report.vouched), strict=True)
    )
    return f"The newest signed heads outside are of {size:,} entries, the log has {entries:,}."


# --- as JSON --------------------------------------------------------------------------------------


def check_objects(report: Report, code: int) -> Iterator[JSON]:
    """The verdict, then what was checked, then every finding."""
    yield {
        "type": "check",
        "file": report.database,
        "tables": report.tables,
        "faults": report.total("fault"),
        "looks": report.total("look"),
        "says": in_words(report),
        "exit": code,
    }
    for what in WHATS:
        yield {
            "type": "checked",
            "what": what,
            "count": report.checked[what],
            "faults": report.total("fault", what),
            "looks": report.total("look", what),
        }
    for of in report.vouched:
        yield {"type": "vouched", "table": of.table, "size": of.size, "entries": of.entries}
    for each in report.findings:
        yield {
            "type": each.kind,
            "what": each.what,
            "why": each.why,
            "table": each.table,
            "seq": each.seq,
            "file": each.file,
            "way_out": each.way_out,
        }
