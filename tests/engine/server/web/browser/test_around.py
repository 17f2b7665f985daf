"""The page around the roll: a phone in Hebrew, the past, keys, and what a note or a cut leaves."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.engine.helpers.stages.server import NARRATOR
from tests.engine.server.web.browser.page import Person
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

NARROW = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def came(shared: Evening) -> Person:
    """The narrator of a table with a character."""
    shared.opens("milhamah")
    shared.enters("p1", "אתגר", {"BLE": 3})
    return shared.guest("Mira", NARRATOR)


@pytest.fixture
def mira(came: Person) -> Iterator[Person]:
    """The narrator, whose page complained of nothing afterwards."""
    yield came
    came.calm()


def test_a_page_in_hebrew_is_from_right_to_left_and_fits_a_phone(evening: Evening) -> None:
    evening.opens("milhamah")
    ruth = evening.person("רות", viewport=NARROW, color_scheme="dark")
    ruth.comes(evening.link("p1"))
    ruth.do("app.speak('he')")
    root = ruth.page.locator("html")
    expect(root).to_have_attribute("dir", "rtl")
    expect(root).to_have_attribute("lang", "he")
    for part in ruth.page.locator(".tabs button").all():
        part.click()
        assert ruth.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_an_event_takes_neither_focus_nor_what_is_half_typed(mira: Person, shared: Evening) -> None:
    page = mira.page
    page.locator(".character button.plain").first.click()
    field = page.get_by_role("dialog").get_by_label("Name", exact=True)
    field.fill("half a na")
    shared.does("p1", c.worded(c.Note(0), "<img src=x onerror=alert(1)>"))
    mira.rests(shared.state.size)
    expect(field).to_be_focused()
    expect(field).to_have_value("half a na")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".timeline blockquote").first).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator("div.quiet[aria-live]")).to_contain_text("writes a note")


def test_the_slider_takes_the_page_back_and_says_so(mira: Person) -> None:
    page = mira.page
    expect(page.get_by_role("heading", name="אתגר")).to_be_visible()
    page.get_by_label("Moment that the page shows").fill("1")
    expect(page.locator(".past")).to_contain_text("You look at the past.")
    expect(page.get_by_role("heading", name="אתגר")).to_have_count(0)
    expect(page.get_by_role("button", name="Invite", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Back to now").click()
    expect(page.get_by_role("heading", name="אתגר")).to_be_visible()


def test_an_outcome_of_the_past_has_the_words_that_it_has_now(evening: Evening) -> None:
    """What was corrected since is told by the log alone: what was announced first."""
    evening.opens("sagatafl", source="scripted", level="server")
    evening.enters("p1", "Asta", {"Lockpicking": 5})
    evening.does("p1", c.Declare("c1", {"trait": "Lockpicking", "rd": 7}))
    evening.does("p1", c.RollDice(1, "initiator", faces=(12, 9, 8, 3, 1)))
    evening.does("p1", c.Resolve(1))
    resolved = evening.state.size - 1
    evening.does("p1", c.worded(c.Note(0), "later"))
    ruth = evening.guest("Ruth", "p1")
    verdict = ruth.at(1).locator(".verdict")
    told = verdict.text_content() or ""
    moment = ruth.page.locator(".timeline input[type=range]")
    moment.fill(str(resolved))
    expect(ruth.page.locator(".past")).to_be_visible()
    expect(verdict).to_have_text(told)
    moment.fill(str(resolved - 1))
    expect(verdict).to_have_count(0)
    ruth.page.locator(".past button").click()
    amending = c.Amend(1, "c1", {"rd": 9})
    evening.does(NARRATOR, c.worded(amending, "It was a good lock."))
    expect(verdict).not_to_have_text(told)
    moment.fill(str(resolved))
    expect(verdict.locator(".margin")).to_have_count(0)


def test_keys_lead_to_each_part_and_not_while_somebody_types(mira: Person) -> None:
    page = mira.page
    for key, part in (("t", "Timeline"), ("p", "People")):
        page.locator("body").press(key)
        expect(page.get_by_role("heading", name=part)).to_be_focused()
    page.locator("body").press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Invite", exact=True).click()
    note = page.get_by_role("dialog").get_by_label("For whom")
    note.press("s")
    expect(note).to_have_value("s")
    page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("state", "words"),
    [("polling", "asks every few seconds"), ("offline", "No connection"), ("stopped", "closed")],
)
def test_the_state_of_the_connection_is_said(mira: Person, state: str, words: str) -> None:
    before = mira.do("return app.link.value")
    mira.do("app.link.value = argument", {"state": state, "since": 0, "why": ""})
    expect(mira.page.locator(".notices")).to_contain_text(words)
    mira.do("app.link.value = argument", before)
