"""One line takes what people type: rolls of every system are played by it alone."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.engine.helpers.said import RATINGS, SAID
from tests.engine.server.web.browser.page import Person
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c
from urim.engine.core.offers import offers

pytestmark = pytest.mark.slow

ROLLS: Mapping[str, tuple[str, ...]] = {
    "plain": ("4d6 drop lowest # Strength of an ox",),
    "sagatafl": ("lockp 7",),
    "milhamah": ("BLE average", "stand", "resolve"),
    "majesty": ("sight check Bo", "resolve"),
    "scarterra": ("Dexterity Crossbow", "resolve"),
    "age_of_magic": ("Stealth DX", "resolve"),
}
"""By system: what Ruth types, line by line, as far as the roll does not end by itself."""

ANSWERS = {"majesty": "react attribute=Wits", "milhamah": "decline"}


def line(person: Person) -> Locator:
    """The line of somebody, which `/` brings."""
    if not person.page.locator(".line input").count():
        person.page.keyboard.press("/")
    found = person.page.locator(".line input")
    expect(found).to_be_focused()
    return found


def types(person: Person, text: str) -> None:
    """Type a line, and send it."""
    found = line(person)
    found.press_sequentially(text)
    found.press("Enter")


def does(person: Person, text: str) -> None:
    """Type a line, and wait until what it says is done: it is empty then."""
    types(person, text)
    expect(line(person)).to_have_value("")


def refused(person: Person, text: str) -> str:
    """A line that is refused stays as it is; gives the refusal, which goes as one types on."""
    types(person, text)
    found = person.page.locator(".line .refused[role=alert]")
    expect(found).to_be_visible()
    expect(line(person)).to_have_value(text)
    said = found.inner_text()
    line(person).fill("")
    expect(found).to_have_count(0)
    return said


def slowly(person: Person) -> None:
    """From now on the server's answers take their time."""
    session = person.context.new_cdp_session(person.page)
    slow = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", slow)


@pytest.mark.sampled(0, rest=1)
@pytest.mark.parametrize("system", ROLLS)
def test_a_roll_is_played_by_the_line_alone(evening: Evening, system: str) -> None:
    case = CASES.get(system)
    evening.opens(system, level="player")
    evening.enters("p1", "Asta", case.ratings if case else {})
    evening.enters("p2", "Bo", case.others if case else {})
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    first, *more = ROLLS[system]
    does(ruth, first)
    expect(ruth.at(1)).to_be_visible()
    if evening.state.rolls[1].state == "declared" and system in ANSWERS:
        etgar = evening.guest("Etgar", "p2")
        etgar.rests(evening.state.size)
        does(etgar, ANSWERS[system])
    for text in ("roll", *more):
        ruth.rests(evening.state.size)
        if evening.state.rolls[1].roll.outcome is not None:
            break
        given = [each for each in offers(evening.state, evening.state.rolls[1]) if each.choice]
        if given:  # where all letters fell
            does(ruth, f"choose {given[0].options[0]}")
        elif text != "roll" or not evening.state.rolls[1].roll.hands:
            does(ruth, text)
    expect(ruth.at(1).locator(".state")).to_have_text(re.compile("resolved|damage applied"))
    expect(line(ruth)).to_have_value("")


@pytest.mark.sampled(1, rest=1)
@pytest.mark.parametrize("system", SAID)
def test_marks_say_what_a_word_is_as_in_a_shell(evening: Evening, system: str) -> None:
    evening.opens(system, level="server")
    evening.enters("p1", "Asta", RATINGS)
    evening.enters("p2", "Old Bo", {"BLE": 2})
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    lines = {
        f"{text} gm" if at else text: SAID[system][text] for at, text in enumerate(SAID[system])
    }
    for number, (text, declares) in enumerate(lines.items(), 1):
        does(ruth, text)
        ruth.rests(evening.state.size)
        of = evening.state.rolls[number]
        asked = ruth.do(f"return app.live.value.lines[{of.trail[0].seq}].payload")
        command = json.loads(json.loads(asked)["asked"]["body"])
        assert command["declaration"] == declares, text
        assert command.get("visibility", "public") == ("gm" if text.endswith(" gm") else "public")
    line(ruth).press_sequentially(f"{next(iter(lines))} blind")
    expect(ruth.page.locator(".line")).to_contain_text(ruth.say("visibility.blind"))
    line(ruth).fill("")
    ruth.allows += ["409", "422", "400"]
    for text in ("BLE vs", "BLE vs 3 vs 4", "BLE+dance+sing+more"):
        assert refused(ruth, text)


