"""A dispute from end to end on the page: raised, weighed, ruled on, read, and taken home."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.engine.server.web.browser.keys import Keys
from tests.engine.server.web.browser.page import Person, ends, fill
from tests.engine.server.web.browser.tables import Evening
from tests.engine.server.web.browser.test_axe import AXE, findings
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

WISH = {"root": "רוח", "rating": 2}
NONE = re.compile("^[^:]+: none$")
"""What figures changed nothing, and then what each was."""
REASON = "The target is 1: the wall was dry."


Disputed: TypeAlias = tuple[Person, Person, int]
"""A narrator and a player before a roll that has ended."""


@pytest.fixture(scope="module")
def people(shared: Evening) -> tuple[Person, Person]:
    """A narrator, and a player with a character."""
    shared.opens("milhamah", level="server")
    found = shared.guest("Dana", "narrator"), shared.guest("Ruth", "p1")
    shared.enters("p1", "Asta", {"BLE": 3})
    for person in found:
        person.do("app.choose('stepwise', true)")  # their rolls are played without their pages
    return found


@pytest.fixture
def disputed(shared: Evening, people: tuple[Person, Person]) -> Iterator[Disputed]:
    """Both before a new roll that has ended; afterwards no window is open, nothing is held back."""
    roll = shared.plays("p1", c.Declare("c1", WISH))
    for person in people:
        person.rests(shared.state.size)
    yield *people, roll
    for person in people:
        person.page.unroute_all()
        for _ in range(person.page.get_by_role("dialog").count()):
            person.page.keyboard.press("Escape")
        expect(person.page.get_by_role("dialog")).to_have_count(0)
        person.calm()


def opened(person: Person, may: str, roll: int) -> Locator:
    """The window of a roll's dispute."""
    name = person.say(f"dispute.{may}-of", roll=roll)
    person.at(roll).get_by_role("button", name=name).click()
    return person.page.get_by_role("dialog")


def row(within: Locator, what: str) -> Locator:
    """The cells of a row of a comparison."""
    return within.locator(".sides tr", has=within.page.get_by_role("rowheader", name=what)).first


def raised(person: Person, roll: int) -> None:
    """Dispute the throw of a roll."""
    dialog = opened(person, "do", roll)
    step = dialog.get_by_label(person.say("dispute.step"))
    step.select_option(index=2)
    dialog.locator("textarea").fill(REASON)
    person.button("dispute.send", dialog).click()
    expect(dialog.locator("blockquote")).to_contain_text(REASON)
    person.page.keyboard.press("Escape")


def test_a_dispute_from_end_to_end(disputed: Disputed, browser: Browser, tmp_path: Path) -> None:
    dana, ruth, roll = disputed
    expect(ruth.at(roll).locator(".ledger .help", has_text="none").first).to_have_text(NONE)
    raised(ruth, roll)
    dialog = opened(dana, "rule", roll)
    expect(dialog.locator("blockquote")).to_contain_text("Entry")
    expect(dialog).to_contain_text(dana.say("dispute.depends-none"))
    expect(dialog.locator(".whatif")).to_have_count(0)  # what stands changes nothing
    # A ruling in view, before it is made: nothing is on the log yet.
    size = dana.size
    dialog.get_by_role("radio", name=dana.say("ruling.void")).check()
    foreseen = dialog.locator(".ruling .whatif")
    expect(foreseen).to_contain_text(dana.say("whatif.reckoned"))
    cells = row(foreseen, dana.say("whatif.state")).locator("td")
    expect(cells).to_have_text([dana.say("state.resolved"), dana.say("state.voided")])
    expect(row(foreseen, dana.say("whatif.outcome")).locator("td").last).to_have_text("none")
    dialog.get_by_role("radio", name=dana.say("ruling.amend")).check()
    expect(foreseen).to_have_count(0)  # nothing is amended yet
    fill(dialog.locator(".ruling"), {"target": "1"})
    expect(row(foreseen, "target").locator("td").last).to_have_text("1")
    _is_counted(foreseen)
    assert dana.size == size
    # The ruling, and what it changed.
    dialog.locator(".ruling input[id$='-text']").fill("She did.")
    dialog.locator(".ruling button.main").click()
    changed = dialog.locator(".raised details")
    changed.locator("summary").click()
    expect(row(changed, "target").locator("td").last).to_have_text("1")
    _is_counted(changed)
    ruth.rests(size + 2)
    _taken_home(ruth, roll, browser, tmp_path)


