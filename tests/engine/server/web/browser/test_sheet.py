"""From a wish to the dice: taps from an opened link, from the sheet, and the same again."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.engine.server.web.browser.counting import COUNTING, taps
from tests.engine.server.web.browser.page import Person, ends
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

FROM_THE_SHEET: dict[str, tuple[str, list[str]]] = {
    "plain": ("1d20", []),
    "sagatafl": ("Lockpicking", ["routine"]),
    "milhamah": ("BLE", ["average", ""]),
    "majesty": ("Sight Check", ["Bo", ""]),
    "scarterra": ("Dexterity", ["Crossbow", ""]),
    "age_of_magic": ("Stealth", ["DX", ""]),
}
"""By system: the button on the sheet, then what is tapped; "" for the button that rolls."""

PASTE = """(input, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    const pasted = { clipboardData, bubbles: true, cancelable: true };
    input.dispatchEvent(new ClipboardEvent("paste", pasted));
}"""


DEVICES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 760}, "has_touch": True},
    "desk": {"viewport": {"width": 1280, "height": 800}},
}


@pytest.mark.prove
@pytest.mark.sampled(0, rest=1)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("system", FROM_THE_SHEET)
def test_from_a_wish_to_the_dice_are_three_taps_at_most(
    evening: Evening, system: str, device: str, tried: Callable[[str], None]
) -> None:
    """By who was never here from the opened link on; then from the sheet, and the same again."""
    case = CASES.get(system)
    evening.opens(system, level="player")
    evening.enters("p2", "Bo", case.others if case else {})
    ruth = evening.person("Ruth", **DEVICES[device])
    with ruth.page.expect_response("**/access/invitation"):
        ruth.opens(evening.link("p1"))
    ruth.page.evaluate(COUNTING)
    enters(ruth, case.ratings if case else {})
    first = taps(ruth)
    dice = [from_the_sheet(ruth, evening, system, 1)]
    result = [dice[0] + to_the_end(ruth, 1)]
    dice += [from_the_sheet(ruth, evening, system, 2)]
    result += [dice[1] + to_the_end(ruth, 2)]
    ruth.page.wait_for_timeout(700)
    ruth.button("again.title", ruth.at(2)).click()
    dice += [to_the_dice(ruth, evening, system, 3)]
    result += [dice[2] + to_the_end(ruth, 3)]
    fields = ruth.page.evaluate("fields.size")
    tried(
        f"{first} taps and {fields} fields from the link to the sheet; from there {dice[1]} to the"
        f" dice, {result[1]} to the result; again {dice[2]} and {result[2]}"
    )
    assert first == 2
    assert dice[0] == dice[1] <= 3 + (system in ANSWERED)
    assert dice[2] == 1 + (system in ANSWERED)


ANSWERED = ("majesty",)
"""Systems whose roll here another answers first: the dice fall at one more tap."""

DICELESS = ("age_of_magic",)
"""Systems that ask how many dice are risked, which may be none: a roll stops at that question."""


def enters(person: Person, ratings: Mapping[str, float]) -> None:
    """Sit down, and bring a character whose sheet is pasted."""
    page = person.page
    page.locator("input[name=name]").fill("Ruth")
    page.locator("form button.main").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[name=name]").fill("Asta")
    if ratings:
        pasted = ", ".join(f"{name} {value}" for name, value in ratings.items())
        dialog.locator("fieldset .pair input[list]").first.evaluate(PASTE, pasted)
    dialog.locator("button.main").click()
    dialog.wait_for(state="detached")


def from_the_sheet(person: Person, evening: Evening, system: str, roll: int) -> int:
    """Begin a roll of the sheet; the taps until its dice are there."""
    person.page.wait_for_timeout(700)  # sooner a second tap counts as the first one
    name, more = FROM_THE_SHEET[system]
    area = person.page.locator(".new")
    button = area.locator(".rollables").get_by_role("button", name=re.compile(f"^{name}\\b"))
    button.first.click()
    asked = area.locator("form.filling").first
    for each in more:
        wanted = re.compile(f"^{each}\\b")
        chip = asked.locator(".chip", has_text=wanted) if each else asked.locator("[type=submit]")
        chip.first.click()
    return to_the_dice(person, evening, system, roll)


def to_the_dice(person: Person, evening: Evening, system: str, roll: int) -> int:
    """Have another answer where that is due, and throw then; the taps so far."""
    expect(person.at(roll)).to_be_visible()
    person.rests(evening.state.size)
    if system in DICELESS:
        return taps(person)
    if system in ANSWERED:
        evening.does("p2", c.React(roll, "c2", CASES[system].answer or {}))
        person.at(roll).locator(".throwing button.main").click()
    expect(person.at(roll).locator("svg.die").first).to_be_visible()
    return taps(person)


def to_the_end(person: Person, roll: int) -> int:
    """Take the plainest way from there to the result; the taps for that."""
    ends(roll, person)
    person.rests()
    return taps(person)


def test_a_sheet_is_filled_by_one_paste(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ruth = evening.guest("Ruth", "p1")
    ruth.button("character.enter").first.click()
    dialog = ruth.page.get_by_role("dialog")
    dialog.locator("input[name=name]").fill("Asta")
    names = dialog.locator("fieldset .pair input[list]")
    expect(dialog.locator("datalist option[value=Body]")).to_have_count(1)  # a name of the book's
    names.first.evaluate(PASTE, "Lockpicking 5, Body: 4\nLead = 2")
    expect(names).to_have_count(3)
    names.first.evaluate(PASTE, "no sheet at all")
    expect(names).to_have_count(3)
    dialog.locator("button.main").click()
    dialog.wait_for(state="detached")
    ruth.rests(evening.state.size)
    (asta,) = evening.state.characters.values()
    assert asta.attributes == {"Lockpicking": 5, "Body": 4, "Lead": 2}


def test_a_question_of_the_sheet_says_what_it_waits_for_and_who_sees_the_roll(
    evening: Evening,
) -> None:
    case = CASES["majesty"]
    evening.opens("majesty", level="player")
    evening.enters("p1", "Asta", case.ratings)
    evening.enters("p2", "Bo", case.others)
    ruth = evening.guest("Ruth", "p1")
    area = ruth.page.locator(".new")
    area.locator(".rollables").get_by_role("button", name=re.compile("^Sight Check")).click()
    form = area.locator("form.filling").first
    expect(form.locator(".ahead.refused")).to_contain_text("name an opponent")
    rolls = form.locator("[type=submit]")
    expect(rolls).not_to_have_class(re.compile("main"))
    form.locator(".fields .chip", has_text="Bo").click()
    expect(rolls).to_have_class(re.compile("main"))
    form.locator(".openness summary").click()
    form.locator(".openness .chip", has_text=ruth.say("visibility.gm")).click()
    rolls.click()
    expect(ruth.at(1)).to_be_visible()
    assert evening.state.rolls[1].visibility == "gm"


def test_an_answer_that_is_filled_in_asks_for_no_look_ahead(evening: Evening) -> None:
    case = CASES["milhamah"]
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", case.ratings)
    evening.enters("p2", "Bo", case.others)
    evening.does("p1", c.Declare("c1", case.declared))
    etgar = evening.guest("Etgar", "p2")
    form = etgar.at(1).locator(".asks form.filling").last
    etgar.at(1).locator(".asks > details > summary").click()
    asked: list[str] = []
    etgar.page.on("request", lambda request: asked.append(request.url))
    form.locator("[id$='-root']").fill("חננ")
    etgar.page.wait_for_timeout(600)  # longer than the page waits for the next key
    expect(form.locator("[type=submit]")).to_have_class("main")
    assert not [url for url in asked if "/preview" in url]
