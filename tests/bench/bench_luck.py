"""Luck of an evening of random rolls, no two of which need be alike, beside reading it back.

A table's people throw for the same things again and again, and a card is looked at after each roll:
that costs what is asked again of a memory.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.bench import measure
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.engine.case.test_random import evening
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.core.aggregate import table_of
from urim.engine.core.luck import Memory, Moment, moments
from urim.events.entry import Entry

SEED = 1

ROUNDS = 3
"""As many as there is time for: Milhamah takes a quarter of a minute."""

Logs = Sequence[tuple[Entry, ...]]


def rows(size: Size, folder: Path) -> list[Row]:
    """For each system the luck of its tables, asked first, and once more of the same memory."""
    found: list[Row] = []
    for system in TRIALS:
        logs = tables(system, size.evening)
        many = sum(map(len, logs))
        memory: Memory = {}
        throws = luck(logs, memory)
        ways: dict[str, measure.Way] = {
            "Urim: its luck": partial(timed, partial(afresh, logs)),
            "the same, remembered": partial(timed, partial(luck, logs, memory)),
            "reading the log back": partial(timed, partial(replayed, logs)),
        }
        taken = measure.in_turn(ways, min(size.starts, ROUNDS))
        standing, left = sum(each.stands for each in throws), sum(bool(each.why) for each in throws)
        counted = f"{len(throws)} throws, {standing} as they fell, {left} left out"
        group = f"Luck of {system}, {many:,} entries"
        found += measure.rows(group, "evening", 1, taken, more={"Urim: its luck": counted})
    return found


def tables(system: str, entries: int) -> Logs:
    """Random tables, of so many entries together or some more."""
    found: list[tuple[Entry, ...]] = []
    while sum(map(len, found)) < entries:
        found.append(tuple(evening(system, len(found), SEED).host.entries))
    return found


def luck(logs: Logs, memory: Memory) -> list[Moment]:
    """What each throw was worth."""
    return [each for log in logs for each in moments(log, play=False, memory=memory)]


def afresh(logs: Logs) -> list[Moment]:
    """The same, nothing being remembered from before."""
    return luck(logs, {})


def replayed(logs: Logs) -> None:
    """Each table as its entries leave it."""
    for log in logs:
        table_of(log)


def test_luck(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