def _is_counted(within: Locator) -> None:
    """A figure is one row, named in the form for many where either side has more than one."""
    expect(row(within, "to beat").locator("th")).to_have_text("successes to beat")
    expect(row(within, "to beat").locator("td")).to_have_text(["2", "1"])


def _taken_home(ruth: Person, roll: int, browser: Browser, folder: Path) -> None:
    """Somebody else reads the same, asks what else could have been, and saves the case file."""
    dialog = opened(ruth, "do", roll)
    other = dialog.locator("details", has_text=ruth.say("whatif.otherwise"))
    other.locator("summary").click()
    other.get_by_label(ruth.say("whatif.what-if")).select_option(index=1)
    expect(row(other, ruth.say("whatif.state")).locator("td").last).to_have_text("void")
    with ruth.page.expect_download() as waited:
        ruth.button("case.save", dialog).click()
    path = folder / waited.value.suggested_filename
    assert path.name == f"{ruth.do('return app.session.value.table')}-roll-{roll}.html"
    waited.value.save_as(path)
    page = browser.new_page()
    try:
        page.goto(path.as_uri())
        expect(page.locator("body")).to_contain_text(REASON)
        expect(page.locator("body")).to_contain_text("She did.")
    finally:
        page.close()


def test_what_a_void_gave_can_still_be_read(disputed: Disputed) -> None:
    dana, ruth, roll = disputed
    raised(ruth, roll)
    dialog = opened(dana, "rule", roll)
    dialog.get_by_role("radio", name=dana.say("ruling.void")).check()
    dialog.locator("textarea").fill("It never was.")
    before = dana.size
    dana.button("dispute.rule-do", dialog).click()
    ruth.rests(before + 2)
    dialog = opened(ruth, "read", roll)
    dialog.locator(".raised summary").click()
    cells = row(dialog, ruth.say("whatif.state")).locator("td")
    expect(cells).to_have_text([ruth.say("state.resolved"), ruth.say("state.voided")])


def test_a_ruling_overtakes_the_question_what_it_would_give(disputed: Disputed) -> None:
    """A question that is under way when its own ruling is made gets no answer of the time after."""
    dana, ruth, roll = disputed
    raised(ruth, roll)
    dialog = opened(dana, "rule", roll)
    dialog.locator(".ruling textarea").fill("It never was.")
    held: list[Route] = []
    dana.page.route("**/whatif*", lambda route: route.continue_() if held else held.append(route))
    with dana.page.expect_request("**/whatif*"):
        dialog.get_by_role("radio", name=dana.say("ruling.void")).check()
    before = dana.size
    dana.button("dispute.rule-do", dialog).click()
    dana.rests(before + 2)
    held[0].continue_()
    dialog.locator(".raised summary").click()
    cells = row(dialog, dana.say("whatif.state")).locator("td")
    expect(cells).to_have_text([dana.say("state.resolved"), dana.say("state.voided")])


def test_what_depends_on_it_is_named(disputed: Disputed) -> None:
    _, ruth, roll = disputed
    found = ruth.do(
        "const court = await import('/web/state/court.js');"
        "const rolls = new Map([[1, null], [2, 1], [3, null], [4, 2], [5, 1]].map(([number, to]) =>"
        " [number, { number, state: number === 5 ? 'voided' : 'resolved',"
        " follows: to && [to, 'x'] }]));"
        "return [1, 2, 3].map((number) => court.dependents(number, rolls))"
    )
    assert found == [[2, 4], [4], []]
    dialog = opened(ruth, "do", roll)
    expect(dialog).to_contain_text(ruth.say("dispute.depends-none"))


