"""What people write stays text, whatever it is; and links that open nothing say so."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.engine.helpers.stages.server import NARRATOR, bearer
from tests.engine.server.web.browser.hostile import OVERRIDES, STRINGS
from tests.engine.server.web.browser.page import Person, ends
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c
from urim.engine.core.limits import LABEL, TEXT, WORD
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest

pytestmark = pytest.mark.slow

MADE = "b, script, iframe, style, base, meta, img, form[action], svg[onload], a[href^=javascript]"
"""What one of the strings would make, were it no text."""

TURNED = """(overrides) => {
    const found = [];
    const walker = document.createTreeWalker(document.querySelector("#root"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        const turns = [...overrides].some((each) => data.includes(each));
        if (turns) found.push(parentElement.parentElement.outerHTML.slice(0, 300));
    }
    return found;
}"""
"""Where a text on the page turns the direction of what follows it."""

LEAST = 40
"""Of the fifty, so many at least are no names that the server itself refuses."""


class Writer:
    """Somebody who asks over HTTP, and writes what they please."""

    def __init__(self, client: httpx.Client, table: str) -> None:
        self.client = client
        self.table = table
        self.count = 0

    def asks(self, asking: c.Asking) -> httpx.Response:
        """Ask for something. Fails for an answer that is neither done nor refused."""
        self.count += 1
        command, text = c.apart(asking)
        wire = WireRequest(body_of(command).decode(), f"request-{self.count}", text)
        content, headers = wire.written(), {"Content-Type": "application/json"}
        url = f"/tables/{self.table}/requests"
        found = self.client.post(url, content=content, headers=headers)
        assert found.status_code < 500, found.text
        return found

    def does(self, asking: c.Asking) -> bool:
        """Ask for something; whether it was done."""
        return self.asks(asking).is_success


@contextmanager
def writer(evening: Evening) -> Generator[Writer]:
    """The table's narrator, with a program."""
    token = evening.served.token(evening.table, "narrator", NARRATOR)
    with httpx.Client(base_url=evening.served.url, headers=bearer(token), timeout=60) as client:
        yield Writer(client, evening.table)


def writes(evil: Writer, at: int, text: str) -> dict[str, bool]:
    """Put a string into every text that there is; where it was taken."""
    name, word = text[:LABEL], text[:WORD]
    who = f"c{at}"
    done = {
        "character": evil.does(c.worded(c.EnterCharacter(who, NARRATOR, {"BLE": 3}), name)),
        "seat": evil.does(c.worded(c.NameSeat("p2"), name)),
        "rating": evil.does(c.SetAttribute(who, word, 2)),
        "note": evil.does(c.worded(c.Note(at), text[:TEXT])),
    }
    wish: dict[str, Any] = {"root": "רוח", "rating": 2, "modifiers": {word: 1}}
    done["word"] = evil.does(c.worded(c.Declare(who, wish), name))
    if not done["word"]:
        del wish["modifiers"]
        done["label"] = evil.does(c.worded(c.Declare(who, wish), name))
    raised = evil.asks(c.worded(c.Dispute(at), text[:TEXT]))
    done["reason"] = raised.is_success
    if raised.is_success and at > 1:  # the first one stays open
        ruled = c.Rule(at, raised.json()["seqs"][0], "stands")
        done["ruling"] = evil.does(c.worded(ruled, text[:TEXT]))
    return done


def fits(person: Person, width: int) -> None:
    """Fails where the page is wider than its window."""
    wide = person.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{wide} px wide in a window of {width}"


def harmless(person: Person, title: str) -> None:
    """Fails where a string is more than text on the page, or breaks it."""
    assert person.page.locator("#root").locator(MADE).count() == 0
    assert person.page.evaluate("globalThis.hostile") is None
    assert person.page.title() == title
    # Isolates are the page's own, round a name, or end with the element that has a direction.
    turned = person.page.evaluate(TURNED, "".join(set(OVERRIDES) - set("\u2068\u2069")))
    assert not turned, turned[0]
    tabs = ".tabs button:visible" if person.page.locator("dialog").count() == 0 else ".no-tabs"
    for width in (1280, 360):
        person.page.set_viewport_size({"width": width, "height": 800})
        fits(person, width)
        for tab in person.page.locator(tabs).all():
            tab.click()
            fits(person, width)


def test_fifty_strings_in_every_text_are_text(evening: Evening) -> None:
    assert len(STRINGS) >= 50
    evening.opens("milhamah", level="player")
    ruth = evening.guest("Ruth", "p1")
    title = ruth.page.title()
    with writer(evening) as evil:
        assert evil.asks(c.worded(c.NameSeat("p2"), "x" * 10_000)).json()["code"] == "too-long"
        done = [writes(evil, at, text) for at, text in enumerate(STRINGS, 1)]
    for field in ("character", "seat", "rating", "note", "reason"):
        assert sum(each[field] for each in done) >= LEAST, field
    ruth.rests(evening.served.run(evening.served.service.state(evening.table)).size)
    harmless(ruth, title)
    people = ruth.page.locator(".people").text_content() or ""
    rolls = ruth.page.locator(".rolls").text_content() or ""
    for text in ("<b>bold</b>", "<dialog open>", "{{constructor", "__proto__", "{who} {n} {roll}"):
        assert text in people and text in rolls, text
    ruth.page.set_viewport_size({"width": 1280, "height": 800})
    disputed = ruth.page.locator(".roll button.alarm")
    disputed.first.click()
    dialog = ruth.page.get_by_role("dialog")
    expect(dialog.locator("blockquote").first).to_be_visible()
    dialog.locator("details", has_text=ruth.say("whatif.otherwise")).locator("summary").click()
    dialog.get_by_label(ruth.say("whatif.what-if")).select_option(index=1)
    expect(dialog.locator(".sides").first).to_be_visible()
    harmless(ruth, title)


def test_strings_in_what_falls_away_and_was_never_thrown_are_text(evening: Evening) -> None:
    """The server's answer itself, with each string in every text that it has."""
    evening.opens("milhamah", level="player")
    ruth = evening.guest("Ruth", "p1")
    ruth.brings("Asta", {"BLE": 3})
    roll = ruth.declares({"root": "רוח", "rating": 2})
    ends(roll, ruth)
    title = ruth.page.title()
    answer = hostile_answer(roll)
    ruth.page.route("**/whatif*", lambda route: route.fulfill(json=answer))
    ruth.at(roll).get_by_role("button", name=ruth.say("dispute.do-of", roll=roll)).click()
    dialog = ruth.page.get_by_role("dialog")
    dialog.locator("details", has_text=ruth.say("whatif.otherwise")).locator("summary").click()
    dialog.get_by_label(ruth.say("whatif.what-if")).select_option(index=1)
    expect(dialog.locator(".falls")).to_have_count(2)
    shown = dialog.text_content() or ""
    for text in ("<b>bold</b>", "<dialog open>", "{{constructor", "__proto__", "{who} {n} {roll}"):
        assert shown.count(text) > 10, text
    harmless(ruth, title)


def hostile_answer(roll: int) -> Any:
    """A what-if with every string wherever it has one."""
    found: dict[str, Any] = {"type": "what-if", "table": "t", "changes": [], "uncertain": [3]}
    lists: dict[str, list[Any]] = {"tracks": [], "rolls": [], "fallen": [], "missing": []}
    for text in STRINGS:
        gone = {"entry": 7, "roll": roll, "step": 2, "seat": text, "text": text}
        words = {"head": text, "text": text}
        side = {"state": "resolved", "outcome_words": words, "damage_words": words}
        fact = {"of": "damage", "key": text, "label": text, "text": text}
        change = {"who": text, "track": text, "before": 1, "after": 2}
        after = {"state": "damaged", "facts": [fact], "changes": [change], "declared": {text: text}}
        track = {"character": "c1", "who": text, "track": text, "label": text}
        lists["tracks"].append({**track, "before": 1, "after": 2})
        lists["rolls"].append({"roll": roll, "who": text, "before": side, "after": after})
        refusal = {"code": "due", "why": text, "allowed": [text]}
        lists["fallen"].append({**gone, "refusal": refusal})
        dice = [{"die": text, "kind": text}]
        lists["missing"].append({**gone, "throw": 0, "dice": dice, "behind": [gone]})
    return found | lists


def test_a_link_that_opens_nothing_says_so_and_whom_to_ask(evening: Evening) -> None:
    evening.opens("sagatafl")
    link = evening.link("p1")
    evening.person("Ruth").comes(link)
    dina = evening.person("Dina")
    dina.allows.append("401")
    for url in (link, f"{evening.url}/#i=urim-i1-{'x' * 43}"):
        dina.opens(url)
        expect(dina.page.locator("h1")).to_have_text(dina.say("dead.no-token"))
        expect(dina.page.locator("main")).to_contain_text(dina.say("dead.ask"))
    dina.opens(f"{evening.url}/#nonsense")
    expect(dina.page.locator("h1")).to_have_text(dina.say("dead.other"))
    expect(dina.page.locator("main")).to_contain_text(dina.say("dead.ask"))
