"""What is best in a roll, on the page: where a narrator allows it, and somebody wants it."""

import pytest
from playwright.sync_api import expect

from tests.engine.helpers.stages.server import NARRATOR
from tests.engine.server.web.browser.page import Person
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

FACES = ("א", "ז", "ת", "ע", "ל", "צ", "מ", "ק")
"""Two letters of the root, and two that a cipher turns to one."""


def advice(person: Person, number: int = 1) -> None:
    """Open what is best in a roll."""
    person.at(number).locator("summary", has_text=person.say("advice.title")).click()


def test_each_way_to_decide_has_its_worth_where_a_narrator_allows_it(evening: Evening) -> None:
    evening.opens("milhamah", source="scripted", level="player")
    evening.enters("p1", "Asta", {"BLE": 3})
    ruth, noa = evening.guest("Ruth", "p1"), evening.guest("Noa", NARRATOR)
    evening.does("p1", c.Declare("c1", {"root": "אשר", "rating": 1}))
    evening.does("p1", c.RollDice(1, "initiator", faces=FACES))
    expect(ruth.at(1).locator(".hand")).to_be_visible()
    title = ruth.say("advice.title")
    expect(ruth.at(1).locator("summary", has_text=title)).to_have_count(0)
    advice(noa)
    expect(noa.at(1)).to_contain_text(noa.say("advice.none"))
    noa.button("advice.allow", noa.at(1)).click()
    advice(ruth)
    ways = ruth.at(1).locator(".ways li")
    expect(ways).to_have_count(3)
    expect(ways.first).to_contain_text(ruth.say("advice.again"))
    expect(ways.first).to_contain_text("%")
    ruth.at(1).get_by_label(ruth.say("advice.aim")).select_option("margin")
    expect(ways.first).not_to_contain_text("%")
    # In the next roll it is there without being asked for.
    evening.does("p1", c.Declare("c1", {"root": "אשר", "rating": 1}))
    expect(ruth.at(2)).to_contain_text(ruth.say("advice.soon"))
    evening.does("p1", c.RollDice(2, "initiator", faces=FACES))
    expect(ruth.at(2).locator(".ways li")).to_have_count(3)
    noa.button("advice.back", noa.at(1)).click()
    expect(ruth.at(1).locator("summary", has_text=title)).to_have_count(0)


def test_a_roll_whose_dice_are_not_seen_has_none(evening: Evening) -> None:
    evening.opens("plain", level="server")
    evening.does(NARRATOR, c.SetTable("advice", value=True))
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    evening.does("p1", c.Declare("c1", {"expression": "2d6ro1"}, "blind"))
    expect(ruth.at(1)).to_be_visible()
    ruth.rests()
    expect(ruth.at(1).locator("summary", has_text=ruth.say("advice.title"))).to_have_count(0)


def test_what_is_too_much_to_count_is_an_estimate_and_says_so(evening: Evening) -> None:
    evening.opens("scarterra", source="scripted", level="player")
    evening.does(NARRATOR, c.SetTable("advice", value=True))
    evening.enters("p1", "Asta", {})
    evening.does("p1", c.Declare("c1", {"dots": 2, "difficulty": 6, "target": 3}))
    evening.does("p1", c.RollDice(1, "initiator", faces=(7, 2)))
    ruth = evening.guest("Ruth", "p1")
    advice(ruth)
    card = ruth.at(1)
    expect(card).to_contain_text(ruth.say("advice.played", n=4000, worth="@").partition("@")[0])
    expect(card).to_contain_text(ruth.say("advice.first", n=2))
    expect(card).to_contain_text("too much to count: the roll may go on for over 40 throws")


def test_how_many_dice_is_decided_before_they_fall(evening: Evening) -> None:
    evening.opens("age_of_magic", source="scripted", level="player")
    evening.does(NARRATOR, c.SetTable("advice", value=True))
    evening.enters("p1", "Asta", {"Sword": 3, "ST": 3})
    ruth = evening.guest("Ruth", "p1")
    declared = {"skill": "Sword", "characteristic": "ST", "difficulty": 6}
    evening.does("p1", c.Declare("c1", declared))
    advice(ruth)
    expect(ruth.at(1).locator(".ways li")).to_have_count(3)
