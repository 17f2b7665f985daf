"""What is asked of a table costs the same however old it is: counted in steps, without a clock."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any, TypeAlias

import pytest

from tests.engine.helpers.aged import age
from tests.engine.helpers.decide_cases import (
    CASES,
    Case,
    disputed,
    hidden,
    standing,
    wounded,
)
from tests.engine.helpers.timed import asked
from tests.steps import steps
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import awaited, awaiting, legal_in, legal_moves, moves
from urim.engine.core.sight import roll_sight, sight
from urim.engine.core.view import view_of
from urim.engine.render.table import about
from urim.engine.scenario.steps import step_command, step_of
from urim.engine.service.reading import read_by
from urim.engine.table import Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.projections.history import history
from urim.projections.rulings import latest_ruling
from urim.rules.words import ENGLISH

YOUNG, OLD = 150, 800
"""Entries by which a table grows older."""

ROOM = 0.02
"""What may be between the two: a memo holds another state, a number has a digit more."""

HIGHER = 0.35
"""What may be between them where proofs are made: they are as long as the log's tree is high."""

HALVING = 0.05
"""What may be between them where something is found in a character's own line by halving it."""

SECRET = bytes(32)
ORIGIN = "urim.local/t/fixture0"

Stage: TypeAlias = Callable[[], Table]
Work: TypeAlias = Callable[[FixtureTable], object]


QUESTIONS: Mapping[str, Work] = {
    "moves": lambda table: moves(table.state, "p1", 1),
    "legal moves in it": lambda table: legal_in(table.state, "p1", 1),
    "what waits for a seat": lambda table: awaiting(table.state, "p1"),
    "whom others wait for": lambda table: awaited(table.state, "p1"),
    "its sight": lambda table: roll_sight(table.state, 1),
    "what a seat sees of it": lambda table: sight(table.state, "p1", rolls=[1]),
    "the sheets": lambda table: sight(table.state, "p1", rolls=()),
    "its legal moves alone": lambda table: legal_moves(table.state, "p1", rolls=[1]),
    "its history": lambda table: history(table.state, about(table.aggregate, 1)),
    "the latest line": lambda table: history(table.state, table.aggregate.records[-1:]),
    "its account": lambda table: read_by(table.aggregate, "p1").account(1, ENGLISH),
    "a view": lambda table: view_of(table.state, "p8"),
    "a step": lambda table: step_command(table.state, {"do": "note", "about": 0, "text": "So."}),
    "a step's words": lambda table: step_of(table.state, "p1", c.Note(0), "So."),
}
"""What may be asked of roll 1, or of the table as it is now."""


@cache
def aged(stage: Stage, entries: int) -> FixtureTable:
    """A stage that has grown older by so many entries; nothing is added to it after that."""
    table = stage()
    age(table, entries)
    assert isinstance(table, FixtureTable)
    return table


def costs_the_same(stage: Stage, work: Work, room: float = ROOM) -> bool:
    """Whether some work takes as many steps on a table that is many times as old.

    Counted is its second time: what is only worked out once in a process is not of the table.
    """
    tables = [aged(stage, entries) for entries in (YOUNG, OLD)]
    for table in tables:
        work(table)
    young, old = (steps(partial(work, table)) for table in tables)
    return abs(old - young) <= room * young


def bundle(table: FixtureTable) -> bytes:
    """The bundle of roll 1."""
    known = table.aggregate
    note = sign(Checkpoint(ORIGIN, len(known.entries), known.frontier.root()), SECRET)
    return b"".join(bundle_of(known, "p1", note, [public_key(ORIGIN, SECRET)], 1))


def voided(number: int) -> Work:
    """Void a roll, write the lines of that, and keep nothing; from the end where it is negative."""

    def work(table: FixtureTable) -> None:
        table.script.begin()
        roll = number if number > 0 else table.state.last_roll + 1 + number
        void = c.Void(roll, against=latest_ruling(table.state.rolls[roll]))
        asked, text = c.apart(c.worded(void, "It never was."))
        done = table.aggregate.prepare(NARRATOR, table.aggregate.body(asked), None, text)
        assert history(done.state, done.records)[0].text.startswith(f"Roll {roll} is voided")

    return work


def prepared(seat: str, command: Any) -> Work:
    """Decide a command, or refuse it, and keep nothing."""

    def work(table: FixtureTable) -> None:
        table.script.begin()
        asked, text = c.apart(command)
        with suppress(Refused):
            table.aggregate.prepare(seat, table.aggregate.body(asked), None, text)

    return work


def each(*, without: tuple[type, ...] = ()) -> list[Any]:
    """The cases of all other commands, by name."""
    return [pytest.param(CASES[kind], id=kind.__name__) for kind in CASES if kind not in without]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", each())
def test_a_command_costs_the_same_at_an_old_table(case: Case) -> None:
    assert costs_the_same(case.stage, prepared(case.seat, case.command))


@pytest.mark.sampled(15)
@pytest.mark.parametrize("case", each())
def test_a_refusal_costs_the_same_at_an_old_table(case: Case) -> None:
    assert costs_the_same(case.stage, prepared(case.other, case.wrong))


@pytest.mark.parametrize("stage", [asked, hidden, disputed, standing])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_about_a_roll_costs_the_same_at_an_old_table(name: str, stage: Stage) -> None:
    assert costs_the_same(stage, QUESTIONS[name])


@pytest.mark.parametrize("stage", [asked, hidden, disputed, standing])
def test_the_bundle_of_a_roll_costs_the_same_at_an_old_table_but_for_longer_proofs(
    stage: Stage,
) -> None:
    assert costs_the_same(stage, bundle, HIGHER)


@pytest.mark.parametrize("number", [1, -2], ids=["the first blow", "the latest"])
def test_the_line_of_a_void_costs_the_same_at_an_old_table(number: int) -> None:
    assert costs_the_same(wounded, voided(number), HALVING)


def test_the_account_of_a_blow_is_of_its_own_entries() -> None:
    young, old = (about(aged(wounded, entries).aggregate, 1) for entries in (YOUNG, OLD))
    assert [record.event for record in old] == [record.event for record in young]


def test_it_is_counted_what_grows() -> None:
    assert not costs_the_same(standing, lambda table: [*table.aggregate.view("p1")])
