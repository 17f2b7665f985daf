"""The page around the roll, in a browser: the way in, people, the timeline, the seal, keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.engine.helpers.stages.server import Served
from tests.tools import needed
from tests.tree import ROOT

pytestmark = pytest.mark.slow

AXE = ROOT / ".venv" / "typescript" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
NARROW = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 900}

EVIL = "<b>Dana</b>\u202eevil<script>alert(1)</script>" + "x" * 140


class Table(Struct):
    """A table with its narrator, in English on a wide page, and Ruth, in Hebrew on a narrow one."""

    served: Served
    browser: Browser
    narrator: Page
    ruth: Page
    errors: list[str]

    def visitor(self, **how: Any) -> Page:
        """A page of a browser that knows nothing yet."""
        return opened(self.browser, self.errors, **how)

    def invitation(self, role: str) -> str:
        """A link that the narrator made."""
        code = "role => import('/web/state/app.js').then(app => app.invite({role}))"
        return str(self.narrator.evaluate(code, role)["link"])


def opened(browser: Browser, errors: list[str], **how: Any) -> Page:
    """A page in a context of its own; what goes wrong in it is listed."""
    # axe is put into the page, which no policy of ours allows; and a colour on its way is none.
    how = {"viewport": WIDE, "locale": "en-GB", "reduced_motion": "reduce", **how}
    found = browser.new_context(bypass_csp=True, **how)
    page = found.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(15_000)
    return page


def ask(page: Page, command: dict[str, Any], text: str | None = None) -> None:
    """Have the page ask for something, as its views do."""
    code = "([command, text]) => import('/web/state/app.js').then(app => app.ask(command, text))"
    found = page.evaluate(code, [command, text])
    assert found["type"] == "done", found


def signal(page: Page, name: str, value: Any) -> None:
    """Give a signal of the page another value."""
    code = (
        "([name, value]) => import('/web/state/signals.js').then(all => (all[name].value = value))"
    )
    page.evaluate(code, [name, value])


def seat(page: Page) -> str:
    """The seat of the page."""
    found = page.evaluate("import('/web/state/app.js').then(app => app.session.value.seat)")
    return str(found)


def accessible(page: Page) -> None:
    """No serious or critical finding of axe."""
    if not AXE.exists():
        pytest.skip("make dev has not fetched axe")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run().then(done => done.violations)")
    grave = [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in GRAVE]
    assert not grave


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table that was started and joined on the page itself."""
    path = needed("chromium")
    errors: list[str] = []
    with Served(tmp_path_factory.mktemp("page")) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        narrator = opened(browser, errors)
        link = served.run(served.access.host_link(served.here.now(), new=True))
        assert link is not None
        narrator.goto(f"{served.url}/#h={link.reveal()}")
        accessible(narrator)
        narrator.get_by_label("Your name").fill("Mira")
        narrator.get_by_role("button", name="Start the table").click()
        narrator.get_by_role("button", name="Make a link").click()
        expect(narrator.locator("svg.qr")).to_be_visible()
        ruth = opened(browser, errors, viewport=NARROW, locale="he", color_scheme="dark")
        ruth.goto(narrator.locator("code.link").inner_text())
        accessible(ruth)
        ruth.locator("input[name=name]").fill("רות")
        ruth.locator("button.main").click()
        ruth.locator(".tabs").wait_for()
        ask(ruth, {"do": "enter/1", "character": "c1", "seat": seat(ruth)}, "אתגר")
        yield Table(served, browser, narrator, ruth, errors)
        browser.close()
    assert not errors


def test_a_link_that_was_used_says_whom_to_ask(table: Table) -> None:
    page = table.visitor()
    page.goto(f"{table.served.url}/#i=urim-i1-{'A' * 43}")
    expect(page.get_by_role("heading", level=1)).to_have_text("This link opens nothing any more")
    expect(page.locator("main")).to_contain_text("Ask the narrator")
    accessible(page)
    page.context.close()


def test_a_page_in_hebrew_is_from_right_to_left_and_fits_a_phone(table: Table) -> None:
    root = table.ruth.locator("html")
    expect(root).to_have_attribute("dir", "rtl")
    expect(root).to_have_attribute("lang", "he")
    for part in range(3):
        table.ruth.locator(".tabs button").nth(part).click()
        assert table.ruth.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
        accessible(table.ruth)


