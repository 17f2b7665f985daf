"""An invitation says what it is still good for, where it was made and where it is opened."""

import re

import pytest
from playwright.sync_api import expect

from tests.engine.helpers.stages.server import NARRATOR
from tests.engine.server.web.browser.tables import Evening

pytestmark = pytest.mark.slow


def test_a_link_says_what_it_is_still_good_for(evening: Evening) -> None:
    evening.opens("plain", {}, level="player")
    dana = evening.guest("Dana", NARRATOR)
    dana.button("people.invite").click()
    dialog = dana.page.get_by_role("dialog")
    dialog.get_by_label(dana.say("invite.uses")).fill("2")
    dialog.locator("button.main").click()
    made = dialog.locator(".invitation")
    link = made.locator("code.link").inner_text()
    for left, name in ((2, "Ruth"), (1, "Etgar")):
        good = re.compile(r"opens 2 times\b" if left == 2 else r"opens once\b")
        expect(made).to_contain_text(good)
        person = evening.person(name)
        person.opens(link)
        expect(person.page.locator(".door > .help")).to_have_text(good)
        person.joins()
    expect(made).to_have_text(re.compile(dana.say("invite.used") + "$"))
    expect(made.locator("code, svg, button")).to_have_count(0)


def test_without_a_secret_nobody_is_asked_where_it_leads(evening: Evening) -> None:
    evening.opens("plain", level="server")
    ruth = evening.guest("Ruth", "p1")
    asked: list[str] = []
    ruth.page.on("request", lambda request: asked.append(request.url))
    # So it is for a moment between the exchange and the table, where this view is drawn once more.
    ruth.do("app.place.value = { name: 'join', kind: 'invitation' }")
    ruth.page.locator("section.door").wait_for()
    ruth.page.wait_for_timeout(200)
    assert not [url for url in asked if url.endswith("/access/invitation")]
