"""The link of a roll: what its page shows, saved and forged too, to somebody without a seat."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import cases, plays
from tests.conformance.mutants import meaning, mutant, tells_no_other
from tests.engine.helpers.bundles import PRIVATE
from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.web.browser.conftest import FREE
from tests.engine.server.web.browser.page import leave
from tests.engine.server.web.browser.tables import Evening
from tests.engine.server.web.browser.test_axe import AXE, RUN
from tests.engine.server.web.browser.test_frame import pages
from urim.engine.audit import PASSED, audit
from urim.engine.bundle.about import about, shown_to
from urim.engine.bundle.write import end_line
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.server.routes.receipts import said_of, words_of
from urim.engine.service.receipts import Receipt, receipt_under, sizes
from urim.engine.verifier import build
from urim.events.base import JSON
from urim.events.checkpoint import Checkpoint, public_key, sign

pytestmark = pytest.mark.slow

TABLE = "receipts1"

ROLLS: tuple[tuple[str, str], ...] = (("4d6kh3", "public"), ("2d6", "self"), ("1d20+2", "public"))
"""What is rolled, and for whom: rolls 1, 2, and 3."""

KB = 1024


class Linked(NamedTuple):
    """A served table with rolls, whose links are allowed; and the origin of a page around one."""

    served: Served
    evening: Evening
    around: str
    page_around: dict[str, str]

    def link(self, roll: int) -> str:
        """The whole link of a roll."""
        found = self.served.run(self.served.service.link(TABLE, roll))
        assert found is not None
        return f"{self.served.url}{found}"

    def receipt(self, roll: int) -> Receipt:
        """What the page of a roll is made of."""
        return self.served.run(self.served.service.receipt(TABLE, roll))


@pytest.fixture(scope="module")
def linked(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Linked]:
    """Three rolls of Asta, one of them hidden."""
    own: dict[str, str] = {}
    folder = tmp_path_factory.mktemp("linked")
    with pages(own) as around, Served(folder, frames=(around,), **FREE) as served:
        evening = Evening(browser, served, TABLE)
        evening.opens("plain", level="server")
        evening.enters("p1", "Asta", {})
        evening.does(NARRATOR, c.SetTable("links", value=True))
        for expression, visibility in ROLLS:
            evening.plays("p1", c.Declare("c1", {"expression": expression}, visibility))  # type: ignore[arg-type]
        yield Linked(served, evening, around, own)
        leave(evening.people)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of somebody who has no seat, and whose browser knows nothing."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def verdict(page: Page, tone: str) -> str:
    """The verdict, once there is one: of this tone."""
    found = page.locator("#verdict")
    expect(found).to_have_attribute("data-tone", tone)
    return found.inner_text()


def test_a_link_shows_a_roll_and_its_proof_to_who_has_no_seat(linked: Linked, page: Page) -> None:
    link = linked.link(1)
    assert len(link) <= 120
    page.goto(link)
    assert "Checked" in verdict(page, "pass")
    expect(page.locator("h1")).to_have_text(f"Roll 1 at {TABLE}")
    faces = [die.face for hand in linked.evening.state.rolls[1].roll.hands for die in hand.dice]
    expect(page.locator(".die b")).to_have_text([str(face) for face in faces])
    outcome = linked.evening.state.rolls[1].roll.outcome
    assert outcome is not None
    expect(page.locator("#result")).to_contain_text(str(outcome.margin))
    expect(page.locator("#who")).to_contain_text("Asta")
    expect(page.locator("#course > li b").first).to_have_text("roll declared")
    expect(page.locator("#steps > li")).to_have_count(14)
    expect(page.locator("#pinned")).to_have_text("as the link pins it")
    assert page.evaluate("document.cookie + Object.keys(localStorage)") == ""


def test_what_it_tells_a_chat_is_the_title_and_the_result(linked: Linked, page: Page) -> None:
    page.goto(linked.link(3))
    of = "meta[property='og:{}']"
    title = page.locator(of.format("title")).get_attribute("content")
    assert title == f"Roll 3 at {TABLE}"
    outcome = linked.evening.state.rolls[3].roll.outcome
    assert outcome is not None
    said = page.locator(of.format("description")).get_attribute("content")
    assert said == str(outcome.margin)


def test_the_saved_page_needs_no_server_and_its_bundle_another_verifier(
    linked: Linked, browser: Browser, page: Page, tmp_path: Path
) -> None:
    page.goto(linked.link(1))
    verdict(page, "pass")
    with page.expect_download() as saving:
        page.get_by_role("link", name="Save this roll").click()
    file = tmp_path / saving.value.suggested_filename
    assert file.name == f"{TABLE}-roll-1.html"
    saving.value.save_as(file)
    assert file.stat().st_size <= 150 * KB
    context = browser.new_context(offline=True)
    other = context.new_page()
    other.goto(f"{file.as_uri()}{linked.link(1)[-23:]}")
    verdict(other, "pass")
    other.goto("about:blank")
    other.goto(file.as_uri())
    verdict(other, "look")
    expect(other.locator("#reasons")).to_contain_text("Compare")
    expect(other.get_by_role("link", name="Save this roll")).to_be_hidden()
    with other.expect_download() as saving:
        other.get_by_role("link", name="Save its bundle alone").click()
    assert saving.value.suggested_filename == f"{TABLE}-roll-1.urim.jsonl"
    assert audit(BytesIO(saving.value.path().read_bytes())).exit == PASSED
    context.close()


def test_an_older_root_is_shown_as_it_was_and_a_strange_one_is_not(
    linked: Linked, page: Page
) -> None:
    old = linked.link(3)
    size = linked.receipt(3).size
    about = c.worded(c.Note(size - 1), "A fine throw.")
    linked.served.run(linked.served.service.submit(TABLE, "p1", about))
    page.goto(old)
    verdict(page, "pass")
    expect(page.locator("#size")).to_have_text(str(size))
    expect(page.locator("#pinned")).to_have_text("as the link pins it")
    expect(page.locator("#who")).to_contain_text("Asta")
    page.goto(f"{old[:-3]}AAA")
    expect(page.locator("h1")).to_have_text("This receipt cannot be shown")
    page.get_by_role("link", name="The newest receipt").click()
    verdict(page, "pass")
    expect(page.locator("#course")).to_contain_text("throw")


@pytest.mark.parametrize("roll", [2, 9])
def test_a_hidden_rolls_link_says_that_there_is_none(linked: Linked, page: Page, roll: int) -> None:
    for behind in ("", f"#{linked.receipt(1).pin}"):
        page.goto("about:blank")
        answer = page.goto(f"{linked.served.url}/r/{TABLE}/{roll}{behind}")
        assert answer is not None
        assert answer.status == 404
        expect(page.locator("h1")).to_have_text("No roll to be seen here")


def test_it_is_held_by_a_page_of_a_named_origin_which_hears_how_high_it_is(
    linked: Linked, page: Page
) -> None:
    linked.page_around["/"] = f"""<iframe name="it" src="{linked.link(1)}"></iframe><script>
