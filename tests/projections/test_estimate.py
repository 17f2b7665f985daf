"""An estimate is near what is exact, and there is none where somebody decides something."""

from typing import Any

import pytest

from tests.oracles.by_rules import declared
from tests.projections.test_odds import nobody
from urim.errors import Refused
from urim.projections.aims import SUCCESS
from urim.projections.estimate import THROWS, estimate
from urim.projections.odds import odds

ROLLS: dict[str, dict[str, Any]] = {
    "sagatafl": {"rating": 3, "rd": 9},
    "majesty": {"kind": "check", "value": 3, "opposing": 3},
    "scarterra": {"dots": 4, "difficulty": 7},
    "plain": {"expression": "2d6+1d4 >= 9"},
}


@pytest.mark.parametrize("system", ROLLS)
def test_it_is_near_the_exact_odds(system: str) -> None:
    rules, roll, _ = declared(system, ROLLS[system], {}, {})
    exact = odds(rules, roll, nobody, SUCCESS).degrees()
    found = estimate(rules, roll, nobody)
    assert found.of == THROWS == sum(found.ends.values())
    for degree, chance in exact.items():
        assert abs(found.degrees().get(degree, 0) - chance) < 0.03, degree


def test_a_die_that_explodes_is_thrown_again_at_once() -> None:
    rules, roll, _ = declared("plain", {"expression": "4d6!"}, {}, {})
    found = estimate(rules, roll, nobody).margins()
    assert abs(sum(margin * chance for margin, chance in found.items()) - 4 * 3.5 * 6 / 5) < 0.2
    assert estimate(rules, roll, nobody).margins() == found


@pytest.mark.parametrize(
    ("system", "wish"),
    [
        ("milhamah", {"root": "אשר", "rating": 3}),  # dice to freeze, to throw again
        ("age_of_magic", {"skill": "Any", "characteristic": "ST"}),  # how many dice
        ("plain", {"expression": "8d6ro1"}),
    ],
)
def test_where_something_is_decided_there_is_none(system: str, wish: dict[str, Any]) -> None:
    rules, roll, _ = declared(system, wish, {"Any": 3, "ST": 2}, {})
    with pytest.raises(Refused, match="something to decide"):
        estimate(rules, roll, nobody)
