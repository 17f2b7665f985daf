"""Who is asked to answer a roll does it from the sheet, in two taps at most."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.engine.server.web.browser.counting import COUNTING, taps
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

ASKED: dict[str, tuple[dict[str, Any], dict[str, float], list[str], dict[str, Any]]] = {
    "milhamah": ({"root": "רוח", "rating": 2}, {"GRA": 2}, ["GRA"], {"attribute": "GRA"}),
    "majesty": (
        {"kind": "check", "attribute": "Sight"}, {"Wits": 9}, ["Wits Check"], {"attribute": "Wits"},
    ),
    "sagatafl": (
        {"trait": "Lockpicking"}, {"Body": 4}, ["Body", "routine"], {"trait": "Body", "rd": 4},
    ),
    "scarterra": (
        {"attribute": "Dexterity"},
        {"Wits": 2, "Dodge": 1},
        ["Wits", "Dodge"],
        {"attribute": "Wits", "ability": "Dodge"},
    ),
}  # fmt: skip
"""By system: what is declared, the sheet of the one asked, what is tapped, and the answer."""


@pytest.mark.sampled(1, rest=1)
@pytest.mark.parametrize("system", ASKED)
def test_a_sheet_answers_a_roll_in_two_taps_at_most(evening: Evening, system: str) -> None:
    declared, sheet, tapped, answer = ASKED[system]
    evening.opens(system, level="player")
    evening.enters("p1", "Asta", CASES[system].ratings)
    evening.enters("p2", "Bo", sheet)
    etgar = evening.guest("Etgar", "p2")
    evening.does("p1", c.Declare("c1", {**declared, "opponent": "c2"}))
    asked = etgar.at(1).locator(".asks")
    chip, *more = tapped
    button = asked.locator(".rollables").get_by_role("button", name=re.compile(f"^{chip}\\b"))
    button.wait_for()
    etgar.page.evaluate(COUNTING)
    button.click()
    for each in more:
        asked.locator("form.filling .chip", has_text=re.compile(f"^{each}\\b")).first.click()
    expect(asked).to_have_count(0)
    assert taps(etgar) == len(tapped)
    ((who, given),) = evening.state.rolls[1].roll.reactions
    assert who == "c2"
    assert {name: getattr(given, name) for name in answer} == answer


def test_an_answer_is_declined_by_one_tap_and_typed_by_the_names_of_the_sheet(
    evening: Evening,
) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    evening.enters("p2", "Bo", {"GRA": 2})
    etgar = evening.guest("Etgar", "p2")
    opposed = {"root": "רוח", "rating": 2, "opponent": "c2"}
    evening.does("p1", c.Declare("c1", opposed))
    asked = etgar.at(1).locator(".asks")
    expect(asked).to_be_visible()
    etgar.rests()  # a card that is drawn anew under the finger takes no press
    etgar.page.evaluate(COUNTING)
    etgar.button("form.decline", asked).click()
    expect(asked).to_have_count(0)
    assert taps(etgar) == 1
    evening.does("p1", c.Declare("c1", opposed))
    expect(etgar.at(2).locator(".asks .rollables button")).to_have_count(1)
    etgar.page.keyboard.press("/")
    line = etgar.page.locator(".line input")
    line.fill("react gra")
    line.press("Enter")
    expect(line).to_have_value("")
    ((_, given),) = evening.state.rolls[2].roll.reactions
    assert (given.attribute, given.root) == ("GRA", "חננ")
