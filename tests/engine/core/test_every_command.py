"""Every command that the tests decide is also audited, exported, and decided again as it was.

A new command fails here until it works with all of them.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from tests import plays
from tests.engine.helpers.again import again
from tests.engine.helpers.bundles import PRIVATE
from tests.engine.helpers.decide_cases import ALL_CASES, CASES, Case
from urim.engine.audit import PASSED, audit
from urim.engine.bundle.write import write_bundle
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import AnyCommand, OpenTable
from urim.engine.core.rerun import Done, commits_of
from urim.engine.scenario import parse_scenario, play
from urim.engine.scenario.export import scenario_text
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.merkle import root_of
from urim.projections.tables import TableState

FILES = [pytest.param(path, id=plays.name_of(path)) for path in plays.files()]
EACH = pytest.mark.parametrize("case", ALL_CASES.values(), ids=list(ALL_CASES))


def log_of(case: Case) -> Sequence[Entry]:
    """The log of a table on which the case's command was done."""
    table = case.stage()
    table.submit(case.seat, case.command)
    return table.entries


def test_every_command_has_a_case() -> None:
    assert set(CASES) == set(get_args(AnyCommand)) - {OpenTable}


@pytest.mark.sampled(39)
@EACH
def test_a_command_passes_the_audit(case: Case) -> None:
    assert not wrong_in_audit(log_of(case))


@EACH
def test_a_command_is_decided_again_as_it_was(case: Case) -> None:
    assert not differing_again(log_of(case))


@pytest.mark.sampled(27)
@EACH
def test_a_command_is_exported_and_played_again(case: Case) -> None:
    assert_played_again(log_of(case))


@pytest.mark.sampled(50)
@pytest.mark.parametrize("path", FILES)
def test_every_scenario_is_decided_again_as_it_was(path: Path) -> None:
    assert not differing_again(plays.kept_of(path).log)


@pytest.mark.sampled(20, rest=20)
@pytest.mark.parametrize("path", FILES)
def test_every_scenario_passes_the_whole_audit(path: Path) -> None:
    assert not wrong_in_audit(plays.kept_of(path).log)


def wrong_in_audit(entries: Sequence[Entry]) -> list[str]:
    """What an audit does not pass."""
    origin = f"urim.local/t/{loaded(entries).id}"
    head = Checkpoint(origin, len(entries), root_of([entry.leaf for entry in entries]))
    file = b"".join(write_bundle(entries, sign(head, PRIVATE), [public_key(origin, PRIVATE)]))
    report = audit(file)
    wrong = [f"{each}" for each in report.remarks if each.word in ("wrong", "unchecked")]
    assert (report.exit == PASSED) == (not wrong)
    return wrong


def differing_again(entries: Sequence[Entry]) -> list[Any]:
    """The commands that do not lead to what they led to; and the table, if it is another."""
    every = list(again(commits_of(entries)))
    found: list[Any] = [each for each in every if each.differs or type(each.ending) is not Done]
    last = every[-1].state
    return found or ([] if last == loaded(entries) else [last])


def assert_played_again(entries: Sequence[Entry]) -> None:
    """The log as a scenario leads to the same rolls."""
    again = asyncio.run(play(parse_scenario(scenario_text(entries)), MemoryLog()))
    assert not again.failures
    assert outcomes(again.aggregate.opened) == outcomes(loaded(entries))


def outcomes(state: TableState) -> list[Any]:
    """What every roll came to, and where everybody's tracks are."""
    rolls = sorted(state.rolls.values(), key=lambda roll: roll.number)
    return [
        *((roll.state, roll.roll.outcome, roll.roll.hands) for roll in rolls),
        state.tracks,
    ]


def loaded(entries: Sequence[Entry]) -> TableState:
    """The table of these entries."""
    found = Aggregate(environment("scripted"))
    found.load(entries)
    return found.opened
