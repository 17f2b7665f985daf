"""What an audit found, for a terminal and as JSON: a line for each step, then its remarks."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import to_builtins
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..audit import FAILED, UNCHECKED, Report
from ..audit.kinds import KINDS, Seen
from ..audit.proof.levels import Counts, LevelCount
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

TONES: Mapping[int, str] = {FAILED: BAD, UNCHECKED: EVEN}
"""The style of the last sentence by the exit code."""


def in_words(report: Report) -> str:
    """The verdict of an audit, in a sentence or two.

    That nothing is wrong is said only where everything was checked.
    """
    if report.failed:
        return f"This log is not sound: {_names(report.failed)}."
    looks = ", ".join(KINDS[each.kind].named(each.count) for each in report.looks)
    look = f" Look at: {looks}." if looks else ""
    if report.exit == UNCHECKED:
        return f"Not everything was checked: {_names(report.unchecked)}. No step fails.{look}"
    condition = ", if its key is the log's: the file alone says so" if report.self_asserted else ""
    return f"Nothing is wrong{condition}.{look}"


def _names(results: Sequence[Result]) -> str:
    return ", ".join(result.name for result in results)


def about(report: Report) -> str:
    """What was audited, in a sentence."""
    what = "a whole table" if report.scope == "table" else f"roll {report.roll}"
    entries = f"{report.entries:,} of {report.size:,} entries"
    return f"{report.origin}: {what} of {report.system} {report.version}, {entries}"


SOURCES: Mapping[str, str] = {
    "fair": "fair, each throw committed to before",
    "seeded": "from a seed that was known beforehand: repeatable, and not fair",
    "scripted": "given by a script: nothing about them is proved",
    "manual": "thrown by people and typed in: nothing about them is proved",
}
"""What the dice of each source are."""

LEVELS = ("table", "player", "server")


def stated(report: Report) -> Iterator[str]:
    """What a reader has to know at once, a sentence each: dice, throws, keys, rules, and the rest.

    It is said without a judgement.
    """
    source = SOURCES.get(report.source.partition(":")[0])
    if source:
        yield f"Dice: {source}"
    throws = "; ".join(_throws(report.throws))
    if throws:
        yield f"Throws: {throws}"
    if report.one_machine:
        yield "One machine plays every seat: nobody is protected from its owner"
    keyed = ", ".join(report.seats) or "none, so that who asked is the host's word"
    yield f"Seats with keys: {keyed}"
    if report.self_asserted_seats:
        yield f"Seat keys self-asserted: {', '.join(report.self_asserted_seats)}"
    yield f"Rules: {report.system}, version {report.version}, {_rules(report)}"
    said = ", ".join(KINDS[each.kind].named(each.count) for each in report.stated)
    if said:
        yield f"Stated: {said}"


def _throws(counts: Counts) -> Iterator[str]:
    """Throws by level and by role."""
    for level in LEVELS:
        count: LevelCount = getattr(counts, level)
        if not count.throws:
            continue
        more: list[str] = []
        if count.asked:
            more.append(f"{count.asked:,} shares asked for")
        if count.passed_over:
            more.append(f"{count.passed_over:,} of them with a seat passed over")
        if count.narrators:
            more.append(f"{count.narrators:,} of those by a narrator")
        yield ", ".join([f"{count.throws:,} at {level}", *more])
    if counts.other:
        yield f"{counts.other:,} without a level"


def _rules(report: Report) -> str:
    """What became of the rules."""
    verdicts = {result.verdict for result in report.results if result.step in RULED}
    return "not all run again" if {"fail", "not-checked"} & verdicts else "run again"


RULED = (10, 11)
"""The steps that run the rules."""


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
    for each in report.looks:
        yield pen.text(f"Look: {look_text(each)}", EVEN)
    if report.looks:
        yield Text()
    yield pen.text(in_words(report), TONES.get(report.exit, GOOD))


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
        if result.verdict == "pass" and result.looks:
            verdict, style = f"{verdict}, look", EVEN
        cells = (str(result.step), result.name)
        looked = f"{result.checked:,}" if result.checked else ""
        summary = pen.text(result.summary)
        table.add_row(*cells, Text(verdict, style), looked, summary)
    return table


def look_text(seen: Seen) -> str:
    """What people should look at: how many, where, what it means and what not."""
    kind = KINDS[seen.kind]
    entries = ", ".join(map(str, seen.entries))
    entries = f"{entries}, …" if seen.count > len(seen.entries) else entries
    where = f" ({'entry' if seen.entries == seen.entries[:1] else 'entries'} {entries})"
    what = f"{kind.named(seen.count)}{where if seen.entries else ''}"
    return f"{what}: {kind.means}. It does not show {kind.but}."


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
    where = f"look: {where}" if remark.word == "look" else where
    sides = {"expected": remark.expected, "found": remark.found}
    shown = [f"{side} {pen.isolated(value)}" for side, value in sides.items() if value is not None]
    values = f" ({', '.join(shown)})" if shown else ""
    return f"{where}{remark.why}{values}"


# --- as JSON --------------------------------------------------------------------------------------


def audit_objects(report: Report) -> Iterator[Object]:
    """What was audited and the verdict, every step, each kind of look and of what is stated."""
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
        "source": report.source,
        "throws": to_builtins(report.throws),
        "failed": [result.name for result in report.failed],
        "unchecked": [result.name for result in report.unchecked],
        "says": in_words(report),
        "exit": report.exit,
    }
    for result in report.results:
        remarks = [{"word": each.word, **to_builtins(each)} for each in result.remarks]
        yield {"type": "step", **to_builtins(result), "remarks": remarks}
    for each in report.seen:
        kind = KINDS[each.kind]
        yield {
            "type": each.word,
            "kind": each.kind,
            "count": each.count,
            "entries": list(each.entries),
            "says": kind.named(each.count),
            "means": kind.means,
            "but": kind.but,
        }
