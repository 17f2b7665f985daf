"""The numbers of Milhamah's scenarios add up, and a wrong one is found."""

from msgspec.structs import replace

from tests import plays
from tests.rules import figured
from urim.engine.testing.kit.figures import faults_of_outcome
from urim.projections.result import damage_result, outcome_result
from urim.rules.milhamah import RULESET
from urim.rules.readings import readings_of

FACTS = {"rerolls", "lapsed"}
"""Numbers that are in no sum."""

BOUNDED = {"soak", "room", "counted_already", "x_advantage", "difficulty", "circumstance"}
"""Numbers of which one more may change nothing.

A blow does not use all the soak or room that there is; X is at least 0 and a target at least 1; a
table may read a circumstance as nothing.
"""

WORDS = RULESET.words["en"]


def test_every_sum_comes_out() -> None:
    assert [*figured.faults(RULESET)] == []
    totals = figured.totals(RULESET)
    assert {*totals} == {
        *("x_gained", "x_modifiers", "x_circumstances", "total", "x_advantage", "x"),
        *("opponent_total", "opponent_x_advantage", "opponent_x"),
        *("advantage", "before_bonus", "bonus", "successes", "opponent_bonus"),
        *("modifiers", "circumstances", "target", "severity", "xr", "margin"),
        *("raw", "armour_spent", "soak_spent", "through", "wounds", "overflow", "amount"),
    }
    assert totals.total() >= 1199


def test_a_number_that_is_one_more_is_found() -> None:
    assert figured.unnoticed(RULESET) == FACTS | BOUNDED


def test_a_wrong_margin_is_found() -> None:
    for _, outcome in figured.resolved(RULESET):
        assert [*faults_of_outcome(RULESET, replace(outcome, margin=outcome.margin + 1))]


def test_every_reason_has_a_sentence_and_every_sentence_a_scenario() -> None:
    known = {key.partition(".")[2] for key in WORDS if key.startswith("reason.")}
    assert figured.reasons(RULESET) == known
    for path in figured.paths("milhamah"):
        state = plays.kept_of(path).play.aggregate.state
        assert state is not None
        for roll in state.rolls.values():
            result = outcome_result(state, roll)
            assert result is None or (result.reason.endswith(".") and "{" not in result.reason)


def test_every_value_of_every_reading_has_its_clause() -> None:
    for reading in readings_of(RULESET.Options):
        for value in (reading.default, *reading.others):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            keys = {f"reading.{reading.name}", f"reading.{reading.name}.{text}"}
            assert keys & WORDS.keys(), (reading.name, value)


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
