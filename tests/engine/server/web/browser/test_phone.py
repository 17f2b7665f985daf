"""The page on a phone: what somebody asked for is on the screen, and nothing lies over it."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.engine.server.web.browser.page import Person, ends
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 740}

FREE = """each => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    const hit = (y) => document.elementFromPoint((left + right) / 2, y);
    return [top + 1, (top + bottom) / 2, bottom - 1].every((y) => {
        const found = hit(y);
        return found && (each.contains(found) || found.contains(each) && found.matches("main *"));
    });
}"""
"""Whether an element is on the screen from its top to its bottom, with nothing over it."""


def free(found: Locator) -> None:
    """Wait until this is on the screen, with nothing over it."""
    found.wait_for()
    for _ in range(40):
        if found.evaluate(FREE):
            return
        found.page.wait_for_timeout(50)
    raise AssertionError(f"not on the screen: {found} {found.bounding_box()}")


def chip(person: Person, name: str) -> Locator:
    """A button of the sheet."""
    return person.page.locator(".new .rollables button", has_text=re.compile(f"^{name}\\b"))


def test_dice_and_result_are_on_the_screen_after_a_tap(evening: Evening) -> None:
    evening.opens("sagatafl", level="server")
    skills = {f"Skill of the {letter}": 5 for letter in "abcdefghijkl"}
    evening.enters("p1", "Asta", {**CASES["sagatafl"].ratings, **skills})
    for rd in range(4, 9):
        evening.plays("p1", c.Declare("c1", {"trait": "Lockpicking", "rd": rd}))
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    again = ruth.page.locator(".again:not(.rollables) button:not(.plain)")
    expect(again).to_have_count(5)
    again.last.click()
    expect(ruth.at(6).locator(".state")).to_have_text(ruth.say("state.resolved"))
    free(ruth.at(6).locator(".verdict"))
    free(ruth.at(6).locator(".hand .dice"))
    more = ruth.button("again.title", ruth.at(6))
    free(more)
    more.click()
    expect(ruth.at(7).locator(".state")).to_have_text(ruth.say("state.resolved"))


def test_a_roll_that_began_among_the_people_is_shown(evening: Evening) -> None:
    evening.opens("sagatafl", level="server")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    ruth.page.locator(".tabs button").nth(1).click()
    sheet = ruth.page.locator(".part-people")
    sheet.locator(".rollables button").click()
    sheet.locator("form.filling .fields .chip").first.click()
    free(ruth.at(1).locator(".verdict"))
    expect(ruth.at(1).locator("h3")).to_be_focused()


def test_a_roll_stays_where_it_is_when_its_last_dice_are_frozen(evening: Evening) -> None:
    evening.opens("milhamah", level="server")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    _, roll = (ruth.declares({"root": "רוח", "rating": 2}) for _ in range(2))
    card = ruth.at(roll)
    ends(roll, ruth)  # where all letters fell, what that brings is chosen behind it
    free(card.locator(".verdict"))
    free(card.locator(".hand .dice"))
    before = [each.get_attribute("id") for each in ruth.page.locator("article.roll").all()]
    assert before == ["roll/2", "roll/1"]


def test_nothing_lies_over_the_button_of_a_form(evening: Evening) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    sends = ruth.page.locator(".new form.filling [type=submit]")
    chip(ruth, "BLE").click()
    free(sends)
    chip(ruth, "BLE").click()
    ruth.page.locator(".new .types").click()  # and with the line above it
    expect(ruth.page.locator(".line input")).to_be_focused()
    chip(ruth, "BLE").click()
    free(sends)
    chip(ruth, "BLE").click()
    ruth.page.locator(".new h3 button").click()
    free(sends)


def test_a_frozen_die_has_a_sign_that_is_no_face(evening: Evening) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    roll = ruth.declares({"root": "רוח", "rating": 2})
    die = ruth.at(roll).locator(".handled button.take").first
    die.click()
    ruth.at(roll).get_by_role("button", name=ruth.say("hand.freeze", n=1), exact=True).click()
    sign = die.locator(".sign.frozen")
    expect(sign).to_have_count(1)
    assert ruth.say("die.frozen") in (die.get_attribute("aria-label") or "")
    for theme in ("light", "dark", "contrast"):
        ruth.do("app.choose('theme', argument)", theme)
        colours = "each => getComputedStyle(each).fill"
        ground = sign.locator("rect").evaluate(colours)
        assert ground != die.locator("text").evaluate(colours), theme


def test_dice_that_were_thrown_again_lie_in_line_with_the_others(evening: Evening) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    roll = ruth.declares({"root": "רוח", "rating": 2})
    dice = ruth.at(roll).locator(".handled button.take")
    dice.nth(1).click()
    ruth.at(roll).get_by_role("button", name=ruth.say("hand.reroll", n=1), exact=True).click()
    expect(ruth.at(roll).locator(".hand svg.again")).to_have_count(1)
    bottoms = (
        ruth.at(roll)
        .locator(".hand .dice svg.die")
        .evaluate_all("all => all.slice(0, 3).map((each) => each.getBoundingClientRect().bottom)")
    )
    assert len(set(bottoms)) == 1


def test_the_focus_goes_on_to_what_was_made(evening: Evening) -> None:
    ruth = evening.person("Ruth", viewport=PHONE)
    ruth.allows.append("409")
    ruth.opens(f"{evening.url}/#h={evening.host()}")
    ruth.page.locator("form button.main").press("Enter")
    evening.opens("plain")
    form = ruth.page.locator("form.new-table")
    form.locator("input[name=person]").fill("Ruth")
    table = form.locator("input[name=table]")
    fresh = table.input_value()
    table.fill(evening.table)
    form.locator("button.main").press("Enter")
    expect(form.get_by_role("alert")).to_be_visible()
    expect(form.locator("button.main")).to_be_focused()
    table.fill(fresh)
    form.locator("button.main").press("Enter")
    ruth.live()
    expect(ruth.page.locator("main")).to_be_focused()
    first = ruth.page.locator("section.new")
    first.locator("button.main").press("Enter")
    expect(first.locator(".invitation")).to_be_focused()
    ruth.page.locator(".tabs button").nth(1).click()
    ruth.button("people.invite").click()
    window = ruth.page.get_by_role("dialog")
    for count in (1, 2):
        window.locator("button.main").press("Enter")
        expect(window.locator(".invitation")).to_have_count(count)
        expect(window.locator(".invitation").first).to_be_focused()


def test_a_roll_that_is_typed_is_shown_and_the_line_keeps_the_focus(evening: Evening) -> None:
    evening.opens("age_of_magic", level="server")
    evening.enters("p1", "Asta", {"Fire": 5, "Mind": 3})
    ruth = evening.guest("Ruth", "p1", viewport=PHONE)
    ruth.page.locator(".new .types").click()
    line = ruth.page.locator(".line input")
    line.fill("fire mind difficulty=5")
    line.press("Enter")
    expect(ruth.at(1).locator(".throwing")).to_be_visible()
    line.fill("throw 2")
    line.press("Enter")
    free(ruth.at(1).locator(".hand .dice"))
    expect(line).to_be_focused()


def test_who_owes_an_answer_has_it_above_a_new_roll(evening: Evening) -> None:
    evening.opens("majesty", level="server")
    evening.enters("p1", "Asta", CASES["majesty"].ratings)
    evening.enters("p2", "Bo", CASES["majesty"].others)
    etgar = evening.guest("Etgar", "p2", viewport=PHONE)
    evening.does("p1", c.Declare("c1", {"kind": "check", "attribute": "Sight", "opponent": "c2"}))
    answer, begins = etgar.at(1).locator(".asks").first, etgar.page.locator(".new").first
    expect(answer).to_be_visible()
    behind = "(first, second) => first.compareDocumentPosition(second) & 4"
    assert answer.evaluate(behind, begins.element_handle())


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1024, "height": 768}], ids=["phone", "desk"])
def test_who_looks_elsewhere_sees_that_the_table_waits(
    evening: Evening, viewport: dict[str, int]
) -> None:
    evening.opens("sagatafl", level="server")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    evening.enters("p2", "Bo", CASES["sagatafl"].ratings)
    for _ in range(3):
        evening.plays("p1", c.Declare("c1", {"trait": "Lockpicking", "rd": 7}))
    etgar = evening.guest("Etgar", "p2", viewport=viewport)
    tabs = etgar.page.locator(".tabs button")
    if viewport == PHONE:
        tabs.nth(1).click()
        expect(tabs.first.locator("strong")).to_have_count(0)
    else:
        etgar.page.mouse.wheel(0, 3000)
    evening.does("p1", c.Declare("c1", {"trait": "Lockpicking", "rd": 7, "opponent": "c2"}))
    if viewport == PHONE:
        expect(tabs.first.locator("strong")).to_have_text("1")
    else:
        free(etgar.page.locator(".awaits"))


def test_a_track_in_a_narrow_column_is_not_broken_into_letters(evening: Evening) -> None:
    evening.opens("scarterra", level="player")
    evening.enters("p1", "Asta", CASES["scarterra"].ratings)
    ruth = evening.guest("Ruth", "p1", viewport={"width": 1024, "height": 768})
    figures = ruth.page.locator(".part-people .tracks dd > *")
    expect(figures.first).to_be_visible()
    for part in figures.all():
        box = part.bounding_box()
        assert box is not None
        assert box["height"] < 2 * box["width"]
