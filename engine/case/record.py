"""What a case says of its record: the log, what an audit found of it, and what that means."""

import base64
from collections.abc import Iterator, Mapping

from ... import __version__
from ...events.base import Level
from ...events.checkpoint import read
from ...projections.isolates import isolated
from ...projections.lexicon import name_text
from ...projections.wording import counted
from ..audit import Report
from ..verifier.urimcheck import STATED
from .facts import Box, Chance, Record
from .source import Source

HEADS: Mapping[int, str] = {0: "nothing wrong", 1: "not sound"}
"""The box's figure by the exit code of the audit."""

MEANS = "The file agrees with itself and with the rules. That does not say who is right."
"""What it means that nothing is wrong."""

SOURCES: Mapping[str, str] = {
    "seeded": "from a seed that was known beforehand: repeatable, and not fair",
    "scripted": "given by a script: nothing about them is proved",
    "manual": "thrown by people and typed in: nothing about them is proved",
}
"""What dice are that are not fair, by their source."""

LEVELS: Mapping[Level, str] = {
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
    parts = [MEANS] if report.exit == 0 else []
    size, again = report.proof.header["size"], report.rules.decided
    failed = f"Wrong: {', '.join(report.failed)}" if report.failed else "No check fails"
    parts.append(f"{failed}; {size:,} entries of the log, {again:,} of them decided again.")
    looks = report.looks_text
    if looks:
        parts.append(f"Look at: {looks}.")
    alone = [each.who for each in chance.choosers if each.alone and each.safe == "no"]
    parts += [f"{who} could have chosen dice of this roll." for who in alone]
    doubt = bool(alone or looks or report.exit)
    if report.failed:
        return Box("Record", head, " ".join(parts), "bad")
    return Box("Record", head, " ".join(parts), "" if doubt else "good")


def record_of(source: Source) -> Record:
    """Which log it is, and what an audit found of it."""
    report, header = source.report, source.header
    note, name = read(header.checkpoint, header.keys), source.state.name
    return Record(
        origin=header.origin,
        table=f"{isolated(name)}, {source.state.id}" if name else source.state.id,
        system=f"{source.state.game.ruleset.title}, version {header.version}",
        size=header.size,
        root=base64.b64encode(note.root).decode("ascii"),
        keys=tuple(key.vkey for key in header.keys),
        verdict=" ".join(_verdict(report)),
        code=report.exit,
        stated=tuple(_stated(report)),
        seat=name_text(source.state, source.seat) if source.seat else "",
        version=__version__,
        self_asserted=not report.proof.trusted,
        undisclosed=sum(
            entry.payload is None and entry.kind in ("hidden", "hidden-text")
            for entry in source.entries
        ),
    )


def _verdict(report: Report) -> Iterator[str]:
    """The audit's sentence, what it means, and what is still to be compared."""
    yield f"{report.verdict}."
    if report.exit == 0:
        yield MEANS
    if not report.proof.trusted:
        yield "The host's key stands in this file: compare it with the host's own."


def _stated(report: Report) -> Iterator[str]:
    """What a reader has to know of the whole table, a sentence each, without a full stop."""
    proof, source = report.proof, report.proof.source.partition(":")[0]
    if source in SOURCES:
        yield f"Dice: {SOURCES[source]}"
    for level, words in LEVELS.items():
        if throws := proof.levels[level]:
            yield f"Dice of {counted(throws, 'throw')}: {words} (level {level})"
    if proof.one_machine:
        yield "One machine plays every seat: nobody is protected from its owner"
    keyed = ", ".join(proof.keyed) or "none, so that it is the host's word who asked for what"
    yield f"Seats with a key: {keyed}"
    if asserted := ", ".join(report.asserted):
        yield f"Keys that stand in this file alone, and are to be compared: {asserted}"
    left = report.rules.verdict in ("fail", "unchecked")
    again = "not every roll could be decided again" if left else "every roll was decided again"
    yield f"Rules: {report.rules.system}; by them {again}"
    checked = () if left else (STATED["faces"],)  # the rerun holds them against the system's
    told = [each for each in report.stated.items() if each[0] not in checked]
    said = ", ".join(f"{words} ({count})" for words, count in told)
    if said:
        share = " (a share is a secret number of a seat for one throw)" if "share" in said else ""
        yield f"Also in this table: {said}{share}"
