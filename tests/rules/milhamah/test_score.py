"""Successes and degrees: the book's examples, and every rung."""

from typing import Any

import pytest

from tests.rules.rolls import milhamah
from urim.errors import Refused
from urim.events.base import Effect
from urim.rules.milhamah import RULESET
from urim.rules.milhamah.declare import Reaction, Status
from urim.rules.ruleset import Outcome

NATURAL = "וחב*גרדר"  # רוח with four letters and a Wild, natural
PLAIN = "רובגדאאא"  # two letters, not natural
NONE = "בגדאאאהה"
WILDS = "בסג*דטה*"


def outcome(*args: Any, **kwargs: Any) -> Outcome:
    return RULESET.outcome(milhamah(*args, **kwargs))


def test_rachels_prayer_fails() -> None:
    rachel = {"first": "בחגטדלהמ", "rerolls": 1}
    result = outcome("קחרטדתהמ", root="אשר", rating=3, modifiers={"far": 1}, initiator=rachel)
    assert (result.degree, result.margin) == ("failure", -2)


def test_acting_counts_letters_and_wilds_and_reacting_letters_alone() -> None:
    acting = outcome(NATURAL).figures
    assert (acting["letters"], acting["wilds"], acting["before_bonus"]) == (4, 1, 5)
    assert acting["natural"]
    reacting = outcome(NONE, reply=NATURAL, reaction=Reaction(root="רוח", rating=0)).figures
    assert (reacting["opponent_letters"], reacting["target"]) == (4, 4)


def test_wilds_alone_are_a_botch_as_severe_as_they_are_many() -> None:
    result = outcome(WILDS)
    assert (result.degree, result.margin) == ("botch", -2)
    assert result.figures["severity"] == 2
    assert result.readings == ("wild_only_botch",)
    opposed = outcome(WILDS, reply="חבבבבבבב")
    assert (opposed.degree, opposed.margin, opposed.figures["xr"]) == ("botch", -1, 1)


def test_a_doubled_letter_must_lie_twice_to_be_natural() -> None:
    assert not outcome("חנבבבבבב", root="חננ").figures["natural"]
    assert outcome("חנבבנבבב", root="חננ").figures["natural"]


@pytest.mark.parametrize(
    ("faces", "declared", "degree", "margin"),
    [
        (NONE, {}, "botch", -2),
        (NONE, {"pocketed": 5}, "botch", -2),
        ("", {}, "botch", -2),
        (PLAIN, {"target": 1}, "success", 1),
        (PLAIN, {}, "success at a cost", 0),
        (PLAIN, {"target": 3}, "failure", -1),
        (PLAIN, {"pocketed": 2}, "success", 2),
        (PLAIN, {"modifiers": {"far": 1, "dark": 1}}, "failure", -2),
        (PLAIN, {"modifiers": {"light": -9}}, "success", 1),
        (PLAIN, {"circumstances": ("ambushed", "partial cover")}, "failure", -2),
        (PLAIN, {"circumstances": ("unnoticed",)}, "success", 1),
        (NATURAL, {"choices": {"natural": "merit"}}, "natural success", 3),
        (NATURAL, {"choices": {"natural": "merit"}, "target": 4}, "natural success", 1),
        (NATURAL, {"choices": {"natural": "bonus"}}, "natural success", 7),  # 5 + 3 + 1
        (NATURAL, {"choices": {"natural": "bonus"}, "target": 9}, "success at a cost", 0),
        (NATURAL, {"choices": {"natural": "merit"}, "target": 6}, "failure", -1),
    ],
)
def test_an_unopposed_roll_is_judged_from_the_top(
    faces: str, declared: dict[str, Any], degree: str, margin: int
) -> None:
    result = outcome(faces, **declared)
    assert (result.degree, result.margin) == (degree, margin)


