"""Successes, ones, botches, degrees and odds: what the dice of one Scarterra roll come to."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.scarterra.rolls import ANN, BERT, CID, DORA, botches, net, outcome
from urim.errors import Refused
from urim.rules.scarterra.options import DEGREES, DIFFICULTIES, degree_of, difficulty_named

FACES = st.lists(st.integers(1, 10), min_size=1, max_size=12)
NUMBERS = st.integers(2, 10)


@pytest.mark.parametrize(
    ("faces", "difficulty", "degree", "margin"),
    [
        ((1, 5, 6, 8), 6, "marginal", 1),  # the book's example
        ((1, 1, 6), 6, "failure", -1),  # outnumbered by ones: never a botch
        ((1, 6), 6, "failure", 0),
        ((1, 3, 5), 6, "botch", -1),
        ((2, 3, 5), 6, "failure", 0),
        ((6, 6), 7, "failure", 0),
        ((7, 6), 7, "marginal", 1),
        ((1,), 2, "botch", -1),
        ((2,), 2, "marginal", 1),
        ((10, 9), 10, "marginal", 1),
        ((6, 6), 6, "moderate", 2),
        ((6, 6, 6), 6, "complete", 3),
        ((6, 6, 6, 6), 6, "exceptional", 4),
        ((6, 6, 6, 6, 6), 6, "phenomenal", 5),
        ((6,) * 9, 6, "phenomenal", 9),
    ],
)
def test_a_hand_is_counted_and_ones_take_away(
    faces: tuple[int, ...], difficulty: int, degree: str, margin: int
) -> None:
    found = outcome(faces, difficulty=difficulty)
    assert (found.degree, found.margin) == (degree, margin)
    assert found.readings == ()


@given(FACES, NUMBERS)
def test_a_simple_roll_is_a_plain_count(faces: list[int], difficulty: int) -> None:
    found = outcome(faces, difficulty=difficulty)
    assert found.margin == found.figures["net"] == net(faces, difficulty)
    assert (found.degree == "botch") == botches(faces, difficulty)
    assert (found.degree in {line.name for line in DEGREES}) == (net(faces, difficulty) >= 1)


BELOW = st.sampled_from(["counts", "stops"])


@given(FACES, FACES, NUMBERS, NUMBERS, BELOW)
def test_a_resisted_roll_is_the_difference_of_what_each_side_has_left(
    faces: list[int], theirs: list[int], difficulty: int, other: int, below: str
) -> None:
    """Below 0 a side gives to the other one, which has a success."""
    more: dict[str, Any] = {"opponent": {"difficulty": other}, "options": {"below_zero": below}}
    found = outcome({"initiator": faces, "reactor": theirs}, difficulty=difficulty, **more)
    mine, his = net(faces, difficulty), net(theirs, other)
    if below == "stops" or max(mine, his) <= 0:
        mine, his = max(0, mine), max(0, his)
    assert found.margin == mine - his
    assert (found.degree == "botch") == botches(faces, difficulty)
    assert found.figures.get("opponent_botch", False) == botches(theirs, other)
    if mine > his:
        assert found.degree == degree_of(mine - his)
    if his > mine:
        assert found.figures["winner"] == BERT
        assert found.figures["winner_degree"] == degree_of(his - mine)


@given(FACES, FACES, FACES, NUMBERS, BELOW)
def test_a_cooperative_roll_is_the_sum_of_everybodys_net(
    mine: list[int], cids: list[int], doras: list[int], difficulty: int, below: str
) -> None:
    """Cid rolls at the difficulty of the roll, Dora at one of her own."""
    hands = {"initiator": mine, f"helper:{CID}": cids, f"helper:{DORA}": doras}
    helpers: tuple[dict[str, int], ...] = ({}, {"difficulty": 7})
    options = {"below_zero": below}
    found = outcome(hands, helpers=helpers, difficulty=difficulty, options=options)
    parts = [net(mine, difficulty), net(cids, difficulty), net(doras, 7)]
    together = sum(max(0, part) if below == "stops" else part for part in parts)
    assert found.figures["together"] == together
    assert found.margin == (0 if found.degree == "botch" else together)
    each = [botches(mine, difficulty), botches(cids, difficulty), botches(doras, 7)]
    assert (found.degree == "botch") == all(each)
    assert ("cooperative_botch" in found.readings) == (any(each) and not all(each))


def test_the_figures_of_a_resisted_roll_tell_both_sides() -> None:
    found = outcome({"initiator": (6, 8, 9, 1, 7), "reactor": (6, 7, 2)}, opponent={"dots": 3})
    assert found.figures == {
        "kind": "resisted",
        "declared_dots": 1,
        "pool": 1,
        "difficulty": 6,
        "difficulty_called": "standard",
        "successes": 4,
        "ones": 1,
        "net": 3,
        "opponent": BERT,
        "opponent_declared_dots": 3,
        "opponent_pool": 3,
        "opponent_difficulty": 6,
        "opponent_difficulty_called": "standard",
        "opponent_successes": 2,
        "opponent_ones": 0,
        "opponent_net": 2,
        "winner": "ann",
        "winner_successes": 1,
        "winner_degree": "marginal",
        "for_example": "glancing_blow",
    }


def test_a_three_success_hit_becomes_a_glancing_blow() -> None:
    """The book's example: an unsuccessful dodge of two still lowers the degree."""
    hands = {"initiator": (6, 7, 8), "reactor": (9, 9)}
    found = outcome(hands, opponent={})
    assert (found.degree, found.margin) == ("marginal", 1)
    assert outcome(hands["initiator"]).degree == "complete"