def test_a_refusal_says_in_the_language_of_the_page_what_kind_it_is(evening: Evening) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    ruth.allows += ["422"]
    ruth.do("await app.speak('he')")
    said = refused(ruth, "9999999d6")
    assert re.match("[א-ת ]+[.]\n", said), said


def test_what_is_typed_before_the_line_has_come_is_in_it(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    slowly(ruth)
    ruth.page.keyboard.press("/")
    ruth.page.keyboard.type("stress test")  # among them are keys of the page
    typed = ruth.page.locator(".line input")
    expect(typed).to_have_value("stress test")
    expect(typed).to_be_focused()
    expect(ruth.page.get_by_role("dialog")).to_have_count(0)


def test_of_the_past_there_is_no_line_and_keys_are_the_page_s(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ruth = evening.guest("Ruth", "p1")
    ruth.do("app.until.value = 1")
    expect(ruth.page.locator(".past")).to_be_visible()
    ruth.page.keyboard.press("/")
    ruth.page.keyboard.press("s")
    expect(ruth.page.get_by_role("dialog")).to_be_visible()


def test_what_a_line_says_is_done_and_nothing_else(evening: Evening) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    ruth.allows += ["409", "422", "400"]
    ruth.page.locator(".new .rollables button").first.wait_for()
    does(ruth, "4d6kh3+1 # the “cellar” <door>")
    expect(ruth.at(1).locator(".label")).to_have_text("the “cellar” <door>")
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    does(ruth, "6d10>=7")
    expect(ruth.at(2).locator(".state")).to_have_text(ruth.say("state.resolved"))
    size = evening.state.size
    for wrong in ("ox 4d6", "resolve", "4d6 drop lowst", "4d6 for the ox", "d 12", "# the ox"):
        assert refused(ruth, wrong)
    for wrong in ("4d6 --visibility gm", "4d6 --roll 2", "dispute --roll=9 why", "dis 7"):
        assert refused(ruth, wrong)
    assert "dispute --roll 2" in refused(ruth, "dispute --roll 9 why")
    assert "dispute --roll 1" in refused(ruth, "dispute why")
    assert evening.state.size == size
    does(ruth, 'dispute --roll=2 rule #4 of the "book"')
    ruth.rests(size + 1)
    assert ruth.do("return app.sight.value.texts.at(-1).text") == 'rule #4 of the "book"'
    assert evening.state.rolls[2].trail[-1].event.by == "p1"
    # Who has no character has a line too: a narrator rules.
    dana = evening.guest("Dana", "narrator")
    assert "stands" in refused(dana, "rule perhaps")
    assert refused(dana, "rule stands")
    does(dana, "rule stands it lay flat")
    dana.rests(evening.state.size)
    assert dana.do("return app.sight.value.rolls[1].disputes[0].ruling") == "stands"
    # Where the line is hidden, `/` brings it from anywhere, but not from a field.
    ruth.page.locator(".types").click()
    expect(ruth.page.locator(".line")).to_have_count(0)
    ruth.page.locator(".new h3 button").click()
    field = ruth.page.locator(".new form.filling input[type=text]").first
    field.press_sequentially("1d6/2")
    expect(ruth.page.locator(".line")).to_have_count(0)


def test_a_line_is_of_the_character_and_the_roll_that_it_was_typed_for(evening: Evening) -> None:
    evening.opens("sagatafl", level="server")
    ratings = {"Lockpicking": 5, "Disguise": 4}
    evening.enters("p1", "Asta", ratings)
    evening.does("p1", c.worded(c.EnterCharacter("c3", "p1", ratings), "Cora"))
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    ruth.page.locator(".new .who button", has_text="Cora").click()
    line(ruth).press_sequentially("lockpicking 7")
    expect(ruth.page.locator(".line label")).to_contain_text("Cora")
    evening.does("narrator", c.GiveCharacter("c3", "p2"))
    expect(ruth.page.locator(".line label")).to_contain_text("Asta")
    expect(line(ruth)).to_have_value("")
    line(ruth).press("Enter")
    # A step is of the rolls that were there when it was typed.
    does(ruth, "dis 7")  # the beginning of a skill, and of no step
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    ruth.rests(evening.state.size)
    assert evening.state.rolls[1].roll.declaration.trait == "Disguise"
    line(ruth).press_sequentially("dispute it slid")
    evening.plays("p1", c.Declare("c1", {"trait": "Lockpicking", "rd": 7}))
    evening.does("narrator", c.worded(c.Void(1), "twice"))
    ruth.rests(evening.state.size)
    size = evening.state.size
    line(ruth).press("Enter")
    expect(ruth.page.locator(".line .refused[role=alert]")).to_be_visible()
    assert evening.state.size == size


def test_a_line_that_is_sent_early_waits_for_the_rolls_of_its_character(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ratings = {"Lockpicking": 5, "Disguise": 4}
    evening.enters("p1", "Asta", ratings)
    evening.does("p1", c.worded(c.EnterCharacter("c3", "p1", ratings), "Cora"))
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    line(ruth)
    slowly(ruth)
    ruth.page.locator(".new .who button", has_text="Cora").click()
    ruth.page.keyboard.press("/")
    does(ruth, "dis 7")
    ruth.rests(evening.state.size)
    assert evening.state.rolls[1].roll.declaration.trait == "Disguise"


def test_of_two_answers_the_chosen_character_s_is_meant(evening: Evening) -> None:
    evening.opens("scarterra", level="player")
    evening.enters("p2", "Bo", {"Dexterity": 3})
    evening.enters("p1", "Asta", {"Dexterity": 2})
    evening.does("p1", c.worded(c.EnterCharacter("c3", "p1", {"Dexterity": 2}), "Cora"))
    ruth = evening.guest("Ruth", "p1")
    wish = {"attribute": "Dexterity", "difficulty": 6, "helpers": ["c1", "c3"]}
    evening.does("p2", c.Declare("c2", wish))
    ruth.rests(evening.state.size)
    ruth.page.locator(".new .who button", has_text="Cora").click()
    does(ruth, "decline")
    ruth.rests(evening.state.size)
    assert [who for who, _ in evening.state.rolls[1].roll.reactions] == ["c3"]


def test_dice_on_the_table_are_typed_and_named_in_the_line(evening: Evening) -> None:
    evening.opens("milhamah", source="manual", level="server")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    does(ruth, "BLE average")
    expect(ruth.at(1)).to_be_visible()
    ruth.rests(evening.state.size)
    (offer,) = (each for each in offers(evening.state, evening.state.rolls[1]))
    faces = [evening.state.game.faces[kind][0] for kind in offer.dice]
    assert offer.dice[0] in refused(ruth, f"roll {faces[0]}")
    assert refused(ruth, "freeze d1")  # there are no dice yet
    does(ruth, f"roll {' '.join(map(str, faces))}")
    expect(ruth.at(1).locator(".hand svg.die")).to_have_count(len(faces))
    ruth.rests(evening.state.size)
    assert "d1" in refused(ruth, "freeze d9")
    does(ruth, "freeze 1")
    ruth.rests(evening.state.size)
    assert [die.id for die in evening.state.rolls[1].roll.hands[0].dice if die.frozen] == ["d1"]
    does(ruth, f"reroll d2 d3 {faces[1]} {faces[2]}")
    ruth.rests(evening.state.size)
    assert evening.state.rolls[1].throws == 2
    assert [len(die.thrown) for die in evening.state.rolls[1].roll.hands[0].dice[:2]] == [1, 2]


def test_the_line_names_what_it_may_go_on_with(evening: Evening) -> None:
    case = CASES["majesty"]
    evening.opens("majesty", level="player")
    evening.enters("p1", "Asta", case.ratings)
    evening.enters("p2", "Bo the Bold", case.others)
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    found = line(ruth)
    found.press_sequentially('"Sight Check" vs B')
    said = ruth.page.locator('.line datalist option[value=\'"Sight Check" vs "Bo the Bold"\']')
    expect(said).to_have_count(1)
    found.fill("")
    named = '"Sight Check" '
    expect(ruth.page.locator(f".line datalist option[value='{named}']")).to_have_count(1)
    found.press_sequentially(named)
    expect(
        ruth.page.locator(".line datalist option[value$='opponent=\"Bo the Bold\"']")
    ).to_have_count(1)
    found.press_sequentially('opponent="Bo the Bold"')
    expect(ruth.page.locator(".line .ahead")).to_be_visible()
    found.press("Enter")
    expect(ruth.at(1)).to_be_visible()
    declared: Any = evening.state.rolls[1].roll.declaration
    assert declared.opponent == "c2"
