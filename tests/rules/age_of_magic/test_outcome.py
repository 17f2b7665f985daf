"""Age of Magic: basic value, risk, the ceiling, talents, pushing, and what a result decides."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.age_of_magic.table import Cast, done
from urim.engine.table import Table
from urim.errors import Refused
from urim.projections.outcomes import so_far
from urim.rules.age_of_magic import RULESET, Options
from urim.rules.age_of_magic.declare import TIREDNESS, halves, penalty, shown


def of_basic(value: float) -> dict[str, Any]:
    """A declaration with this basic value."""
    return {"skill": "Any", "characteristic": "ST", "points": {"Any": value - 3}}


@pytest.mark.parametrize(
    ("basic", "faces", "free", "under_the_ceiling"),
    [
        (17, (6, 5, 3, 3, 1), 40, 34),
        (13, (6, 4, 3, 1), 30, 26),
        (7, (), 14, 14),
        (9, (), 18, 18),
        (9, (5, 4), 24, 18),
        (9, (1, 1, 1), 6, 6),
        (12.5, (2, 3), 23, 23),
        (-1.5, (), -3, -3),
        (0.5, (), 1, 1),
    ],
)
def test_the_result_is_what_is_left_and_the_dice(
    basic: float, faces: tuple[int, ...], free: int, under_the_ceiling: int
) -> None:
    for ceiling, result in (("none", free), ("basic", under_the_ceiling)):
        outcome = Cast(ceiling=ceiling).came_to(faces, **of_basic(basic))
        figures = outcome.figures
        assert figures["risk:first"] == len(faces)
        assert figures.get("dice:first") == (2 * sum(faces) or None)
        assert figures["result"] == result
        assert figures["basic"] == round(2 * basic)
        assert outcome.readings == (("ceiling",) if free != under_the_ceiling else ())
        cut = free != under_the_ceiling
        assert figures.get("ceiling") == (under_the_ceiling if cut and ceiling == "basic" else None)
        assert ("no_ceiling" in figures) == (cut and ceiling == "none")


def test_the_authors_hit() -> None:
    outcome = Cast(ceiling="none").came_to((6, 4, 3, 1), **of_basic(13), difficulty=14)
    assert (outcome.degree, outcome.margin) == ("success", 2)  # half points


def test_cogans_punch() -> None:
    sure = Cast().came_to((), difficulty=8)
    assert (sure.degree, sure.margin, sure.figures["result"]) == ("success", 2, 18)
    daring = Cast(ceiling="none").came_to((5, 4), difficulty=8)
    assert (daring.degree, daring.figures["result"]) == ("success", 24)
    assert Cast().came_to((5, 4), difficulty=8).figures["result"] == 18


@pytest.mark.parametrize(
    ("difficulty", "degree", "margin"),
    [(9, "success", 0), (9.5, "failure", -1), (-2, "success", 22)],
)
def test_a_result_that_reaches_the_difficulty_succeeds(
    difficulty: float, degree: str, margin: int
) -> None:
    outcome = Cast().came_to((), difficulty=difficulty)
    assert (outcome.degree, outcome.margin) == (degree, margin)


def test_without_a_difficulty_the_result_is_told() -> None:
    outcome = Cast().came_to((1,), difficulty=None)
    assert (outcome.degree, outcome.margin) == ("result", 14)


def test_everything_adds_to_the_basic_value() -> None:
    outcome = Cast(tired=3).came_to(
        (), specialism="Fists", modifiers={"dark": -2.5, "high ground": 1}, talent=True
    )
    assert {key: outcome.figures[key] for key in list(outcome.figures)[:8]} == {
        "skill:Brawling": 12,
        "specialism:Fists": 2,
        "characteristic:ST": 6,
        "modifiers:dark": -5,
        "modifiers:high ground": 2,
        "talent": 4,
        "tiredness:Quite tired": -2,
        "basic": 19,
    }


def test_every_relevant_specialism_adds_to_the_skill() -> None:
    """The skill score includes "relevant specialisms", one or more."""
    declared = {"specialism": "Fists", "specialisms": ["Knees"], "points": {"Knees": 1.5}}
    outcome = Cast().came_to((), **declared)
    assert {key: outcome.figures[key] for key in list(outcome.figures)[:5]} == {
        "skill:Brawling": 12,
        "specialism:Fists": 2,
        "specialism:Knees": 3,
        "characteristic:ST": 6,
        "basic": 23,
    }


# --- risk -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("basic", "most"), [(-4, 0), (0, 0), (2.5, 0), (3, 1), (8.5, 2), (9, 3), (17, 5), (200, 66)]
)
@pytest.mark.parametrize("overdraw", [0, 1, 2])
def test_three_points_pay_for_a_die(basic: float, most: int, overdraw: int) -> None:
    roll = Cast(overdraw_dice=overdraw).declare(**of_basic(basic))
    (offer,) = roll.offers
    assert offer.options == tuple(range(most + overdraw + 1))
    assert offer.dice == ("d6",) * (most + overdraw)


def test_dice_beyond_what_the_basic_value_pays_for() -> None:
    cast = Cast(overdraw_dice=1)
    beyond = cast.came_to((6, 1), **of_basic(4))
    assert (beyond.figures["paid_for"], beyond.figures["overdrawn"]) == (1, 1)
    assert (beyond.figures["risk:first"], beyond.figures["result"]) == (2, 8)
    assert beyond.readings == ("ceiling", "overdraw_dice")
    assert cast.came_to((2,), **of_basic(4)).readings == ()


def test_a_second_throw_may_be_the_overdrawn_one() -> None:
    roll = Cast(overdraw_dice=1, same_n_twice=False, best_result="by_modifier").declare(luck=-3)
    roll.roll(option=1, faces=[1])
    roll.roll(option=3, faces=[6, 1, 1])
    outcome = roll.resolve()
    assert (outcome.figures["overdrawn"], outcome.figures["stands"]) == (1, "first")


def test_the_ceiling_in_force_is_said_where_the_risk_is_chosen() -> None:
    (offer,) = Cast().declare().offers
    assert offer.note.endswith("and the result is never more than 9: risk can only lower it.")
    (offer,) = Cast(ceiling="none").declare().offers
    assert offer.note.endswith("and the result has no ceiling.")


def test_nothing_is_known_before_the_risk_is_chosen() -> None:
    roll = Cast().declare()
    assert so_far(roll.table.state.game, roll.state) is None
    with pytest.raises(Refused, match="no risk has been chosen"):
        RULESET.outcome(roll.state.roll)


def test_no_dice_need_no_proof_even_where_dice_are_fair() -> None:
    table = Table("age_of_magic", dice="fair")
    hero = table.character("Hero", attributes={"Brawling": 6, "ST": 3})
    sure = table.declare(hero, skill="Brawling", characteristic="ST")
    assert sure.roll(option=0) == ()
    assert sure.resolve().margin == 18
    daring = table.declare(hero, skill="Brawling", characteristic="ST")
    assert len(daring.roll(option=2)) == 2


# --- half points ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (1, "½"), (-1, "−½"), (25, "12½"), (-6, "−3")]
)
def test_half_points_are_written_as_points(number: int, text: str) -> None:
    assert shown(number) == text


@given(st.integers(-400, 400))
def test_every_half_is_exact(number: int) -> None:
    assert halves("x", number / 2) == number


# --- talent, push, knowledge, tiredness -----------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "basic"),
    [
        ({"talent": True}, "11"),
        ({"limitation": True}, "7"),
        ({"push": True}, "11½"),
        ({"luck": 3}, "12"),
        ({"luck": -3}, "6"),
    ],
)
def test_a_modifier_of_the_rules(fields: dict[str, Any], basic: str) -> None:
    roll = Cast().declare(**fields)
    assert roll.offers[-1].note.startswith(f"The basic value is {basic},")


@pytest.mark.parametrize(("gift", "basic"), [("talent", 22), ("limitation", 14)])
def test_a_talent_on_the_sheet_counts_for_every_roll_with_the_skill(gift: str, basic: int) -> None:
    cast = Cast()
    scores = {"Brawling": 6, "ST": 3, "Lore": 6, f"{gift}:Brawling": 1}
    hero = cast.table.character("Hero", attributes=scores)
    assert done(cast.declare(hero)).figures["result"] == basic
    assert done(cast.declare(hero, skill="Lore")).figures["result"] == 18


def test_lack_of_knowledge_is_the_referees() -> None:
    roll = Cast().declare(skill="Lore", characteristic="WI")
    roll.amend("he never saw one", no_knowledge=True)
    outcome = done(roll)
    assert (outcome.figures["no_knowledge"], outcome.figures["result"]) == (-6, 6)


@pytest.mark.parametrize("level", range(8))
def test_every_roll_pays_for_tiredness(level: int) -> None:
    outcome = Cast(tired=level).came_to((), difficulty=None)
    name, off = TIREDNESS[level]
    assert outcome.margin == 18 + off
    assert outcome.figures.get(f"tiredness:{name}") == (off or None)


@pytest.mark.parametrize("level", range(7))
def test_a_push_is_rolled_at_the_new_tiredness(level: int) -> None:
    cast = Cast(tired=level)
    outcome = cast.came_to((), push=True, difficulty=None)
    assert outcome.margin == 18 + 6 + TIREDNESS[level + 1][1]
    assert cast.cogan.sheet.tracks["tiredness"] == level + 1
    assert outcome.readings == ()


def test_a_push_at_normal_makes_ten_twelve_and_a_half() -> None:
    assert Cast().came_to((), **of_basic(10), push=True).figures["result"] == 25


def test_a_void_gives_the_level_back() -> None:
    cast = Cast()
    roll = cast.declare(push=True)
    assert cast.cogan.sheet.tracks["tiredness"] == 2
    roll.void("he slept instead")
    assert cast.cogan.sheet.tracks["tiredness"] == 1


def test_a_push_too_far_is_refused_or_makes_unconscious() -> None:
    with pytest.raises(Refused, match="would leave c1 Unconscious"):
        Cast(tired=7).declare(push=True)
    cast = Cast(tired=7, push_floor="allow")
    outcome = cast.came_to((), push=True)
    assert outcome.figures["tiredness:Unconscious"] == -8
    assert (outcome.figures["result"], outcome.readings) == (16, ("push_floor",))
    with pytest.raises(Refused, match="c1 is Unconscious and rolls nothing"):
        cast.declare()


def test_beyond_unconscious_there_is_nothing() -> None:
    assert penalty(99) == penalty(8) == ("Unconscious", -8)
    assert RULESET.tracks(Options())["tiredness"].most == 8


# --- degrees --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "levels"), [(4, 0), (4.5, 0), (5, 1), (9.5, 1), (10, 2), (14, 2), (15, 3), (-3, 0)]
)
def test_trance_regains_levels(result: float, levels: int) -> None:
    cast = Cast(tired=1)
    outcome = cast.came_to((), **of_basic(result), kind="trance", difficulty=None)
    assert outcome.figures["levels_regained"] == levels
    assert outcome.degree == ("success" if levels else "failure")
    assert cast.cogan.sheet.tracks["tiredness"] == max(0, 1 - levels)


@pytest.mark.parametrize(
    ("result", "levels"), [(5, 0), (8, 0), (4.5, 1), (0, 1), (-0.5, 2), (-5, 2), (-5.5, 3)]
)
def test_what_tires_costs_levels(result: float, levels: int) -> None:
    cast = Cast()
    outcome = cast.came_to((), **of_basic(result), kind="tiring", difficulty=5)
    assert outcome.figures["levels_lost"] == levels
    assert cast.cogan.sheet.tracks["tiredness"] == 1 + levels
