"""The numbers of plain rolls add up, a wrong one is found, and every degree has a why."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules import figured
from urim.engine.cli.dice import rolled
from urim.engine.table import Table
from urim.engine.testing.kit.figures import faults_of_dice, faults_of_outcome
from urim.projections.result import outcome_result
from urim.rules.plain import RULESET, Options
from urim.rules.readings import readings_of


def test_every_sum_is_in_some_scenario() -> None:
    totals = figured.totals(RULESET)
    assert {*totals} == {"successes", "total", "margin"}
    assert totals.total() >= 80


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == set()


REASONS = [
    ("3d6", ""),
    ("5d6>=1", "counted"),
    ("1d6+1 >= 2", "at_least_met"),
    ("1d6 >= 7", "at_least_missed"),
    ("1d6+1 > 1", "more_met"),
    ("1d6+1 > 7", "more_missed"),
    ("1d6 <= 6", "at_most_met"),
    ("1d6 <= 0", "at_most_missed"),
    ("1d6 < 7", "less_met"),
    ("1d6 < 1", "less_missed"),
    ("2d6-1d6-7 = 90", "equal_missed"),
    ("1d6 = 90", "equal_missed"),
]


@pytest.mark.parametrize(("text", "key"), REASONS)
def test_a_degree_has_its_reason(text: str, key: str) -> None:
    outcome = rolled(Table("plain").character("Robin"), text, None).outcome
    assert outcome is not None
    assert RULESET.reason(outcome) == key
    assert [*faults_of_outcome(RULESET, outcome)] == []


def test_every_reason_is_met() -> None:
    known = figured.words(RULESET, "reason").keys()
    # A total is met exactly by chance alone.
    assert figured.reasons(RULESET) | {key for _, key in REASONS} | {"equal_met"} == known | {""}


@pytest.mark.parametrize(
    ("text", "faces", "options", "counts"),
    [
        ("3d6kh2", [4, 1, 4], {}, {"faces:1:3d6kh2": ("d1", "d3")}),
        (
            "4d10>7f1",
            [1, 8, 9, 1],
            {},
            {"hits:1:4d10cs>7f1": ("d2", "d3"), "failures:1:4d10cs>7f1": ("d1", "d4")},
        ),
        ("2d6!", [6, 2, 3], {}, {"faces:1:2d6!": ("d1:1", "d1:2", "d2")}),
        ("2d6!kh1", [6, 2, 3], {}, {"faces:1:2d6!kh1": ("d1:1",)}),
        ("2d6!kl1", [6, 2, 3], {"exploded": "added"}, {"faces:1:2d6!kl1": ("d2",)}),
        ("2d6!!kh1", [6, 2, 6, 1], {}, {"faces:1:2d6!!kh1": ("d1:1", "d1:2")}),
        ("2d6!!cs>7", [6, 3, 2], {}, {"hits:1:2d6!!cs>7": ("d1",)}),
        ("2d6!cs>2", [6, 3, 2], {}, {"hits:1:2d6!cs>2": ("d1:1", "d1:2")}),
        ("2d6!cs>8", [6, 3, 2], {"exploded": "added"}, {"hits:1:2d6!cs>8": ("d1",)}),
        ("2d6>=3", [6, 3], {}, {"hits:1:2d6>=3": ("d1", "d2")}),
    ],
)
def test_the_throws_that_are_kept_or_count_are_named(
    text: str, faces: list[int], options: Mapping[str, Any], counts: Mapping[str, Any]
) -> None:
    table = Table("plain", dice="scripted", options=options)
    roll = table.declare(table.character("Robin"), expression=text)
    assert RULESET.counts(roll.state.roll) == {}
    roll.roll(faces=faces)
    outcome = roll.resolve()
    assert RULESET.counts(roll.state.roll) == counts
    assert [*faults_of_dice(RULESET, roll.state.roll, outcome)] == []


def test_every_reading_is_at_a_figure() -> None:
    decided = {name for figure in RULESET.figures.values() for name in figure.readings}
    assert decided == {reading.name for reading in readings_of(Options)}


def test_a_total_that_is_compared_with_nothing_is_the_result() -> None:
    table = Table("plain", dice="scripted")
    for expression, head, text in (("1d6+10", "16", ""), ("1d6+1 >= 3", "success", "total 7")):
        roll = table.declare(table.character("Robin"), expression=expression)
        roll.roll(faces=[6])
        roll.resolve()
        found = outcome_result(table.state, roll.state)
        assert found is not None
        assert (found.head, found.text) == (head, text)
        labels = [item.total.label for item in found.items]
        assert ("margin" in labels) == bool(text)
