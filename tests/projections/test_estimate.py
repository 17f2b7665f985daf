"""An estimate is near what is exact; who decides in it plays nearly as well as can be."""

from typing import Any

import pytest

from urim import Table
from urim.engine.core.odds import answer, question
from urim.errors import Refused
from urim.projections import estimate as playing
from urim.projections import places
from urim.projections.aims import SUCCESS
from urim.projections.estimate import PLAYED, estimate
from urim.projections.odds import odds, ways
from urim.rules.ruleset import Roll, Ruleset, Sheets

ROLLS: dict[str, dict[str, Any]] = {
    "sagatafl": {"rating": 3, "rd": 9},
    "majesty": {"kind": "check", "value": 3, "opposing": 3},
    "scarterra": {"dots": 4, "difficulty": 7},
    "plain": {"expression": "2d6+1d4 >= 9"},
}

NUMBER = {"skill": "Any", "characteristic": "Any", "difficulty": 9}
FEW = {"few": {"D": -4}}
NO_FLIPS = {"none": {"C": -1}}

DECIDED: dict[str, tuple[str, dict[str, Any], dict[str, Any] | None]] = {
    "how many dice": ("age_of_magic", NUMBER, None),
    "thrown again, one to turn": ("milhamah", {"root": "אשר", "rating": 3, "status": FEW}, None),
    "opposed": (
        "milhamah",
        {"root": "אשר", "rating": 2, "status": {**FEW, **NO_FLIPS}, "opponent": "c2"},
        {"root": "שלם", "rating": 2, "status": {**FEW, **NO_FLIPS}},
    ),
    "thrown again at once": ("plain", {"expression": "3d6ro1 >= 12"}, None),
}  # fmt: skip

Given = tuple[Ruleset, Roll, Sheets, Any]


def given(system: str, wish: dict[str, Any], reaction: dict[str, Any] | None = None) -> Given:
    """A roll that is declared, and what is asked of it."""
    table = Table(system, dice="scripted")
    one, two = (table.character(name, attributes={"Any": 8}) for name in ("One", "Two"))
    roll = table.declare(one, **wish)
    if reaction is not None:
        roll.react(two, **reaction)
    asked = question(table.state, roll.state.number)
    return table.state.game.ruleset, asked.roll, asked.sheets.__getitem__, SUCCESS


@pytest.mark.parametrize("system", ROLLS)
def test_it_is_near_the_exact_odds(system: str) -> None:
    asked = given(system, ROLLS[system])
    found, way = estimate(*asked)
    assert way is None
    assert found.of == PLAYED == sum(found.ends.values())
    for degree, chance in odds(*asked).degrees().items():
        assert abs(found.degrees().get(degree, 0) - chance) < 0.03, degree


def test_a_die_that_explodes_is_thrown_again_at_once() -> None:
    asked = given("plain", {"expression": "4d6!"})
    found = estimate(*asked)[0].margins()
    assert abs(sum(margin * chance for margin, chance in found.items()) - 4 * 3.5 * 6 / 5) < 0.2
    assert estimate(*asked)[0].margins() == found


@pytest.mark.parametrize("case", DECIDED)
def test_who_decides_is_near_best_play_and_not_above_it(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "PLAYED", 400)
    asked = given(*DECIDED[case])
    best, (found, _) = odds(*asked), estimate(*asked)
    exact, near = (float(SUCCESS.worth(each.ends, each.of)) for each in (best, found))
    error = 1.5 / found.of**0.5  # three standard errors, at most
    assert exact - 0.03 - error < near < exact + error, found.of


def test_what_is_done_first_is_said_where_it_is_decided() -> None:
    asked = given("age_of_magic", NUMBER)
    best, *others = ways(*asked)
    found, way = estimate(*asked)
    assert others
    assert way is not None
    assert (way.taken, way.spread) == (best.taken, found)  # nothing is to be decided after it


@pytest.mark.parametrize(
    ("wish", "reaction", "least"),
    [
        ({"dots": 3, "difficulty": 6, "target": 5}, None, 0.7),  # the first throw seldom does it
        ({"dots": 3, "difficulty": 8, "target": 12}, None, 0.16),  # four throws at least
        pytest.param(
            {"dots": 3, "difficulty": 6, "target": 12, "opponent": "c2"},
            {"dots": 3, "difficulty": 6},
            0.3,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_roll_that_may_go_on_for_ever_goes_on_as_long_as_it_helps(
    wish: dict[str, Any],
    reaction: dict[str, Any] | None,
    least: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(playing, "PLAYED", 100)
    found, _ = estimate(*given("scarterra", wish, reaction))
    assert found.of == 100
    assert SUCCESS.worth(found.ends, found.of) > least - 1.5 / found.of**0.5


def test_dice_that_must_be_thrown_again_are_no_decision() -> None:
    found, way = estimate(*given("plain", {"expression": "1d6!+1d6ro1"}))
    assert way is None
    assert abs(float(found.mean()) - 4.2 - 3.5 * 7 / 6 + 1 / 6) < 0.2


def test_an_aim_that_no_end_is_called_by_is_refused_of_an_estimate_too() -> None:
    table = Table("plain", dice="scripted")
    roll = table.declare(table.character("One"), expression="4d6!")
    asked = question(table.state, roll.state.number)
    with pytest.raises(Refused, match="played 4,000 times, no end of this roll was 'botsh'") as no:
        answer(asked, "botsh")
    assert no.value.allowed[0] == "total"


def test_what_is_too_much_is_marked_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "STEPS", 10)
    table = Table("milhamah", dice="scripted")
    roll = table.declare(table.character("One"), root="אשר", rating=3, status={**FEW, **NO_FLIPS})
    roll.roll(faces=("א", "ז", "ת", "ע"))
    asked = question(table.state, roll.state.number)
    about = answer(asked)
    monkeypatch.undo()
    exact = answer(asked)
    assert (about.exact, exact.exact) == (False, True)
    assert about.why.endswith("over 10 steps")
    assert (about.played, exact.played) == (PLAYED, 0)
    assert about.worth - about.error * 2 < exact.worth
    (way,) = about.ways
    assert (way.trigger, way.worth) == ("reroll", about.worth)
    worths = {each.taken: each.worth for each in exact.ways}
    assert worths[way.taken] > exact.worth - 0.05


def test_what_is_too_much_even_so_is_refused_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "STEPS", 1_000)
    rules, roll, sheet, aim = given(*DECIDED["opposed"])
    with pytest.raises(Refused, match="over 1,000 steps"):
        estimate(rules, roll, sheet, aim)
    monkeypatch.setattr(playing, "STEPS", 20_000)
    found, _ = estimate(rules, roll, sheet, aim)
    assert playing.FEWEST <= found.of < PLAYED  # as often as the steps last