def test_bad_names_are_text_and_cut(table: Table) -> None:
    page = table.visitor(color_scheme="dark")
    page.goto(table.invitation("witness"))
    page.get_by_label("Your name").fill(EVIL)
    page.get_by_role("button", name="Take the seat").click()
    shown = table.narrator.locator(".seat", has_text="evil").locator("h3")
    expect(shown).to_contain_text("<b>Dana</b>evil<script>")
    expect(shown).to_contain_text("…")
    assert table.narrator.locator(".people b, .people script, .timeline b").count() == 0
    page.locator(".people").wait_for()
    accessible(page)
    page.context.close()


def test_an_event_takes_neither_focus_nor_what_is_half_typed(table: Table) -> None:
    page = table.narrator
    page.locator(".character button.plain").first.click()
    field = page.get_by_role("dialog").get_by_label("Name", exact=True)
    field.fill("half a na")
    before = page.locator(".timeline li").count()
    ask(table.ruth, {"do": "note/1", "about": 0}, "<img src=x onerror=alert(1)>")
    expect(page.locator(".timeline li")).to_have_count(before + 1)
    expect(field).to_be_focused()
    expect(field).to_have_value("half a na")
    accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".timeline blockquote").first).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator("div.quiet[aria-live]")).to_contain_text("writes a note")


def test_the_slider_takes_the_page_back_and_says_so(table: Table) -> None:
    page = table.narrator
    expect(page.get_by_role("heading", name="אתגר")).to_be_visible()
    page.get_by_label("Moment that the page shows").fill("1")
    expect(page.locator(".past")).to_contain_text("You look at the past.")
    expect(page.get_by_role("heading", name="אתגר")).to_have_count(0)
    expect(page.get_by_role("button", name="Invite", exact=True)).to_have_count(0)
    accessible(page)
    page.get_by_role("button", name="Back to now").click()
    expect(page.get_by_role("heading", name="אתגר")).to_be_visible()


def test_keys_lead_to_each_part_and_not_while_somebody_types(table: Table) -> None:
    page = table.narrator
    page.locator("body").press("t")
    expect(page.get_by_role("heading", name="Timeline")).to_be_focused()
    page.locator("body").press("p")
    expect(page.get_by_role("heading", name="People")).to_be_focused()
    page.locator("body").press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Invite", exact=True).click()
    note = page.get_by_role("dialog").get_by_label("For whom")
    note.press("s")
    expect(note).to_have_value("s")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_each_theme_is_readable(table: Table, theme: str) -> None:
    signal(table.narrator, "theme", theme)
    expect(table.narrator.locator("html")).to_have_attribute("data-theme", theme)
    accessible(table.narrator)
    signal(table.narrator, "theme", "auto")


@pytest.mark.parametrize(
    ("state", "words"),
    [("polling", "asks every few seconds"), ("offline", "No connection"), ("stopped", "closed")],
)
def test_the_state_of_the_connection_is_said(table: Table, state: str, words: str) -> None:
    page = table.narrator
    before = page.evaluate("import('/web/state/signals.js').then(all => all.link.value)")
    signal(page, "link", {"state": state, "since": 0, "why": ""})
    expect(page.locator(".notices")).to_contain_text(words)
    accessible(page)
    signal(page, "link", before)


def test_a_red_seal_names_the_entry_and_the_evidence_can_be_saved(table: Table) -> None:
    page = table.narrator
    why = "the die shows 4, the seed gives 7"
    wrong = {"seq": 2, "what": "dice", "state": "wrong", "why": why}
    part = {"what": "dice", "state": "wrong", "why": why, "entry": 2}
    red = {"state": "red", "size": 3, "parts": [part], "head": None, "unchecked": [], "forks": []}
    before = page.evaluate("import('/web/state/signals.js').then(all => all.seal.value)")
    signal(page, "seal", {**red, "wrong": [wrong]})
    expect(page.get_by_role("alert")).to_contain_text("at entry 2. Play has stopped.")
    accessible(page)
    page.locator("body").press("s")
    expect(page.get_by_role("dialog")).to_contain_text("cannot protect you from a host")
    accessible(page)
    with page.expect_download() as saved:
        page.get_by_role("dialog").get_by_role("button", name="Save the bundle").click()
    assert Path(saved.value.suggested_filename).suffixes == [".urim", ".jsonl"]
    page.keyboard.press("Escape")
    signal(page, "seal", before)