window.heard = [];
addEventListener("message", ({{ data }}) => heard.push(data));
setInterval(() => frames.it.postMessage({{ urim: "hello" }}, "*"), 50);
</script>"""
    page.goto(linked.around)
    inside = page.frame(name="it")
    assert inside is not None
    inside.wait_for_selector("#verdict[data-tone=pass]")
    page.wait_for_function("heard.some((each) => each.urim === 'height' && each.height > 300)")
    assert inside.evaluate("document.body.offsetHeight") in page.evaluate(
        "heard.map((each) => each.height)"
    )


def test_a_narrator_allows_a_link_on_the_page_and_takes_it_back(linked: Linked) -> None:
    site = linked.served.url
    linked.evening.does(NARRATOR, c.SetTable("links", value=False))
    noa, ruth = linked.evening.guest("Noa", NARRATOR), linked.evening.guest("Ruth", "p1")
    opened = [
        each.page.locator("article[id='roll/1'] details", has_text="Link") for each in (noa, ruth)
    ]
    for each in opened:
        each.locator("summary").click()
        expect(each).to_contain_text("No link may show this roll")
    expect(opened[1].get_by_role("button")).to_have_count(0)
    opened[0].get_by_role("button", name="Allow a link to this roll").click()
    shown = opened[1].locator("code.link")
    expect(shown).to_have_text(re.compile(rf"^{site}/r/{TABLE}/1#.{{22}}$"))
    with ruth.context.expect_page() as coming:
        opened[1].get_by_role("link", name="Open it").click()
    verdict(coming.value, "pass")
    coming.value.close()
    opened[0].get_by_role("button", name="Take the link back").click()
    expect(shown).to_have_count(0)
    opened[0].get_by_role("button", name="Allow links to every open roll").click()
    expect(opened[1]).to_contain_text("No link may show this roll")
    other = ruth.page.locator("article[id='roll/3'] details", has_text="Link")
    other.locator("summary").click()
    expect(other.locator("code.link")).to_contain_text("/3#")
    linked.evening.does(NARRATOR, c.SetTable("links/1", value=None))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_it(linked: Linked, page: Page, theme: Any) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm could not fetch it")
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(linked.link(1))
    verdict(page, "pass")
    page.locator("#parts summary").click()
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(RUN) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def receipt_of(table: Aggregate, roll: int) -> Receipt:
    """The newest receipt of a roll, as a host with PRIVATE makes it."""
    log = shown_to(table, "")
    size = next(sizes(log, table.opened, roll))
    name = f"urim.local/t/{table.opened.id}"
    note = sign(Checkpoint(name, size, log.tree.root(size)), PRIVATE)
    return receipt_under(table, log, roll, note, public_key(name, PRIVATE), size)


@pytest.mark.sampled(2)
@pytest.mark.prove
def test_no_honest_roll_of_any_system_is_red(
    page: Page, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Rolls of so many scenarios; and one whose die stays as it was put while another falls."""
    chance = Random(f"urim honest receipts {seed}")  # noqa: S311 - a sample is no secret
    every = sorted(plays.SCENARIOS.rglob("*.toml"))
    [ciphers] = (path for path in every if path.name == "ciphers.toml")
    told = 0
    for path in {ciphers, *chance.sample(every, min(count, len(every)))}:
        for table, roll in played(path):
            receipt = receipt_of(table, roll)
            page.goto("about:blank")
            page.goto(f"{made(tmp_path, receipt, receipt.bundle)}#{receipt.pin}")
            verdict(page, "pass")
            told += 1
    tried(f"{told:,} honest receipts, none red")


