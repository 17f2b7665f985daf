"""A narrator gives a reading another value from now on, and sees what a newer version brought."""

import pytest
from msgspec.structs import replace
from playwright.sync_api import Locator, expect

from tests.engine.helpers.stages.server import Served
from tests.engine.server.web.browser.page import Person
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Environment, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.beside import secrets_of
from urim.rules import ruleset_named
from urim.rules.versions import as_of

pytestmark = pytest.mark.slow


def opened(person: Person) -> Locator:
    """The window of the table's readings."""
    person.page.get_by_role("button", name=person.say("readings.open")).click()
    return person.page.get_by_role("dialog")


def values(reading: Locator) -> list[str]:
    """What may be chosen."""
    return [each.strip() for each in reading.locator("option").all_inner_texts()]


async def opened_before(served: Served, table: str) -> None:
    """Open a table by version 1 of its rules."""
    first = as_of(ruleset_named("milhamah"), 1)

    def environments(source: str, secret: bytes | None) -> Environment:
        return replace(environment(source, secret), rulesets=lambda name: first)

    service = Service(served.log, secrets_of(served.database), environments=environments)
    await service.open_table(NARRATOR, c.OpenTable(table, "milhamah", {}, "manual", "player"))
    await service.submit(table, NARRATOR, c.TakeSeat("p1"))
    await service.close()


def test_a_narrator_changes_a_reading_with_a_reason(evening: Evening) -> None:
    evening.opens("scarterra", source="manual", level="player")
    noa, ruth = evening.guest("Noa", NARRATOR), evening.guest("Ruth", "p1")
    expect(ruth.page.get_by_role("button", name=ruth.say("readings.open"))).to_have_count(0)
    dialog = opened(noa)
    reading = dialog.locator("form", has_text="retry step")
    reading.locator("select").select_option(label="2")
    reading.locator("[name=reason]").fill("The third try is hopeless.")
    reading.get_by_role("button", name=noa.say("readings.set")).click()
    expect(reading.locator("[name=reason]")).to_have_count(0)
    expect(reading.locator("select option:checked")).to_have_text("2")
    assert evening.state.game.options.retry_step == 2
    expect(dialog.locator(".notice")).to_have_count(0)


def test_a_number_that_is_none_of_those_shown_is_shown_too(evening: Evening) -> None:
    evening.opens("scarterra", source="manual", level="player")
    evening.does(NARRATOR, c.worded(c.SetReading("retry_step", 3), "Three for each try."))
    noa = evening.guest("Noa", NARRATOR)
    reading = opened(noa).locator("form", has_text="retry step")
    expect(reading.locator("select option:checked")).to_have_text("3")
    assert values(reading) == ["3", f"1 ({noa.say('start.default')})", "0", "2"]


def test_a_table_of_before_is_offered_what_came_since(evening: Evening) -> None:
    evening.served.run(opened_before(evening.served, evening.table))
    noa = evening.guest("Noa", NARRATOR)
    dialog = opened(noa)
    reading = dialog.locator("form", has_text="reactor botch")
    yes, no = noa.say("field.yes"), noa.say("field.no")
    expect(reading.locator(".notice")).to_have_text(
        noa.say("readings.new", n=2, value=no).translate({0x2068: None, 0x2069: None})
    )
    assert values(reading) == [f"{yes} ({noa.say('start.default')})", no]
    reading.locator("select").select_option(index=0)
    reading.locator("[name=reason]").fill("As the book has it.")
    reading.get_by_role("button", name=noa.say("readings.set")).click()
    expect(reading.locator("[name=reason]")).to_have_count(0)
    expect(reading.locator(".notice")).to_have_count(0)
    assert evening.state.game.options.reactor_botch is True
    assert values(reading) == [f"{yes} ({noa.say('start.default')})"]


def test_a_way_of_before_a_correction_is_not_offered_to_a_new_table(evening: Evening) -> None:
    host = evening.person("Noa")
    host.page.goto(f"{evening.url}/#h={evening.host()}")
    host.page.locator("form.new-table").wait_for()
    host.page.get_by_text(ruleset_named("milhamah").title).click()
    host.page.locator(".readings summary").click()
    botch = host.page.locator(".rule-reading", has_text="reactor botch")
    assert values(botch) == [f"{host.say('field.yes')} ({host.say('start.default')})"]
