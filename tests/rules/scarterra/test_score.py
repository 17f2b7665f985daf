"""Successes, ones, botches, degrees and odds: what the dice of one Scarterra roll come to."""

import pytest

from tests.rules.scarterra.rolls import ANN, BERT, CID, outcome
from urim.errors import Refused
from urim.rules.scarterra.options import DIFFICULTIES, degree_of, difficulty_named


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
