"""What the figures, sums and words of each system keep, on what its scenarios announced."""

import pytest
from msgspec.structs import replace

from tests.rules import figured
from urim.engine.testing.kit.figures import faults_of_outcome
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.figures import name_of
from urim.rules.readings import readings_of
from urim.rules.ruleset import Ruleset


@pytest.fixture(params=BUILT_IN)
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    return ruleset_named(request.param)


def test_every_sum_comes_out(ruleset: Ruleset) -> None:
    assert [*figured.faults(ruleset)] == []


def test_a_wrong_margin_is_found(ruleset: Ruleset) -> None:
    for _, outcome in figured.resolved(ruleset):
        assert [*faults_of_outcome(ruleset, replace(outcome, margin=outcome.margin + 1))]


def test_every_reason_has_a_sentence_with_figures_that_are_there(ruleset: Ruleset) -> None:
    sentences = figured.words(ruleset, "reason")
    for _, outcome in figured.resolved(ruleset):
        key = ruleset.reason(outcome)
        if not key:  # what is no more than a number
            assert not figured.words(ruleset, "degree")[outcome.degree]
            continue
        assert sentences[key].endswith(".")
        assert figured.asked(ruleset, key) <= {*outcome.figures, "margin"}, outcome


def test_every_value_of_every_reading_has_one_clause(ruleset: Ruleset) -> None:
    clauses = figured.words(ruleset, "reading")
    keys = set[str]()
    for reading in readings_of(ruleset.Options):
        for value in (reading.default, *reading.others):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            found = clauses.keys() & {reading.name, f"{reading.name}.{text}"}
            assert len(found) == 1, (reading.name, value)
            keys |= found
    assert keys == clauses.keys()


def test_every_unit_has_its_words_and_counts_something(ruleset: Ruleset) -> None:
    units = {figure.unit for figure in ruleset.figures.values() if figure.unit}
    assert units == figured.words(ruleset, "unit").keys()


def test_every_label_is_of_a_figure_or_of_a_number_in_a_sum(ruleset: Ruleset) -> None:
    numbers = {
        name_of(term.figure)
        for _, outcome in figured.resolved(ruleset)
        for each in ruleset.sums(outcome)
        for term in each.terms
        if term.constant is not None
    }
    assert figured.words(ruleset, "figure").keys() <= {*ruleset.figures, *numbers}
    assert numbers.isdisjoint(ruleset.figures)