@pytest.mark.parametrize(
    ("faces", "reply", "choice", "degree", "margin"),
    [
        (PLAIN, "חבבבבבבב", None, "success", 1),
        (PLAIN, "חנבבבבבב", None, "success at a cost", 0),
        (PLAIN, "חנחבבבבב", None, "failure", -1),
        (PLAIN, "בבבב****", None, "success", 2),  # no critical without a natural root
        (NONE, "בבבבבבבב", None, "botch", 0),
        (NATURAL, None, "prevent", "natural success", 7),  # 5 + 1 + 1
        (NATURAL, "בבבב****", "allow", "critical success", 7),
        (NATURAL, None, "allow", "natural success", 7),  # the reaction is still to come
        (NATURAL, "בבבבבבבב", None, "natural success", 7),  # critical only if allowed
        (NATURAL, "חבבבבבבב", "allow", "natural success", 6),
        (NATURAL, "חחחחחחחב", "allow", "success at a cost", 0),
        (NATURAL, "חחחחחחחח", "allow", "failure", -1),
    ],
)
def test_an_opposed_roll_is_judged_from_the_top(
    faces: str, reply: str | None, choice: str | None, degree: str, margin: int
) -> None:
    choices = {"natural": choice} if choice else {}
    reaction = Reaction(root="חננ", rating=0)
    result = outcome(faces, reply=reply, reaction=reaction, choices=choices)
    assert (result.degree, result.margin) == (degree, margin)


def test_a_declined_reaction_leaves_the_target() -> None:
    result = outcome(PLAIN, declined=True, target=3)
    assert (result.degree, result.margin) == ("failure", -1)
    assert "opponent" not in result.figures


@pytest.mark.parametrize(
    ("initiator", "bonus"),
    [
        ({}, 1),
        ({"first": NATURAL, "rerolls": 1}, 0),  # rerolled after it
        ({"first": "בחב*גרדר"}, 0),  # a flip made it natural
    ],
)
def test_only_the_first_throw_itself_earns_its_bonus(initiator: Any, bonus: int) -> None:
    figures = outcome(NATURAL, choices={"natural": "bonus"}, initiator=initiator).figures
    assert figures["first_roll_bonus"] == bonus
    assert figures["successes"] == 5 + 3 + bonus


def test_a_natural_first_throw_that_was_broken_earns_nothing() -> None:
    assert outcome(PLAIN, initiator={"first": NATURAL}).figures["successes"] == 2


@pytest.mark.parametrize(("target", "margin"), [(4, 5), (5, 0), (6, -1)])
def test_the_bonus_may_be_read_to_need_a_beaten_target(target: int, margin: int) -> None:
    options = {"natural_bonus_before_compare": False}
    result = outcome(NATURAL, target=target, choices={"natural": "bonus"}, options=options)
    assert result.margin == margin


def test_a_merit_point_is_gained_even_by_a_failure() -> None:
    result = outcome(NATURAL, target=9, choices={"natural": "merit"})
    assert result.degree == "failure"
    assert result.effects == (Effect("etgar", "merit", 1),)
    assert result.figures["first_roll_bonus"] == 0


@pytest.mark.parametrize(
    ("reward", "tracks"),
    [("both", ["xr", "pocket"]), ("xr", ["xr"]), ("pocket", ["pocket"]), ("none", [])],
)
def test_a_botch_gives_the_opponent_what_he_chose(reward: str, tracks: list[str]) -> None:
    result = outcome(NONE, reply="חנבבבבבב", choices={"reward": reward})
    assert result.effects == tuple(Effect("toad", track, 2) for track in tracks)


def test_a_higher_total_rerolls_more_and_the_lower_loses_nothing() -> None:
    figures = outcome(PLAIN, rating=5, reply=NONE, reaction=Reaction(root="חננ", rating=3)).figures
    assert (figures["total"], figures["x_advantage"], figures["x"]) == (5, 2, 7)
    assert (figures["opponent_total"], figures["opponent_x"]) == (3, 3)


