"""The page as a person meets it: a file in, a verdict out; nothing sent, nothing foreign run."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conformance import suite
from tests.conformance.suite import expected, outcome
from tests.conftest import MANY
from tests.engine.helpers import chromium
from tests.tools import needed
from urim.engine.verifier import build

pytestmark = pytest.mark.slow  # test_urimcheck.py asks the same code in Node

GOOD, BAD = "kept/plainfair", "broken/9-a-face-off-by-one"
KEYED = "honest/commands-signed-with-the-key-given-for-the-seat"

CHECK = """async (lines) => {
    const { asJson, check, Unreadable } = urimcheck;
    const found = [];
    for (const { bundle, ...given } of lines) {
        const bytes = Uint8Array.from(atob(bundle), (letter) => letter.charCodeAt(0));
        try {
            found.push(asJson(await check(new Blob([bytes]), given)));
        } catch (error) {
            if (!(error instanceof Unreadable)) throw error;
            found.push({ exit: 2 });
        }
    }
    return JSON.stringify(found);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; where there is none the test is skipped, and CI takes no skips."""
    with chromium.browser(needed("chromium")) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page lies, and some bundles by the last part of their names."""
    made = tmp_path_factory.mktemp("page")
    for name in (GOOD, BAD, KEYED):
        (made / Path(name).name).write_bytes(suite.cases()[name].bundle)
    return made


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    """The page, freshly opened."""
    context = browser.new_context()
    yield chromium.opened(context.new_page(), folder)
    context.close()


def choose(page: Page, file: Path) -> None:
    """Choose a bundle by its label, as a person finds it."""
    page.get_by_label(re.compile("Choose a bundle")).set_input_files(file)


def given(page: Page, label: str, text: str) -> None:
    """Fill a field of the form, and judge once more."""
    page.locator("#options").evaluate("(each) => { each.open = true; }")
    page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Verify with these").click()


def test_it_says_of_a_file_what_must_be_said(page: Page) -> None:
    """Of every eighth, and of all where MANY are: Node is asked for all of them."""
    names = [*suite.cases()][:: 1 if MANY else 8]
    for start in range(0, len(names), 100):
        some = names[start : start + 100]
        cases = [suite.cases()[name] for name in some]
        lines = [c._asdict() | {"bundle": b64encode(c.bundle).decode()} for c in cases]
        found = json.loads(page.evaluate(CHECK, lines))
        wanted = [expected(name) for name in some]
        assert dict(zip(some, map(outcome, found), strict=True)) == dict(
            zip(some, wanted, strict=True)
        )


def test_a_good_bundle_is_told_to_be_one(page: Page, folder: Path) -> None:
    expect(page.get_by_text("has not started")).to_be_hidden()
    choose(page, folder / "plainfair")
    title = page.locator("#verdict-title")
    expect(title).to_have_text("Nothing is wrong, if its key is the log's.")
    expect(page.locator("#verdict-text")).to_contain_text("Look at: broken off (2), epoch (1)")
    expect(page.locator("#status")).to_contain_text("Nothing is wrong")
    row = page.locator("#numbers tr").nth(1)
    expect(row).to_contain_text("4 (roll 2, behind an epoch of narrator")
    assert page.locator("#steps li.step").count() == 14
    expect(page.locator('[data-step="throws"] .badge')).to_have_text("look (4)")
    expect(page.locator("#stated")).to_contain_text("erased text (1)")
    expect(page.locator("#facts")).to_contain_text("109 of 109, the whole table")
    expect(page.locator("#mine")).to_be_hidden()


def test_the_line_of_a_named_seat_comes_first(page: Page, folder: Path) -> None:
    choose(page, folder / "plainfair")
    given(page, "Seats, and their keys", "p1\n")
    expect(page.locator("#outcome > :first-child")).to_contain_text("p1: 6 throws, 4 dropped")


def test_a_bad_bundle_is_told_with_its_step_and_entry(page: Page, folder: Path) -> None:
    choose(page, folder / "9-a-face-off-by-one")
    expect(page.locator("#verdict-title")).to_have_text("This log is not sound: 9 dice.")
    expect(page.locator('[data-step="dice"]')).to_contain_text(
        "wrong, entry 8: die d1 (d12) must show"
    )


def test_what_cannot_be_read_is_refused_and_the_next_file_is_not(page: Page, folder: Path) -> None:
    file = folder / "again.urim.jsonl"
    file.write_text("<script>alert(1)</script>\n", encoding="utf-8")
    for words, parts in (("Refused: line 1", False), ("Nothing is wrong", True)):
        with page.expect_file_chooser() as chooser:
            page.locator("#file").click()
        chooser.value.set_files(file)
        expect(page.locator("#verdict")).to_contain_text(words)
        expect(page.locator("#parts")).to_be_visible(visible=parts)
        file.write_bytes(suite.cases()[GOOD].bundle)


def test_what_a_bundle_says_is_shown_as_text(page: Page, tmp_path: Path) -> None:
    evil, bundle = '<img src=x onerror="document.title=1">', suite.cases()[GOOD].bundle
    file = tmp_path / "evil.urim.jsonl"
    told = json.dumps(f"urim.local/t/{evil}".replace(" ", "")).encode()
    file.write_bytes(bundle.replace(b'"urim.local/t/plainfair"', told, 1))
    choose(page, file)
    expect(page.locator("#facts")).to_contain_text("onerror")
    assert page.locator("#outcome img").count() == 0


def test_keys_and_earlier_checkpoints_are_taken_into_account(page: Page, folder: Path) -> None:
    row = suite.rows()[GOOD]
    choose(page, folder / "plainfair")
    given(page, "Key of the log", row["key"])
    expect(page.locator("#verdict-title")).to_have_text("Nothing is wrong.")
    given(page, "Earlier checkpoints", row["seen"][0] + "\n\n" + row["seen"][0].strip())
    expect(page.locator("#verdict-title")).to_have_text("Nothing is wrong.")
    given(page, "Earlier checkpoints", "[table]")
    expect(page.locator("#verdict")).to_contain_text("Refused: what was given: a note is")
    given(page, "Earlier checkpoints", "")
    given(page, "Key of the log", "nonsense")
    expect(page.locator("#verdict")).to_contain_text("not a vkey")


def test_keys_of_seats_are_taken_into_account(page: Page, folder: Path) -> None:
    [key] = suite.rows()[KEYED]["seats"].values()
    choose(page, folder / Path(KEYED).name)
    given(page, "Seats, and their keys", f"p2={key}")
    expect(page.locator("#verdict")).to_contain_text("Nothing is wrong")
    given(page, "Seats, and their keys", f"p1={key}")
    expect(page.locator("#verdict-title")).to_have_text("This log is not sound: 10 transitions.")
    given(page, "Seats, and their keys", "p2=nonsense")
    expect(page.locator("#verdict")).to_contain_text("a key that was given cannot be used")


def test_the_keyboard_alone_reaches_everything(page: Page, folder: Path) -> None:
    for reached in (page.get_by_text("Skip to the verifier"), page.locator("#file")):
        page.keyboard.press("Tab")
        expect(reached).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Key of the log")).to_be_visible()
    choose(page, folder / "plainfair")
    expect(page.locator("#verdict")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_light_and_dark(browser: Browser, folder: Path, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 740},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = chromium.opened(context.new_page(), folder)
    choose(page, folder / "plainfair")
    expect(page.locator("#verdict")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
    assert light == (scheme == "light")
    context.close()


# --- what the page may not do ---------------------------------------------------------------------


def test_nothing_but_the_page_itself_is_ever_asked_for(browser: Browser, folder: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    choose(chromium.opened(page, folder), folder / "plainfair")
    expect(page.locator("#verdict")).to_be_visible()
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [page.url]
    context.close()


ESCAPES = {
    "fetch": "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'blocked')",
    "image": "new Promise((done) => { const image = new Image();"
    " image.onload = () => done('sent'); image.onerror = () => done('blocked');"
    " image.src = 'http://127.0.0.1:9/x.png'; })",
    "socket": "new Promise((done) => { try { const socket = new WebSocket('ws://127.0.0.1:9/');"
    " socket.onerror = () => done('blocked'); } catch { done('blocked'); } })",
}


@pytest.mark.parametrize("way", ESCAPES)
def test_the_policy_blocks_the_network(page: Page, way: str) -> None:
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    assert page.evaluate(ESCAPES[way]) == "blocked"
    assert any("Content Security Policy" in text for text in messages), messages


def test_a_script_that_was_changed_does_not_run(browser: Browser, tmp_path: Path) -> None:
    before, place, after = build.page().partition("Nothing is wrong")
    assert place
    (tmp_path / "verifier.html").write_text(f"{before}All is well{after}", encoding="utf-8")
    page = chromium.opened(browser.new_page(), tmp_path)
    expect(page.get_by_text("has not started")).to_be_visible()
    expect(page.locator("#form")).to_be_hidden()
    assert page.evaluate("typeof urimcheck") == "undefined"
    page.close()


def test_nobody_can_put_a_script_in_by_markup(page: Page) -> None:
    refused = page.evaluate(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return false; }"
        " catch { return true; } })()"
    )
    assert refused
