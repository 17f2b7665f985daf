"""What the figures, sums and words of each system keep, on what its scenarios announced."""

import pytest
from msgspec.structs import replace

from tests.rules import figured
from urim.engine.testing.kit.figures import (
    constants,
    faults_of_outcome,
    faults_of_reason,
    faults_of_words,
)
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.ruleset import Ruleset


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
