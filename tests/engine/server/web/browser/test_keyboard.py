"""A roll by keyboard alone, from the invitation to its outcome; each system in `make prove`."""

import pytest
from playwright.sync_api import expect

from tests.engine.server.web.browser.keys import Keys
from tests.engine.server.web.browser.page import ENDED
from tests.engine.server.web.browser.systems import CASES, alone
from tests.engine.server.web.browser.tables import Evening


@pytest.mark.sampled(0, rest=1)
@pytest.mark.prove
@pytest.mark.parametrize("system", CASES)
def test_a_roll_by_keyboard_alone(evening: Evening, system: str) -> None:
    case = CASES[system]
    evening.opens(system, level="player")
    ruth = evening.person("Ruth")
    keys = Keys(ruth)
    ruth.opens(evening.link("p1"))
    keys.types(ruth.page.locator("input[name=name]"), "Ruth")
    keys.keyboard.press("Enter")
    ruth.live()
    dialog = ruth.page.get_by_role("dialog")
    keys.types(dialog.locator("input[name=name]"), "Asta")
    for at, (rating, value) in enumerate(case.ratings.items()):
        if at:
            keys.presses(dialog.locator("fieldset button.add"))
        pair = dialog.locator("fieldset .pair").nth(at).locator("input")
        keys.types(pair.first, rating)
        keys.types(pair.last, str(value))
    keys.presses(dialog.locator("button.main"))
    dialog.wait_for(state="detached")
    ruth.rests(ruth.size)
    unfold = ruth.page.locator(".new h3 button")
    ruth.page.locator(".new .rollables button, .new form.filling").first.wait_for()
    if unfold.get_attribute("aria-expanded") == "false":
        keys.presses(unfold)
    form = ruth.page.locator(".new form.filling")
    # A field becomes a list once what can be picked has come: another element, which keys miss.
    for name, value in alone(case).items():
        if value in case.ratings and form.locator(f"[id$='-{name}']").count():
            listed = form.locator(f"select[id$='-{name}'] option[value='{value}']")
            listed.wait_for(state="attached")
    keys.fills(form, alone(case))
    before = ruth.size
    keys.presses(form.locator("button[type=submit]"))
    ruth.rests(before + 1)
    for _ in range(30):
        ruth.rests()
        size = ruth.size
        if ENDED.fullmatch(ruth.state(1)):
            break
        if not keys.acts(1, size):
            ruth.page.wait_for_timeout(50)
    expect(ruth.at(1).locator(".state")).to_have_text(ENDED)
    keys.keyboard.press("t")
    expect(ruth.page.locator(".part-timeline h2")).to_be_focused()
    keys.keyboard.press("s")
    expect(ruth.page.get_by_role("dialog")).to_be_visible()
    keys.keyboard.press("Escape")
    expect(ruth.page.get_by_role("dialog")).to_have_count(0)
