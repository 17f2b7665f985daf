"""What is read aloud: each event once, from the first roll on, in both languages."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.engine.server.web.browser.page import PATIENCE, Person
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

LIVE = "[role=status], [role=alert], [aria-live]"

STEP = 100
"""Milliseconds between two looks at what was read aloud: the page's policy forbids other waits."""

LISTEN = """(live) => {
    globalThis.heard = [];
    const add = (node) => node.nodeType === 1 && node.textContent && heard.push(node.textContent);
    new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) {
            for (const node of addedNodes) {
                if (node.nodeType === 1 && node.matches(live)) add(node);
                else if (target.nodeType === 1 && target.closest(live)) add(node);
                else if (node.nodeType === 1) node.querySelectorAll(live).forEach(add);
            }
        }
    }).observe(document.body, { childList: true, subtree: true });
}"""
"""Keeps what is put into a live region, as a screen reader takes it up."""


def listens(person: Person) -> None:
    """From now on what is read aloud is kept."""
    person.page.evaluate(LISTEN, LIVE)


def hears(person: Person, *patterns: str) -> list[str]:
    """Wait until all of this was read aloud; gives all that was."""
    heard: list[str] = []
    for _ in range(PATIENCE // STEP):
        heard = list(person.page.evaluate("heard"))
        if all(any(re.search(each, one) for one in heard) for each in patterns):
            return heard
        person.page.wait_for_timeout(STEP)
    raise AssertionError(f"{patterns} were not all read aloud: {heard}")


@pytest.mark.parametrize("language", ["en", "he"])
def test_a_roll_is_read_aloud_from_its_declaration_to_its_end(
    evening: Evening, language: str
) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth, etgar = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    for person in (ruth, etgar):
        if language == "he":
            person.do("await app.speak('he')")
        person.rests(evening.state.size)
        listens(person)
    ruth.declares({"expression": "3d6"})
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    faces = [str(die.face) for die in evening.state.rolls[1].roll.hands[0].dice]
    for person in (ruth, etgar):
        heard = hears(person, ".*".join(faces))
        assert len([each for each in heard if "anchor" in each or "share" in each]) == 0
    assert not [each for each in hears(etgar) if "newer kind" in each]  # words have their place
    # A form that was sent says nothing of what it lacks.
    assert not [each for each in hears(ruth) if each == ruth.say("form.missing")]
    if language == "en":
        heard = hears(etgar, "Roll 1: .*Asta.* declares", "Roll 1, Ruth: .*throws")
        assert len([each for each in heard if re.search("declares", each)]) == 1


def test_who_is_waited_for_hears_it_and_a_dispute_is_called_one(evening: Evening) -> None:
    case = CASES["majesty"]
    evening.opens("majesty", level="server")
    evening.enters("p1", "Asta", case.ratings)
    evening.enters("p2", "Bo", case.others)
    etgar = evening.guest("Etgar", "p2")
    listens(etgar)
    evening.does("p1", c.Declare("c1", {"kind": "check", "attribute": "Sight", "opponent": "c2"}))
    hears(etgar, "Roll 1: .*declares", re.escape(etgar.say("rolls.yours", n=1)))
    evening.does("p1", c.worded(c.Dispute(1), "wrong attribute"))
    hears(etgar, "disputes", "wrong attribute")


def test_the_same_refusal_is_read_once_more(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    ruth.page.keyboard.press("/")
    line = ruth.page.locator(".line input")
    line.fill("hello")
    line.press("Enter")
    expect(ruth.page.locator(".line .refused[role=alert]")).to_be_visible()
    listens(ruth)
    line.press("Enter")
    hears(ruth, "hello")
    # The focus is never lost: it goes on from where it was.
    ruth.button("character.enter").first.click()
    dialog = ruth.page.get_by_role("dialog")
    dialog.locator("input[name=name]").fill("Cora")
    dialog.locator("button.main").click()
    dialog.wait_for(state="detached")
    ruth.page.wait_for_timeout(STEP)
    assert ruth.page.evaluate("document.activeElement !== document.body")


def test_what_happens_while_the_words_are_on_their_way_is_said_with_the_next(
    evening: Evening,
) -> None:
    evening.opens("plain", level="server")
    evening.enters("p1", "Asta", {})
    etgar = evening.guest("Etgar", "p2")
    etgar.rests(evening.state.size)
    listens(etgar)
    held: list[Route] = []

    def holds(route: Route) -> None:
        """The first answer is as it was before the throw, and comes after it."""
        answer = route.fetch()
        if not held:
            held.append(route)
            committed = evening.state.rolls[1].outstanding
            assert committed is not None
            evening.does("p1", c.RollDice(1, "dice", committed=committed.seq))
            etgar.until(f"app.live.value.size >= {evening.state.size}")
        route.fulfill(response=answer)

    etgar.page.route("**/rolls/1/account*", holds)
    evening.does("p1", c.Declare("c1", {"expression": "3d6"}))
    hears(etgar, "Roll 1: .*declares", "Roll 1, .*throws")
    assert held
