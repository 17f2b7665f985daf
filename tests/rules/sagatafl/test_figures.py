"""The numbers of Sagatafl's scenarios add up, and a wrong one is found."""

from tests.rules import figured
from urim.rules.sagatafl import RULESET

SMALL = {"rating", "rd", "opponent_rd"}
"""A rating of 0 may give one die, as 1 does; an RD without modifiers is a fact."""


def test_every_sum_is_in_some_scenario() -> None:
    totals = figured.totals(RULESET)
    either = {"dice", "rd", "below_rd", "level", "scale"}
    assert {*totals} == {*either, *(f"opponent_{name}" for name in either), "margin"}
    assert totals.total() >= 200


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == SMALL


def test_every_reason_is_in_some_scenario() -> None:
    assert figured.reasons(RULESET) == figured.words(RULESET, "reason").keys()
