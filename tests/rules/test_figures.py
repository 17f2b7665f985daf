"""What the figures, sums and words of each system keep, on what its scenarios announced."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from tests.rules import figured
from urim.engine.core.sight import sight
from urim.engine.testing.kit.figures import (
    constants,
    faults_of_dice,
    faults_of_outcome,
    faults_of_reason,
    faults_of_words,
)
from urim.engine.testing.plugin.tables import FixtureTable
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.ruleset import Ruleset, Want


@pytest.fixture(params=BUILT_IN)
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    return ruleset_named(request.param)


def test_every_sum_comes_out(ruleset: Ruleset) -> None:
    assert [*figured.faults(ruleset)] == []


def test_a_wrong_margin_is_found(ruleset: Ruleset) -> None:
    for _, outcome in figured.resolved(ruleset):
        assert [*faults_of_outcome(ruleset, replace(outcome, margin=outcome.margin + 1))]


def test_every_word_is_there_and_about_something(ruleset: Ruleset) -> None:
    outcomes = [outcome for _, outcome in figured.resolved(ruleset)]
    numbers = set[str]().union(*(constants(ruleset, outcome) for outcome in outcomes))
    assert [*faults_of_words(ruleset, numbers)] == []
    assert [why for each in outcomes for why in faults_of_reason(ruleset, each)] == []


def test_every_unit_has_its_words_and_counts_something(ruleset: Ruleset) -> None:
    units = {figure.unit for figure in ruleset.figures.values() if figure.unit}
    assert units == figured.words(ruleset, "unit").keys()


WANTED = {
    "milhamah": (("ר", False), ("ו", False), ("ח", False)),
    "sagatafl": ((7, True),),
    "scarterra": ((6, True),),
}
"""By system: the faces that the roll of `WISHES` wants, each with whether higher ones do too."""

WISHES: Mapping[str, Mapping[str, Any]] = {
    "milhamah": {"root": "רוח", "rating": 2},
    "sagatafl": {"trait": "Skill", "rd": 7},
    "scarterra": {"attribute": "Skill", "difficulty": 6},
}


def thrown(system: str) -> Any:
    """The roll of `WISHES`, thrown."""
    table = FixtureTable(system, seed="wanted")
    roll = table.declare(table.character("Asta", attributes={"Skill": 4}), **WISHES[system])
    roll.roll()
    return roll, sight(table.state, "p1").rolls[0].hands


@pytest.mark.parametrize("system", WANTED)
def test_what_a_roll_wants_stands_above_its_dice(system: str) -> None:
    roll, (hand,) = thrown(system)
    assert tuple((want.face, want.least) for want in hand.wants) == WANTED[system]
    for want in hand.wants:
        found = [
            d.id for d in hand.dice if d.face == want.face or (want.least and d.face > want.face)
        ]
        assert want.dice == tuple(found)
    assert [*faults_of_dice(ruleset_named(system), roll.state.roll, None)] == []


def test_a_want_that_the_dice_do_not_show_is_found() -> None:
    rules = ruleset_named("sagatafl")
    roll, _ = thrown("sagatafl")
    for wrong in (Want(13, ("d1",), least=True), Want("x", ("d1",)), Want(1, ("d99",))):
        broken = replace(rules, wants=lambda roll, hand, wrong=wrong: (wrong,))
        assert [*faults_of_dice(broken, roll.state.roll, None)]
