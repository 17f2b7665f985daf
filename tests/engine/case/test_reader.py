"""What a reader asks who knows neither game nor engine, and what the page must say to that."""

import re

import pytest

from tests.engine.case.test_page import SYSTEMS, facts, plain, said
from urim.engine.case.markdown import markdown
from urim.engine.case.page import page

OTHER_WORDS = re.compile(r"\b(taken back|takes back|unfinished)\b")
"""Synonyms of withdrawn, undone and left lying."""


# --- one word for one thing -----------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_way_to_come_to_nothing_has_one_word(system: str) -> None:
    case = facts(system)
    assert not OTHER_WORDS.search(page(case) + markdown(case))


def test_a_withdrawn_roll_and_one_left_lying_are_called_so() -> None:
    assert "1 withdrawn before any die" in facts("majesty").past.sentences[0]
    [lying] = facts("age_of_magic").past.earlier
    assert said(lying.text) == "Roll 1 of Cogan was left lying, neither ended nor voided."


# --- what went before -----------------------------------------------------------------------------


def test_rolls_that_went_before_show_the_dice_that_fell() -> None:
    first, second = facts("milhamah").past.earlier
    for each in (first, second):
        assert re.fullmatch(r"Its dice, Etgar: (\S ){7}\S\.", said(each.dice[0]))
        assert said(each.dice[0]) in plain(facts("milhamah"))
    assert first.dice != second.dice
    assert facts("majesty").past.earlier[0].dice == ()
    assert said(first.dice[0]) in said(markdown(facts("milhamah"))).replace("\\", "")


# --- who may rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_who_may_rule_is_named(system: str) -> None:
    case = facts(system)
    assert [said(each.name) for each in case.people if each.role == "narrator"] == ["Noa"]
    assert "Only a narrator of this table may rule on it: Noa." in plain(case)
    assert "Only a narrator of this table may rule on it: Noa." in said(markdown(case))


# --- dice and rolls -------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_gold_is_explained_where_the_first_dice_are(system: str) -> None:
    read = plain(facts(system))
    legend = "Gold does not mean success: it marks a die that some line of the sums below counts"
    assert 0 < read.index("Step by step") < read.index(legend) < read.index("How the result")


def test_of_several_rolls_each_line_names_its_own() -> None:
    for system in ("scarterra", "age_of_magic"):
        case = facts(system)
        assert len(case.parts) > 1
        assert all(f"roll {step.roll}" in step.part for step in case.steps)
        labels = [what for each in case.otherwise for what, *_ in each.changes]
        assert labels
        for what in labels:
            assert "now" in what or re.search(r" of roll \d+$", what)
    assert all(step.part == "" for step in facts("milhamah").steps)