def test_a_botch_in_a_resisted_roll_counts_for_the_other_and_is_reported() -> None:
    found = outcome({"initiator": (6, 6), "reactor": (1, 2)}, opponent={})
    assert (found.degree, found.margin, found.figures["opponent_botch"]) == ("complete", 3, True)
    found = outcome({"initiator": (1, 2), "reactor": (6,)}, opponent={})
    assert (found.degree, found.margin, found.figures["winner"]) == ("botch", -2, BERT)
    found = outcome({"initiator": (1, 2), "reactor": (1,)}, opponent={})
    assert (found.degree, found.margin) == ("botch", 0)
    assert "winner" not in found.figures


def test_neither_side_wins_without_a_success() -> None:
    found = outcome({"initiator": (2, 3), "reactor": (2,)}, opponent={})
    assert (found.degree, found.margin, found.readings) == ("failure", 0, ("tie_at_zero",))
    assert "winner" not in found.figures


def test_a_binary_roll_shows_no_degree() -> None:
    found = outcome((6, 6, 6), binary=True)
    assert (found.degree, found.margin) == ("success", 3)
    assert "for_example" not in found.figures
    found = outcome({"initiator": (6, 6), "reactor": (6,)}, opponent={}, binary=True)
    assert (found.degree, found.figures["winner_successes"]) == ("success", 1)
    assert "winner_degree" not in found.figures
    assert outcome((1,), binary=True).degree == "botch"


def test_whoever_declines_resists_with_no_net_successes() -> None:
    found = outcome((6, 6), declined=(BERT,))
    assert (found.degree, found.figures["kind"]) == ("moderate", "resisted")
    assert found.figures["declined"] == [BERT]
    assert (found.figures["opponent"], found.figures["opponent_net"]) == (BERT, 0)
    assert (found.figures["winner"], found.figures["winner_successes"]) == (ANN, 2)
    assert outcome((1, 1), declined=(BERT,)).degree == "botch"


def test_helpers_who_decline_leave_a_simple_roll() -> None:
    found = outcome((6, 6), declined=(CID,))
    assert (found.degree, found.figures["kind"]) == ("moderate", "simple")
    assert (found.figures["declined"], found.readings) == ([CID], ())


def test_an_unthrown_roll_comes_to_nothing() -> None:
    with pytest.raises(Refused, match="not thrown"):
        outcome()


def test_the_charts_hold_the_books_names_and_examples() -> None:
    assert [f"{number} {name}" for number, (name, _) in DIFFICULTIES.items()] == [
        "3 easy",
        "4 routine",
        "5 straightforward",
        "6 standard",
        "7 challenging",
        "8 difficult",
        "9 extremely difficult",
    ]
    assert DIFFICULTIES[8].example == "forging a fine blade"
    assert [degree_of(count) for count in (1, 2, 3, 4, 5, 12)] == [
        "marginal",
        "moderate",
        "complete",
        "exceptional",
        "phenomenal",
        "phenomenal",
    ]
    for number, (name, _) in DIFFICULTIES.items():
        assert difficulty_named(name.title()) == difficulty_named(number) == number


@pytest.mark.parametrize("number", [-6, 0, 1, 11, 12])
def test_a_difficulty_beyond_the_chart_is_refused(number: int) -> None:
    with pytest.raises(Refused) as refused:
        difficulty_named(number)
    assert (refused.value.code, refused.value.allowed[0]) == ("out-of-range", "2 to 10")
    assert refused.value.why == f"a difficulty of {number}"


def test_a_difficulty_may_be_beyond_those_with_a_name() -> None:
    assert [difficulty_named(number) for number in range(2, 11)] == list(range(2, 11))


@pytest.mark.parametrize(
    ("difficulty", "warning"),
    [(2, "hardly_fails"), (10, "botches_as_often")],
)
def test_what_is_hardly_worth_rolling_says_so(difficulty: int, warning: str) -> None:
    figures = outcome((5,), difficulty=difficulty).figures
    assert figures["hardly_worth_rolling"] == warning
    assert "difficulty_called" not in figures


def chances(dice: int, difficulty: int) -> dict[str, Fraction]:
    """Every roll of so many dice, each kind of roll weighed by the orders it can fall in."""
    found: Counter[str] = Counter()
    for faces in combinations_with_replacement(range(1, 11), dice):
        orders = factorial(dice) // prod(factorial(count) for count in Counter(faces).values())
        degree = outcome(faces, difficulty=difficulty, binary=True).degree
        found[degree] += orders
    return {degree: Fraction(count, 10**dice) for degree, count in found.items()}


@pytest.mark.parametrize(
    ("dice", "difficulty", "success", "botch"),
    [(3, 10, 0.220, 0.217), (5, 10, 0.284, 0.263), (5, 6, 0.844, 0.021)],
)
def test_the_odds_are_those_of_every_possible_roll(
    dice: int, difficulty: int, success: float, botch: float
) -> None:
    found = chances(dice, difficulty)
    assert round(float(found["success"]), 3) == success
    assert round(float(found["botch"]), 3) == botch
    assert sum(found.values()) == 1
    if difficulty == 6:
        assert round(float(found["failure"]), 3) == 0.135


@given(st.integers(1, 4), NUMBERS)
def test_success_is_as_likely_as_single_dice_added_up_say(dice: int, difficulty: int) -> None:
    sums: Counter[int] = Counter({0: 1})
    for _ in range(dice):
        after: Counter[int] = Counter()
        for total, ways in sums.items():
            for face in range(1, 11):
                after[total + net((face,), difficulty)] += ways
        sums = after
    likely = Fraction(sum(ways for total, ways in sums.items() if total > 0), 10**dice)
    unlucky = Fraction((difficulty - 1) ** dice - (difficulty - 2) ** dice, 10**dice)
    found = chances(dice, difficulty)
    assert found["success"] == likely
    assert found["botch"] == unlucky  # no die succeeds, less those rolls that have no 1 either
