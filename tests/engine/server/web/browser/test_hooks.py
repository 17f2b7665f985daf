"""Somebody leaves an address in the page, tries it, and is told there what happens."""

from collections.abc import Iterator
from time import sleep

import pytest
from playwright.sync_api import Locator, expect

from tests.engine.helpers.stages.receiver import Receiver
from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.web.browser.conftest import FREE
from tests.engine.server.web.browser.page import Person
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c
from urim.engine.server.admission.buckets import Buckets

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """Who is called."""
    with Receiver() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[Served]:
    """A server that may call it."""
    folder = tmp_path_factory.mktemp("served")
    known = {"tests": Buckets(1_000, 1_000)}
    with Served(folder, calls=(receiver.place,), known=known, **FREE) as running:
        yield running


def settings(person: Person) -> Locator:
    """The part of the settings in which somebody is told."""
    person.page.locator("button[aria-haspopup=dialog]", has_text="⚙").click()
    found = person.page.locator("dialog .hooks")
    found.wait_for()
    return found


@pytest.mark.parametrize("language", ["en", "he"])
def test_somebody_is_told_at_an_address_that_they_left(
    language: str, evening: Evening, receiver: Receiver
) -> None:
    receiver.calls.clear()
    receiver.manner = lambda: "500"
    evening.opens("plain", level="server")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    ruth.do("app.speak(argument)", language)
    part = settings(ruth)
    part.get_by_label(ruth.say("hooks.url")).fill(receiver.url)
    part.get_by_label(ruth.say("hooks.standard")).check(force=True)
    part.locator("form button").click()
    expect(part.locator(".note code")).to_contain_text("whsec_")
    hook = part.locator(".hook")
    expect(hook).to_contain_text(receiver.place)
    expect(hook).to_contain_text(ruth.say("hooks.new"))
    assert receiver.url not in part.inner_text()
    ruth.button("hooks.test", hook).click()
    expect(hook.locator("[role=status]")).to_contain_text("it answered 500")
    receiver.manner = lambda: "good"
    ruth.button("hooks.test", hook).click()
    good = ruth.say("hooks.good", status="204")
    expect(hook.locator("[role=status]")).to_have_text(good)
    evening.does("p1", c.Declare("c1", {"expression": "2d6"}))
    receiver.until(lambda: receiver.good[-1].json["type"] == "turn.waits")
    ruth.button("hooks.end", hook).click()
    expect(hook).to_have_count(0)


def test_an_address_inside_is_refused_with_what_is_allowed(evening: Evening) -> None:
    evening.opens("plain", level="server")
    ruth = evening.guest("Ruth", "p1")
    ruth.allows.append("409")
    part = settings(ruth)
    part.get_by_label(ruth.say("hooks.url")).fill("https://169.254.169.254/latest")
    part.locator("form button").click()
    expect(part.locator(".refused")).to_contain_text("leads inside its network")
    expect(part.locator(".hook")).to_have_count(0)


def test_a_narrator_has_throws_wait_by_post_and_sees_who_was_told(
    evening: Evening, receiver: Receiver
) -> None:
    receiver.manner = lambda: "good"
    evening.opens("plain", level="server")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    part = settings(ruth)
    expect(part.locator(".post")).to_have_count(0)
    part.get_by_label("Address").fill(receiver.url)
    part.locator("form button").click()
    part.locator(".hook").wait_for()
    evening.does("p1", c.Declare("c1", {"expression": "2d6"}))
    expect_told(evening)
    noa = evening.guest("Noa", NARRATOR)
    part = settings(noa)
    expect(part).to_contain_text("Ruth: told last at")
    expect(part).to_contain_text("p2 has left no address")
    expect(part).to_contain_text("waits 10 seconds")
    part.get_by_label("Hours").fill("48")
    part.get_by_role("button", name="Wait so long").click()
    expect(part).to_contain_text("waits 48 hours")
    assert evening.state.settings["post"] == 48
    part.get_by_role("button", name="Wait 10 seconds again").click()
    expect(part).to_contain_text("waits 10 seconds")


def expect_told(evening: Evening) -> None:
    """Wait until the one hook of the table was told something."""
    served = evening.served

    async def told() -> bool:
        hooks = await served.access.hooks(evening.table, None, served.here.now())
        return any(each.told for each in hooks)

    for _ in range(100):
        if served.run(told()):
            return
        sleep(0.1)
    raise AssertionError("nothing was told")