@pytest.mark.parametrize(
    ("rating", "xr", "advantage", "already"),
    [(5, 0, 1, None), (5, 2, 1, 2), (4, 2, 0, 2), (3, 2, 0, 2), (2, 2, 0, None), (1, 2, 0, None)],
)
def test_dice_that_were_gained_count_once_in_an_advantage(
    rating: int, xr: int, advantage: int, already: int | None
) -> None:
    reaction = Reaction(root="חננ", rating=4)
    result = outcome(PLAIN, rating=rating, xr=xr, reply=NONE, reaction=reaction)
    figures = result.figures
    assert figures["total"] == rating + xr
    ahead = [f"{'opponent_' * (rating + xr < 4)}x_advantage"] * (rating + xr != 4)
    shown = [sum_.total for sum_ in RULESET.sums(result) if sum_.total.endswith("x_advantage")]
    assert shown == ahead
    assert (figures["x_advantage"], figures["x"]) == (advantage, rating + xr + advantage)
    assert figures.get("counted_already") == already


@pytest.mark.parametrize(("way", "opponent_x"), [("total", 4), ("both", 4), ("x", 3), ("each", 3)])
def test_what_makes_an_attack_harder_takes_dice_and_leaves_the_reactor_his(
    way: str, opponent_x: int
) -> None:
    reaction = Reaction(root="חננ", rating=3)
    declared = {"rating": 3, "circumstances": ("ambushed",), "options": {"adds_once": way}}
    figures = outcome(PLAIN, reply=NONE, reaction=reaction, **declared).figures
    assert (figures["x"], figures["opponent_x"]) == (2, opponent_x)


@pytest.mark.parametrize(
    ("way", "x"), [("total", (4, 4, 4)), ("x", (4, 4, 4)), ("both", (5, 5, 5)), ("each", (5, 4, 4))]
)
def test_one_die_more_counts_the_same_whatever_adds_it(way: str, x: tuple[int, ...]) -> None:
    adds: list[dict[str, Any]] = [
        {"modifiers": {"lit": -1}},
        {"circumstances": ("unnoticed",)},
        {"status": {"inspired": Status(R=1)}},
    ]
    usual = {"reaction": Reaction(root="חננ", rating=3), "rating": 3, "options": {"adds_once": way}}
    found = [outcome(PLAIN, reply=NONE, **usual, **more).figures["x"] for more in adds]
    assert tuple(found) == x


@pytest.mark.parametrize(
    ("rating", "reply_rating", "successes", "target"), [(3, 1, 4, 1), (1, 3, 2, 3), (2, 2, 2, 1)]
)
def test_an_advantage_may_be_read_as_successes(
    rating: int, reply_rating: int, successes: int, target: int
) -> None:
    reaction = Reaction(root="חננ", rating=reply_rating)
    options = {"advantage_adds_to": "successes"}
    figures = outcome(PLAIN, reply="חב", reaction=reaction, rating=rating, options=options).figures
    assert (figures["successes"], figures["target"]) == (successes, target)
    assert figures["x"] == rating


@pytest.mark.parametrize(
    ("botch", "degree", "margin"), [(True, "critical success", 7), (False, "natural success", 5)]
)
def test_an_advantage_in_successes_saves_a_reactor_who_has_not_botched(
    botch: bool, degree: str, margin: int
) -> None:
    result = outcome(
        NATURAL,
        reply="בב",
        reaction=Reaction(root="חננ", rating=2),
        choices={"natural": "allow"},
        options={"advantage_adds_to": "successes", "reactor_botch": botch},
    )
    assert (result.degree, result.margin) == (degree, margin)


@pytest.mark.parametrize(("bonus", "target"), [(1, 4), ("len", 6)])
def test_a_reactors_natural_root_may_be_read_to_count(bonus: Any, target: int) -> None:
    options = {"reactor_natural": True, "natural_bonus_opposed": bonus}
    figures = outcome(PLAIN, reply="חננב", options=options).figures
    assert figures["target"] == target


def test_statuses_and_what_a_botch_gave_count_in_the_total() -> None:
    declared = {"rating": 1, "xr": 2, "status": {"blessed": Status(R=3), "tired": Status(R=-1)}}
    assert outcome(PLAIN, **declared).figures["x"] == 5
    weak = {"status": {"tired": Status(R=-9)}}
    assert outcome(PLAIN, **weak).figures["x"] == 0


def test_an_unthrown_roll_comes_to_nothing() -> None:
    with pytest.raises(Refused, match="not thrown"):
        outcome()
