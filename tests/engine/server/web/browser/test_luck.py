"""Whether anybody was lucky, on the page: beside what proves the dice, once somebody asks."""

import pytest
from playwright.sync_api import expect

from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow


def test_luck_stands_beside_what_proves_the_dice(evening: Evening) -> None:
    evening.opens("plain", source="scripted", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    evening.does("p1", c.Declare("c1", {"expression": "1d20"}))
    evening.does("p1", c.RollDice(1, "dice", faces=(20,)))
    expect(ruth.at(1).locator(".state")).to_have_text("resolved")  # the page does it
    ruth.page.locator("button.seal").click()
    key = ruth.do("return app.session.value.key")
    expect(ruth.page.get_by_role("dialog")).to_contain_text(
        key
    )  # to compare with what the host says
    luck = ruth.page.get_by_role("dialog").locator("details.why")
    luck.locator("summary", has_text=ruth.say("luck.title")).click()
    told = luck.locator(".luck li")
    expect(told).to_have_count(1)
    for part in (
        "Ruth",
        "9.5",
        "points more than fair dice give on average, in one roll.",
        "Range: from",
    ):
        expect(told).to_contain_text(part)
    for key in ("nobody", "points.counts", "range.why", "not"):
        expect(luck).to_contain_text(ruth.say(f"luck.{key}"))
