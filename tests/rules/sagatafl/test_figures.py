"""The numbers of Sagatafl's scenarios add up, and a wrong one is found."""

from tests.rules import figured
from urim.rules.sagatafl import RULESET

SMALL = {"rating", "rd", "opponent_rd"}
"""A rating of 0 may give one die, as 1 does; an RD without modifiers is a fact."""


def test_every_sum_comes_out() -> None:
    assert [*figured.faults(RULESET)] == []
    totals = figured.totals(RULESET)
    either = {"dice", "rd", "below_rd", "level", "scale"}
    assert {*totals} == {*either, *(f"opponent_{name}" for name in either), "margin"}
    assert totals.total() >= 200


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == SMALL


def test_every_reason_has_a_sentence() -> None:
    words = RULESET.words["en"]
    known = {key.partition(".")[2] for key in words if key.startswith("reason.")}
    assert figured.reasons(RULESET) == known
