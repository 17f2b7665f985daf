"""The numbers of Milhamah's scenarios add up, and a wrong one is found."""

from tests import plays
from tests.rules import figured
from urim.projections.result import damage_result
from urim.rules.milhamah import RULESET

FACTS = {"rerolls", "lapsed"}
"""Numbers that are in no sum."""

BOUNDED = {"soak", "room", "counted_already", "x_advantage", "difficulty", "circumstance"}
"""Numbers of which one more may change nothing.

A blow does not use all the soak or room that there is; X is at least 0 and a target at least 1; a
table may read a circumstance as nothing.
"""


def test_every_sum_is_in_some_scenario() -> None:
    totals = figured.totals(RULESET)
    assert {*totals} == {
        *("x_gained", "x_modifiers", "x_circumstances", "total", "x_advantage", "x"),
        *("opponent_total", "opponent_x_advantage", "opponent_x"),
        *("compared", "opponent_compared", "opponent_x_modifiers"),
        *("advantage", "before_bonus", "bonus", "successes", "opponent_bonus"),
        *("modifiers", "circumstances", "target", "severity", "xr", "opponent_xr", "margin"),
        *("raw", "armour_spent", "soak_spent", "through", "wounds", "overflow", "amount"),
    }
    assert totals.total() >= 1199


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == FACTS | BOUNDED


def test_every_reason_is_in_some_scenario() -> None:
    assert figured.reasons(RULESET) == figured.words(RULESET, "reason").keys()


def test_a_blow_is_accounted_for_point_by_point() -> None:
    state = plays.kept_of(plays.SCENARIOS / "milhamah" / "critical-hit.toml").play.aggregate.state
    assert state is not None
    damage = damage_result(state, state.rolls[1])
    assert damage is not None
    lines = {item.total.key: (item.total.label, item.total.number) for item in damage.items}
    assert lines["armour_spent"] == ("armour spent", 1)
    assert lines["through"] == ("points beyond armour and soak", 7)
    assert lines["wounds:light"] == ("light wounds", 3)
    assert lines["overflow"] == ("point left when every wound is taken", 1)
