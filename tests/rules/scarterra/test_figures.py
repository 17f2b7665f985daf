"""The numbers of Scarterra's scenarios add up, a wrong one is found, and every degree has a why."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules import figured
from tests.rules.scarterra.rolls import BERT, CID, outcome
from urim.engine.testing.kit.figures import faults_of_outcome, faults_of_reason
from urim.rules.readings import readings_of
from urim.rules.ruleset import Outcome
from urim.rules.scarterra import RULESET, Options

OF_A_SIDE = {"difficulty", "wounds", "wound_penalty"}
FACTS = {
    *OF_A_SIDE,
    *(f"{side}_{fact}" for side in ("opponent", "helper") for fact in OF_A_SIDE),
    *("further_try", "target", "deadline", "attack"),
}

AT_MOST_10 = {"first_difficulty"}
"""Where the sum is cut off."""

BELOW_0 = {"round_net"}
"""Of several in a round nothing else is announced, and below 0 it does not count."""


def test_every_sum_is_in_some_scenario() -> None:
    totals = figured.totals(RULESET)
    assert {*totals} == {
        *("pool", "opponent_pool", "helper_pool", "action_penalty", "harder", "difficulty"),
        *("net", "opponent_net", "helper_net", "together", "winner_successes", "margin"),
        *("round_net", "round_lost", "round_total", "total", "percent", "lead"),
        *("gathered", "opponent_gathered"),
        *("attack", "damage", "soaked", "left", "filled", "beyond", "amount"),
    }
    assert totals.total() >= 750


def test_a_number_that_is_one_more_is_found() -> None:
    found = figured.unnoticed(RULESET)
    assert found <= FACTS | AT_MOST_10 | BELOW_0
    facts = {name for name in found if RULESET.figures[name].fact}
    assert found - facts == AT_MOST_10 | BELOW_0


TIE = {"initiator": (6, 6), "reactor": (6, 6)}
OWN = {"resisted_extended": "own"}
WHY: dict[str, tuple[tuple[Any, ...], Mapping[str, Any]]] = {
    "waiting": (({"initiator": (6,)},), {"opponent": {}}),
    "won": (({"initiator": (6,), "reactor": (2,)},), {"opponent": {}, "binary": True}),
    "won_exceptional": (({"initiator": (6,) * 4, "reactor": (2,)},), {"opponent": {}}),
    "won_phenomenal": (({"initiator": (6,) * 5, "reactor": (2,)},), {"opponent": {}}),
    "unresisted": (((6,),), {"declined": [BERT], "binary": True}),
    "unresisted_phenomenal": (((6,) * 7,), {"declined": [BERT]}),
    "together": (({"initiator": (6,), f"helper:{CID}": (2,)},), {"helpers": [{}], "binary": True}),
    "together_nothing": (({"initiator": (2,), f"helper:{CID}": (1, 6)},), {"helpers": [{}]}),
    "together_marginal": (({"initiator": (6,), f"helper:{CID}": (2,)},), {"helpers": [{}]}),
    "together_complete": (({"initiator": (6,), f"helper:{CID}": (6, 6)},), {"helpers": [{}]}),
    "together_exceptional": (
        ({"initiator": (6,) * 5, f"helper:{CID}": (1, 2)},),
        {"helpers": [{}]},
    ),
    "together_phenomenal": (({"initiator": (6,) * 6, f"helper:{CID}": (2,)},), {"helpers": [{}]}),
    "neither": (({"initiator": (2,), "reactor": (3,)},), {"opponent": {}}),
    "tie_at_zero_defender": (
        ({"initiator": (2,), "reactor": (3,)},),
        {"opponent": {}, "options": {"tie_at_zero": "tie"}},
    ),
    "lost_botch": (
        ({"initiator": (1,), "reactor": (6,)},),
        {"opponent": {}, "options": {"below_zero": "stops"}},
    ),
    "nothing_done": (((2,),), {"target": 2}),
    "set_back": (((6,), (1,)), {"target": 2, "options": {"extended_botch": "setback"}}),
    "too_long": (((2,),) * 100, {"target": 2}),
    "leading": (({"initiator": (6,), "reactor": (2,)},), {"opponent": {}, "target": 2}),
    "leading_late": (
        ({"initiator": (6,), "reactor": (2,)},),
        {"opponent": {}, "target": 2, "deadline": 1},
    ),
    "level": ((TIE,), {"opponent": {}, "target": 2}),
    "level_late": ((TIE,), {"opponent": {}, "target": 2, "deadline": 1}),
    "gathering": ((TIE,), {"opponent": {}, "target": 3, "options": OWN}),
    "gathering_late": ((TIE,), {"opponent": {}, "target": 3, "deadline": 1, "options": OWN}),
    "gathered_lost": (
        ({"initiator": (6,), "reactor": (6, 6)},),
        {"opponent": {}, "target": 2, "options": OWN},
    ),
    "contest_tie_defender": ((TIE,), {"opponent": {}, "target": 2, "options": OWN}),
    "contest_tie_attacker": (
        (TIE,),
        {"opponent": {}, "target": 2, "options": {**OWN, "resisted_tie": "attacker"}},
    ),
}
"""Rolls for the reasons that no scenario has."""


@pytest.mark.parametrize("key", WHY)
def test_a_degree_has_its_reason(key: str) -> None:
    rounds, declared = WHY[key]
    found = outcome(*rounds, **declared)
    assert RULESET.reason(found) == key
    assert [*faults_of_outcome(RULESET, found)] == []
    assert [*faults_of_reason(RULESET, found)] == []


def test_every_reason_is_met() -> None:
    assert figured.reasons(RULESET) | {*WHY} == figured.words(RULESET, "reason").keys()


def test_every_reading_is_at_a_figure() -> None:
    decided = {name for figure in RULESET.figures.values() for name in figure.readings}
    assert decided == {reading.name for reading in readings_of(Options)}


def test_what_a_modifier_is_called_is_no_matter() -> None:
    """It is a player's words, and may hold a colon or be the name of a figure."""
    wild = {"net": 2, "Rain: cold": -1, "margin": 1}
    found = outcome((6, 6), modifiers=wild)
    assert [*faults_of_outcome(RULESET, found)] == []
    assert summed(found, "pool") == {"declared_dots", *(f"modifiers:{name}" for name in wild)}


def test_a_helpers_modifiers_are_in_no_other_pool() -> None:
    hands = {"initiator": (6,), f"helper:{CID}": (6, 6), "helper:dora": (6,)}
    found = outcome(hands, helpers=[{"modifiers": {"rope": 1}}, {}])
    assert summed(found, f"helper_pool:{CID}") == {
        f"helper_declared_dots:{CID}",
        f"helper_modifiers:{CID}:rope",
    }


def summed(found: Outcome, total: str) -> set[str]:
    """The terms of a sum."""
    return {
        term.figure for each in RULESET.sums(found) if each.total == total for term in each.terms
    }
