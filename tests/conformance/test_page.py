"""The page as a person meets it: a file in, a verdict out; nothing sent, nothing foreign run."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from tests.engine.helpers import chromium
from tests.verifier.broken import elsewhere_signed, ways
from tests.verifier.broken_seats import OTHER, PEN, noted
from tests.verifier.log import KEY, Log, good
from urim.engine.verifier.build import PAGE
from urim.events.base import Thrown
from urim.events.checkpoint import public_key
from urim.events.roll import DiceRolled, Proof

pytestmark = pytest.mark.slow  # test_verify.py asks the same code in Node, of whole files


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good bundle and a bad one."""
    folder = tmp_path_factory.mktemp("bundles")
    (folder / "good.urim.jsonl").write_bytes(good().bundle())
    (folder / "bad.urim.jsonl").write_bytes(ways()["9 a face off by one"].bundle)
    return folder


def choose(page: Page, file: Path) -> None:
    """Choose a bundle by its label, as a person finds it."""
    page.get_by_label(re.compile("Choose a bundle")).set_input_files(file)


def test_a_good_bundle_is_told_to_be_one(page: Page, files: Path) -> None:
    expect(page.get_by_text("has not started")).to_be_hidden()
    choose(page, files / "good.urim.jsonl")
    verdict = page.locator("#verdict")
    sentence = "Nothing wrong was found here; urim audit checks the rules"
    expect(verdict).to_contain_text(sentence)
    expect(page.locator("#outcome")).not_to_contain_text("Nothing is wrong")
    expect(verdict).to_contain_text("5 throws, 15 dice")
    expect(verdict).to_contain_text("self-asserted key")
    expect(verdict).to_contain_text("10 transitions, 11 rules")
    expect(page.locator("#steps > li")).to_have_count(16)
    expect(page.locator('#steps [data-step="10"]')).to_contain_text(
        "the rules are not checked here"
    )
    expect(page.locator("#throws tbody tr")).to_have_count(5)
    expect(page.locator("#status")).to_contain_text("Nothing wrong was found")


def test_the_first_lines_say_what_a_reader_has_to_know(page: Page, files: Path) -> None:
    choose(page, files / "good.urim.jsonl")
    passed = "1 of them with a seat passed over"
    throws = f"1 at table, 2 shares asked for, {passed}; 3 at player; 1 at server"
    texts = "1 erased text, 1 amendment, veto or replacement, 1 void after the dice"
    assert page.locator("#stated li").all_inner_texts() == [
        "32 entries, 5 throws, 15 dice.",
        "Dice: fair, each throw committed to before.",
        f"Throws: {throws}.",
        "Seats with keys: none, so that who asked is the host's word.",
        "Rules: sagatafl, version 1, not run on this page.",
        f"Stated: {texts}, 3 rolls left lying, 2 seats with shares and no key.",
    ]
    looks = page.locator("#looks li").all_inner_texts()
    assert [look.partition(": ")[2].partition(":")[0] for look in looks] == [
        "1 epoch (entry 23)",
        "1 level named below table",
        "3 rolls declared again (entries 12, 18, 22)",
    ]
    expect(page.locator("#verdict-text")).to_contain_text(
        "1 epoch, 1 level named below table, 3 rolls declared again."
    )