def test_a_refusal_is_shown_and_says_what_is_allowed(disputed: Disputed) -> None:
    """As of a table that is too long for this server."""
    _, ruth, roll = disputed
    problem = {"code": "out-of-range", "why": "too many entries", "allowed": ["at most 7"]}
    ruth.allows.append("422")
    for part in ("alternatives", "case"):
        ruth.page.route(
            f"**/rolls/{roll}/{part}*",
            lambda route: route.fulfill(
                status=422, json=problem, content_type="application/problem+json"
            ),
        )
    dialog = opened(ruth, "do", roll)
    dialog.locator("details", has_text=ruth.say("whatif.otherwise")).locator("summary").click()
    ruth.button("case.save", dialog).click()
    refused = dialog.locator(".refused")
    expect(refused).to_have_count(2)
    for each in refused.all():
        expect(each).to_contain_text("too many entries")
        expect(each).to_contain_text("at most 7")


def test_by_keyboard_alone(disputed: Disputed) -> None:
    dana, ruth, roll = disputed
    hers = Keys(ruth)
    name = ruth.say("dispute.do-of", roll=roll)
    hers.presses(ruth.at(roll).get_by_role("button", name=name))
    dialog = ruth.page.get_by_role("dialog")
    hers.types(dialog.locator("textarea"), REASON)
    before = ruth.size
    hers.presses(ruth.button("dispute.send", dialog))
    dana.rests(before + 2)
    keys = Keys(dana)
    name = dana.say("dispute.rule-of", roll=roll)
    keys.presses(dana.at(roll).get_by_role("button", name=name))
    dialog = dana.page.get_by_role("dialog")
    keys.takes(dialog.locator("fieldset.choices"), dana.say("ruling.void"))
    expect(row(dialog, dana.say("whatif.state")).locator("td")).to_have_count(2)
    keys.types(dialog.locator("textarea"), "It never was.")
    before = dana.size
    keys.presses(dana.button("dispute.rule-do", dialog))
    dana.rests(before + 2)
    keys.presses(dialog.locator(".raised summary"))
    expect(row(dialog, dana.say("whatif.state")).locator("td")).to_have_count(2)
    with dana.page.expect_download() as waited:
        keys.presses(dana.button("case.save", dialog))
    assert waited.value.suggested_filename.endswith(".html")


def test_axe_finds_nothing_serious(disputed: Disputed) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm could not fetch it")
    dana, ruth, roll = disputed
    raised(ruth, roll)
    dialog = opened(dana, "rule", roll)
    dialog.get_by_role("radio", name=dana.say("ruling.void")).check()
    expect(row(dialog, dana.say("whatif.state"))).to_be_visible()
    other = dialog.locator("details", has_text=dana.say("whatif.otherwise"))
    other.locator("summary").click()
    other.locator("select").select_option(index=1)
    expect(row(other, dana.say("whatif.state"))).to_be_visible()
    found = findings(dana, "a ruling in view")
    dialog.locator(".ruling textarea").fill("It never was.")
    dana.button("dispute.rule-do", dialog).click()
    dialog.locator(".raised summary").click()
    expect(row(dialog.locator(".raised"), dana.say("whatif.state"))).to_be_visible()
    found += findings(dana, "a ruling that was made")
    assert not found, "\n".join(found)


def test_a_void_without_a_dispute_is_in_view_before_it_is_made(disputed: Disputed) -> None:
    dana, _, roll = disputed
    card = dana.at(roll)
    size = dana.size
    expect(dana.button("move.void", card)).to_have_count(0)  # what is seldom wanted is folded
    dana.button("move.correct", card).click()
    dana.button("move.void", card).click()
    cells = row(card, dana.say("whatif.state")).locator("td")
    expect(cells).to_have_text([dana.say("state.resolved"), dana.say("state.voided")])
    assert dana.size == size


def test_a_throw_that_others_added_chance_to_is_a_step_too(evening: Evening) -> None:
    evening.opens("plain", level="table")
    evening.enters("p1", "Asta", {})
    ruth, etgar = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    ruth.until("Object.values(app.live.value.seats).filter((each) => each.anchor).length === 2")
    ruth.do(
        "await app.ask({ do: 'declare/1', character: 'c1', declaration: { expression: '2d6' } })"
    )
    ends(1, ruth, etgar)
    ruth.rests(evening.state.size)
    step = opened(ruth, "do", 1).get_by_label(ruth.say("dispute.step"))
    steps = ruth.do("return app.accounts.value.get(1).steps.map((each) => String(each.seq))")
    expect(step.locator("option").nth(1)).to_be_attached()
    offered = step.locator("option").evaluate_all("all => all.map((each) => each.value)")
    assert set(steps) <= set(offered)
