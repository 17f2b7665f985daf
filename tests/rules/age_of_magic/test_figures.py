"""The numbers of Age of Magic's scenarios add up, and a wrong one is found."""

from tests.rules import figured
from urim.rules.age_of_magic import RULESET

FACTS = {"damage", "hit_by"}
"""The numbers of a soak or of a damage roll that come from the roll before it."""


def test_every_sum_is_in_some_scenario() -> None:
    totals = figured.totals(RULESET)
    assert {*totals} == {
        *("basic", "margin_of_the_hit", "throw", "paid_for", "overdrawn", "result", "margin"),
        *("more_levels", "levels_regained", "levels_lost", "steps_down"),
        *("through", "size", "amount"),
    }
    assert totals.total() >= 250


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == FACTS


def test_every_reason_is_in_some_scenario() -> None:
    assert figured.reasons(RULESET) == figured.words(RULESET, "reason").keys()
