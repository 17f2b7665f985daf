"""What a case says of its record: the log, what an audit found of it, and what that means."""

import base64
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ... import __version__
from ...events.checkpoint import read
from ...projections.lexicon import name_text
from ...projections.wording import counted
from ..audit import Report
from ..audit.kinds import KINDS
from ..render.audit import RULED, SOURCES
from ..render.audit import in_words as verdict_of
from .facts import Box, Chance, Record
from .source import Source

HEADS: Mapping[int, str] = {0: "nothing wrong", 1: "not sound"}
"""The box's figure by the exit code of the audit."""

MEANS = "The file agrees with itself and with the rules. That does not say who is right."
"""What it means that nothing is wrong."""

LEVELS: Mapping[str, str] = {
    "table": "from numbers of the host and of everybody asked, each fixed before",
    "player": "from the host's number and that of the one who threw, each fixed before",
    "server": (
        "from the host's number alone. It was fixed before, but nothing shows that it was drawn by"
        " chance"
    ),
}
"""What made the dice at each level, the strongest first."""


def record_box(report: Report, chance: Chance) -> Box:
    """The box about the record: green only where nobody is left who could have chosen alone."""
    head = HEADS.get(report.exit, "not all checked")
    passed = sum(result.verdict == "pass" for result in report.results)
    bad = f"{len(report.failed)} fail" if report.failed else "none fails"
    idle = sum(result.verdict == "not-applicable" for result in report.results)
    rest = f", {idle} had nothing to check" if idle else ""
    parts = [MEANS] if report.exit == 0 else []
    parts.append(f"Of 16 checks {passed} pass, {bad}{rest}; {report.size:,} entries of the log.")
    if looks := looks_of(report):
        parts.append(f"Look at: {looks}.")
    alone = [each.who for each in chance.choosers if each.alone and each.safe == "no"]
    parts += [f"{who} could have chosen dice of this roll." for who in alone]
    doubt = bool(alone or looks or report.exit)
    if report.failed:
        return Box("Record", head, " ".join(parts), "bad")
    return Box("Record", head, " ".join(parts), "" if doubt else "good")


def looks_of(report: Report) -> str:
    """What the audit asks people to look at, in a row; "" where nothing."""
    return ", ".join(KINDS[each.kind].named(each.count) for each in report.looks)


def record_of(source: Source) -> Record:
    """Which log it is, and what an audit found of it."""
    report, header = source.report, source.header
    note = read(header.checkpoint, header.keys)
    results = [each for each in report.results if each.verdict != "not-applicable"]
    return Record(
        origin=report.origin,
        table=source.state.id,
        system=f"{source.state.game.ruleset.title}, version {report.version}",
        size=report.size,
        root=base64.b64encode(note.root).decode("ascii"),
        keys=tuple(key.vkey for key in header.keys),
        verdict=" ".join(_verdict(report)),
        code=report.exit,
        passed=sum(each.verdict == "pass" for each in results),
        checked=len(results),
        stated=tuple(_stated(report)),
        seat=name_text(source.state, source.seat) if source.seat else "",
        version=__version__,
        self_asserted=report.self_asserted,
        undisclosed=sum(
            entry.payload is None and entry.kind in ("hidden", "hidden-text")
            for entry in source.entries
        ),
    )


def _verdict(report: Report) -> Iterator[str]:
    """The audit's sentence, what it means, and what is still to be compared."""
    yield verdict_of(replace(report, self_asserted=False))
    if report.exit == 0:
        yield MEANS
    if report.self_asserted:
        yield "The host's key stands in this file: compare it with the host's own."


def _stated(report: Report) -> Iterator[str]:
    """What a reader has to know of the whole table, a sentence each, without a full stop."""
    source = report.source.partition(":")[0]
    if source != "fair" and source in SOURCES:
        yield f"Dice: {SOURCES[source]}"
    for level, words in LEVELS.items():
        throws = getattr(report.throws, level).throws
        if throws:
            yield f"Dice of {counted(throws, 'throw')}: {words} (level {level})"
    if report.one_machine:
        yield "One machine plays every seat: nobody is protected from its owner"
    keyed = ", ".join(report.seats) or "none, so that it is the host's word who asked for what"
    yield f"Seats with a key: {keyed}"
    if report.self_asserted_seats:
        named = ", ".join(report.self_asserted_seats)
        yield f"Keys that stand in this file alone, and are to be compared: {named}"
    left = any(each.step in RULED for each in (*report.failed, *report.unchecked))
    again = "not every roll could be decided again" if left else "every roll was decided again"
    yield f"Rules: {report.system}, version {report.version}; by them {again}"
    said = ", ".join(KINDS[each.kind].named(each.count) for each in report.stated)
    if said:
        share = " (a share is a secret number of a seat for one throw)" if "share" in said else ""
        yield f"Also in this table: {said}{share}"
