"""The numbers of Allies of Majesty's scenarios add up, and a wrong one is found."""

from msgspec.structs import replace

from tests import plays
from tests.rules import figured
from urim.engine.testing.kit.figures import faults_of_outcome
from urim.projections.result import outcome_result
from urim.rules.majesty import RULESET
from urim.rules.readings import readings_of

ROUNDED = {"rating", "cost"}
"""Numbers of which a tenth counts, rounded down: one more may change nothing."""

ALONE = {"value"}
"""It is in no sum where nobody adjusts, whatever the other side has."""

WORDS = RULESET.words["en"]


def test_every_sum_comes_out() -> None:
    assert [*figured.faults(RULESET)] == []
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


def test_a_wrong_margin_is_found() -> None:
    for _, outcome in figured.resolved(RULESET):
        assert [*faults_of_outcome(RULESET, replace(outcome, margin=outcome.margin + 1))]


def test_every_reason_has_a_sentence_and_every_sentence_a_scenario() -> None:
    known = {key.partition(".")[2] for key in WORDS if key.startswith("reason.")}
    assert figured.reasons(RULESET) == known
    for path in figured.paths("majesty"):
        state = plays.kept_of(path).play.aggregate.state
        assert state is not None
        for roll in state.rolls.values():
            result = outcome_result(state, roll)
            assert result is None or (result.reason.endswith(".") and "{" not in result.reason)


def test_every_value_of_every_reading_has_its_clause() -> None:
    for reading in readings_of(RULESET.Options):
        for value in (reading.default, *reading.others):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            assert f"reading.{reading.name}.{text}" in WORDS
