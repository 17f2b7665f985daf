"""The numbers of Allies of Majesty's scenarios add up, and a wrong one is found."""

from tests.rules import figured
from urim.rules.majesty import RULESET

ROUNDED = {"rating", "cost"}
"""Numbers of which a tenth counts, rounded down: one more may change nothing."""

ALONE = {"value"}
"""It is in no sum where nobody adjusts, whatever the other side has."""


def test_every_sum_is_in_some_scenario() -> None:
    totals = figured.totals(RULESET)
    assert {*totals} == {
        *("value", "opposing_value", "difference", "adjustments"),
        *("adjustments_used", "adjustments_left", "epic_dice", "extra_positives", "net", "margin"),
        *("hits", "misses", "stops", "passes", "defensive_hits", "twelve_effects"),
        *("uncancelled_hits", "uncancelled_passes", "uncancelled_stops"),
    }
    assert totals.total() >= 532


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == ROUNDED | ALONE


def test_every_reason_is_in_some_scenario() -> None:
    assert figured.reasons(RULESET) == figured.words(RULESET, "reason").keys()