def played(path: Path) -> list[tuple[Aggregate, int]]:
    """Every roll of a scenario that is hidden from nobody, with its table."""
    with ThreadPoolExecutor(1) as alone:  # a browser has this thread's loop
        table = alone.submit(plays.kept_of, path).result().play.aggregate
    return [(table, each.number) for each in table.opened.rolls.values() if not each.hidden]


def test_the_page_to_try_urim_with_needs_nothing(browser: Browser, tmp_path: Path) -> None:
    content, pin = cases.tried()
    file = tmp_path / "try.html"
    file.write_text(content, "utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(f"{file.as_uri()}#{pin}")
    verdict(page, "pass")
    expect(page.locator("body")).to_contain_text("Etgar")


def test_the_evening_to_try_urim_with_is_told_and_judged(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "evening.html"
    file.write_text(cases.evening(), "utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(file.as_uri())
    expect(page.locator("#verdict-title")).to_contain_text("Nothing is wrong")
    told = page.locator(".course > li")
    expect(told.first).to_contain_text("Table milhamah0 opens")
    expect(told.last).to_have_text("Reason: His dice were down before yours fell.")


# --- forged ---------------------------------------------------------------------------------------


def made(folder: Path, of: Receipt, bundle: bytes, **said: Any) -> str:
    """The page of a receipt as a forger writes it, as a file of its own."""
    told: JSON = {**said_of(of, ()), **said}
    content, _ = build.receipt(*words_of(of), told, bundle)
    file = folder / "forged.html"
    file.write_text(content, "utf-8")
    return file.as_uri()


def reasons(page: Page, url: str) -> str:
    """Why a page is red."""
    page.goto("about:blank")
    page.goto(url)
    verdict(page, "wrong")
    found = page.locator("#reasons").inner_text()
    assert found.strip()
    return found


@pytest.mark.sampled(10)
@pytest.mark.prove
def test_a_forged_roll_is_red_with_the_reason(
    linked: Linked,
    page: Page,
    tmp_path: Path,
    count: int,
    seed: int,
    tried: Callable[[str], None],
) -> None:
    """Forgeries as the count says, of each roll; the link is that of the roll as it was."""
    chance = Random(f"urim receipts {seed}")  # noqa: S311 - forgeries are no secret
    good = {roll: linked.receipt(roll) for roll in (1, 3)}
    goods = [each.bundle for each in good.values()]
    meanings, rolls = [meaning(each) for each in goods], [*good]
    forged = 0
    why: set[str] = set()
    while forged < count:
        of, _, spoiled = mutant(chance, goods)
        receipt = good[rolls[of]]
        try:
            if tells_no_other(meaning(spoiled), meanings[of]):
                continue
        except (ValueError, KeyError, IndexError, TypeError):
            pass  # it is no bundle any more
        found = reasons(page, f"{made(tmp_path, receipt, spoiled)}#{receipt.pin}")
        why |= set(re.findall(r"Step \d+ \w+|pins|cannot be read", found)) or {found[:60]}
        forged += 1
    tried(f"{forged:,} forged receipts, all red; {len(why)} kinds of reasons")


@pytest.mark.parametrize("scenario", ["amend-attack", "void-after-damage", "veto-and-replacement"])
def test_a_file_without_one_of_its_commits_is_red(
    page: Page, tmp_path: Path, scenario: str
) -> None:
    path, *_ = sorted(plays.SCENARIOS.rglob(f"{scenario}.toml"))
    for table, roll in played(path):
        log, receipt = shown_to(table, ""), receipt_of(table, roll)
        own = [each.seq for each in table.opened.rolls[roll].trail]
        commits = sorted({log.entries[seq].commit for seq in own})
        for left_out in commits[1:]:
            seqs = [seq for seq in about(log, roll) if log.entries[seq].commit != left_out]
            spoiled = without(receipt.bundle, seqs, log.tree.multiproof(seqs, receipt.size))
            told = [each for each in said_of(receipt, ())["steps"] if each["seq"] in seqs]
            url = made(tmp_path, receipt, spoiled, steps=told)
            assert "left out" in reasons(page, f"{url}#{receipt.pin}")


def without(bundle: bytes, seqs: Sequence[int], proof: Sequence[bytes]) -> bytes:
    """A bundle of a roll with these of its entries, and what proves them."""
    header, *lines, _ = bundle.splitlines()
    some = [line for line in lines if json.loads(line)["seq"] in seqs]
    return b"\n".join([header, *some, end_line(len(some), proof)])


def test_what_a_roll_came_to_is_said_as_the_log_has_it(page: Page, tmp_path: Path) -> None:
    for scenario in ("veto-and-replacement", "void-after-damage"):
        path, *_ = sorted(plays.SCENARIOS.rglob(f"{scenario}.toml"))
        for table, roll in played(path):
            state = table.opened.rolls[roll].state
            receipt = receipt_of(table, roll)
            page.goto("about:blank")
            page.goto(f"{made(tmp_path, receipt, receipt.bundle)}#{receipt.pin}")
            verdict(page, "pass")
            nothing = state in ("voided", "vetoed")
            shown = page.locator("#result").inner_text()
            assert ("it counts for nothing" in shown) == nothing, (scenario, roll, state)
            card = page.locator("meta[property='og:description']").get_attribute("content")
            assert (card == "it counts for nothing") == nothing
            assert ("words" in page.locator("#who").inner_text()) == (
                not nothing and table.opened.rolls[roll].roll.outcome is not None
            )


def test_another_roll_another_root_and_other_words_are_red(
    linked: Linked, page: Page, tmp_path: Path
) -> None:
    one, three = linked.receipt(1), linked.receipt(3)
    other = made(tmp_path, one, three.bundle)
    assert "the roll 1, this is roll 3" in reasons(page, other).replace("of roll", "the roll")
    good = made(tmp_path, one, one.bundle)
    for pinned in ("A" * 22, "%", "..", one.pin[:-1]):
        assert "The link pins" in reasons(page, f"{good}#{pinned}")
    steps = said_of(one, ())["steps"]
    thrown = next(each for each in steps if each["dice"])
    [first, *more] = thrown["dice"]
    thrown["dice"] = [(first[0], first[1] % 6 + 1), *more]
    assert "tells of other dice" in reasons(page, made(tmp_path, one, one.bundle, steps=steps))
    beside = [{"seq": 10_000, "text": "A second throw.", "dice": None}]
    assert "entry 10000" in reasons(page, made(tmp_path, one, one.bundle, steps=beside))