def test_what_was_not_checked_is_in_the_first_line(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "unknown.urim.jsonl"
    early = {"ruleset": "tidewater", "options": {}, "core": 4, "faces": {}}
    unknown = good({"opened": lambda event: replace(event, **early)})
    file.write_bytes(unknown.bundle())
    choose(page, file)
    title = page.locator("#verdict-title")
    expect(title).to_have_text("Not everything was checked: 9 dice, 10 transitions")
    expect(page.locator("#verdict")).to_contain_text("No step fails.")
    expect(page.locator("#outcome")).not_to_contain_text("Nothing wrong was found")


def test_a_page_of_lines_is_gone_with_the_next_file(page: Page, tmp_path: Path) -> None:
    good_one, none = tmp_path / "good.urim.jsonl", tmp_path / "none.urim.jsonl"
    good_one.write_bytes(good().bundle())
    none.write_text("{}\n", encoding="utf-8")
    for file, count in ((good_one, True), (none, False)):
        choose(page, file)
        expect(page.locator("#verdict")).to_contain_text("" if count else "not a bundle")
        expect(page.locator("#stated")).to_be_visible(visible=count)
        expect(page.locator("#looks")).to_be_visible(visible=count)


def test_a_bad_bundle_is_told_with_entry_expected_and_found(page: Page, files: Path) -> None:
    choose(page, files / "bad.urim.jsonl")
    expect(page.locator("#verdict")).to_contain_text("Something is wrong")
    expect(page.locator("#verdict")).to_contain_text("9 dice")
    failed = page.locator('#steps [data-step="9"] .remarks')
    expect(failed).to_be_visible()
    for words in ("Entry 8", "expected", "found"):
        expect(failed).to_contain_text(words)
    expect(page.locator("#throws tbody tr").nth(1)).to_contain_text("fail")


def test_a_file_that_is_no_bundle_is_told_to_be_none(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "x.urim.jsonl"
    file.write_text("<script>alert(1)</script>\n", encoding="utf-8")
    choose(page, file)
    expect(page.locator("#verdict")).to_contain_text("This file is not a bundle")
    expect(page.locator("#verdict")).to_contain_text("line 1")


def test_the_content_of_a_bundle_is_shown_as_text(page: Page, tmp_path: Path) -> None:
    evil = '<img src=x onerror="document.title=1">'
    file = tmp_path / "evil.urim.jsonl"

    log = good({"amended text": lambda event: replace(event, text=evil)})
    file.write_bytes(log.bundle(options={"x": evil}))
    choose(page, file)
    for step in (1, 14):
        expect(page.locator(f'#steps [data-step="{step}"]')).to_contain_text("onerror")
    assert page.locator("#outcome img").count() == 0


def test_the_same_file_can_be_chosen_again(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "again.urim.jsonl"
    file.write_bytes(good().bundle())
    for words in ("Nothing wrong was found", "This file is not a bundle"):
        with page.expect_file_chooser() as chooser:
            page.locator("#file").click()
        chooser.value.set_files(file)
        expect(page.locator("#verdict")).to_contain_text(words)
        file.write_text("{}\n", encoding="utf-8")


def test_key_and_checkpoints_are_taken_into_account(page: Page, files: Path) -> None:
    choose(page, files / "good.urim.jsonl")
    page.get_by_text("Keys you trust").click()
    page.get_by_label("Key of the log").fill(KEY.vkey)
    changed = good({"noted": lambda event: b'{"type":"x"}'}).note()
    page.get_by_label("Earlier checkpoints").fill((good().note(3) + b"\n\n" + changed).decode())
    page.get_by_role("button", name="Verify with these").click()
    expect(page.locator("#verdict")).to_contain_text("3 tree")
    expect(page.locator('#steps [data-step="2"]')).to_contain_text("the key you gave")
    expect(page.locator('#steps [data-step="3"]')).to_contain_text("earlier checkpoint 2")


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("nonsense", "not a vkey"),
        (
            public_key("urim.local/t/other001", bytes(32)).vkey,
            "the key is one of urim.local/t/other001, and this file is of urim.local/t/verify01",
        ),
    ],
    ids=["none", "another log's"],
)
def test_a_key_of_no_use_is_refused_at_its_field(
    page: Page, files: Path, key: str, why: str
) -> None:
    page.get_by_text("Keys you trust").click()
    page.get_by_label("Key of the log").fill(key)
    choose(page, files / "good.urim.jsonl")
    expect(page.locator("#key-problem")).to_contain_text(why)
    expect(page.get_by_label("Key of the log")).to_be_focused()
    expect(page.locator("#outcome")).to_be_hidden()


def test_a_checkpoint_of_no_use_is_refused_at_its_field(page: Page, files: Path) -> None:
    page.get_by_text("Keys you trust").click()
    choose(page, files / "good.urim.jsonl")
    elsewhere = elsewhere_signed(good()).decode()
    for text, why in (("[table]", "is no checkpoint"), (elsewhere, "is of urim.local/t/verify02")):
        page.get_by_label("Earlier checkpoints").fill(text)
        page.get_by_role("button", name="Verify with these").click()
        expect(page.locator("#seen-problem")).to_contain_text(f"earlier checkpoint 1 {why}")
        expect(page.locator("#outcome")).to_be_hidden()


def test_keys_of_seats_are_taken_into_account(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "keyed.urim.jsonl"
    file.write_bytes(noted().bundle())
    choose(page, file)
    expect(page.locator("#verdict")).to_contain_text("Seat keys self-asserted: p2.")
    expect(page.locator("#facts")).to_contain_text("p2")
    page.get_by_text("Keys you trust").click()
    page.get_by_label("Keys of seats").fill(f"\np2={PEN.public}\n")
    page.get_by_role("button", name="Verify with these").click()
    expect(page.locator("#verdict")).not_to_contain_text("self-asserted: p2")
    page.get_by_label("Keys of seats").fill(f"p2={OTHER.public}")
    page.get_by_role("button", name="Verify with these").click()
    expect(page.locator("#verdict")).to_contain_text("10 transitions")


def test_a_seat_key_that_is_none_is_refused_at_its_field(page: Page, files: Path) -> None:
    page.get_by_text("Keys you trust").click()
    page.get_by_label("Keys of seats").fill("p2=nonsense")
    choose(page, files / "good.urim.jsonl")
    expect(page.locator("#seats-problem")).to_contain_text("not a key of seat p2")
    expect(page.get_by_label("Keys of seats")).to_be_focused()
    expect(page.locator("#outcome")).to_be_hidden()


def test_the_keyboard_alone_reaches_everything(page: Page, files: Path) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the verifier")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#file")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Key of the log")).to_be_visible()
    choose(page, files / "good.urim.jsonl")
    expect(page.locator("#verdict")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#steps details[open]")).to_have_count(1)


def test_many_throws_come_a_page_at_a_time(page: Page, tmp_path: Path) -> None:
    log = Log({})
    log.open("manual")
    for roll in range(1, 251):
        log.declare(roll, commit=False)
        log.add(manual(roll))
    file = tmp_path / "many.urim.jsonl"
    file.write_bytes(log.bundle())
    choose(page, file)
    expect(page.locator("#verdict")).to_contain_text("typed in: nothing about them is proved")
    rows = page.locator("#throws tbody tr")
    expect(rows).to_have_count(100)
    page.get_by_role("button", name="Show 100 more").click()
    expect(rows).to_have_count(200)
    page.get_by_label("Roll", exact=True).fill("249")
    expect(rows).to_have_count(1)


def manual(roll: int) -> DiceRolled:
    """One die, typed in."""
    return DiceRolled(
        "p1", roll, "c1", "initiator", (Thrown("d1", "d12", 7),), proof=Proof(0, "manual")
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_light_and_dark(browser: Browser, files: Path, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 740},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = chromium.opened(context.new_page())
    choose(page, files / "bad.urim.jsonl")
    expect(page.locator("#verdict")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
    assert light == (scheme == "light")
    context.close()


# --- what the page may not do ---------------------------------------------------------------------


def test_nothing_but_the_page_itself_is_ever_asked_for(browser: Browser, files: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    choose(chromium.opened(page), files / "good.urim.jsonl")
    expect(page.locator("#verdict")).to_be_visible()
    assert [url for url in asked if not url.startswith("data:")] == [PAGE.as_uri()]
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
    text = PAGE.read_text(encoding="utf-8")
    before, place, after = text.partition('verdict = "fail"')
    assert place
    changed = tmp_path / "changed.html"
    changed.write_text(f'{before}verdict = "pass"{after}', encoding="utf-8")
    page = browser.new_page()
    chromium.opened(page, changed)
    expect(page.get_by_text("has not started")).to_be_visible()
    expect(page.locator("#form")).to_be_hidden()
    assert page.evaluate("typeof urim") == "undefined"
    page.close()


def test_the_same_text_in_another_file_runs(browser: Browser, tmp_path: Path) -> None:
    copy = tmp_path / "copy.html"
    copy.write_bytes(PAGE.read_bytes())
    page = browser.new_page()
    chromium.opened(page, copy)
    expect(page.get_by_text("has not started")).to_be_hidden()
    page.close()


def test_nobody_can_put_a_script_in_by_markup(page: Page) -> None:
    refused = page.evaluate(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return false; }"
        " catch { return true; } })()"
    )
    assert refused
