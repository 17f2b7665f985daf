"""axe finds nothing serious in what people see: themes, languages, a phone and a desk."""

from collections.abc import Sequence
from itertools import product

import pytest

from tests.conftest import MANY
from tests.engine.server.web.browser.page import Person, ends
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from tests.tree import ROOT

pytestmark = pytest.mark.slow

AXE = ROOT / ".venv" / "typescript" / "node_modules" / "axe-core" / "axe.min.js"

THEMES, LANGUAGES, WIDTHS = ("light", "dark"), ("en", "he"), (1280, 360)

PAIRS = [("light", "en", 1280), ("light", "he", 360), ("dark", "en", 360), ("dark", "he", 1280)]
"""Every two of a theme, a language and a width come together."""

LOOKS = list(product(THEMES, LANGUAGES, WIDTHS)) if MANY else PAIRS[1:3]

RUN = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) =>
            `${html.slice(0, 200)} ${any.map(({ message }) => message).join("; ")}`).join(" | ")}`);
}"""

DEAD = "urim-i1-" + "x" * 43


@pytest.fixture
def ruth(evening: Evening) -> Person:
    """Somebody whose page axe can look at."""
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm could not fetch it")
    return evening.person("Ruth")


def findings(
    person: Person, state: str, looks: Sequence[tuple[str, str, int]] = LOOKS
) -> list[str]:
    """What axe finds in this state of the page, in these looks."""
    person.page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = []
    for theme, language, width in looks:
        person.page.set_viewport_size({"width": width, "height": 800})
        person.do("app.choose('theme', argument[0]); app.speak(argument[1])", [theme, language])
        person.page.wait_for_timeout(100)  # the server's words come in the new language
        at = f"{state}, {theme}, {language}, {width}"
        found += [f"{at}: {each}" for each in person.page.evaluate(RUN)]
        wide = person.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if wide[0] > wide[1]:
            found.append(f"{at}: {wide[0]} px wide in a window of {wide[1]}")
    person.page.set_viewport_size({"width": 1280, "height": 800})
    person.do("app.speak('en')")
    return found


def test_outside_a_table(evening: Evening, ruth: Person) -> None:
    evening.opens("sagatafl")
    ruth.opens(evening.link("p1"))
    found = findings(ruth, "join")
    ruth.allows.append("401")
    ruth.opens(f"{evening.url}/#i={DEAD}")
    ruth.until("app.place.value.name === 'dead'")
    found += findings(ruth, "dead")
    ruth.do("app.place.value = { name: 'start' }")
    found += findings(ruth, "start")
    ruth.opens(f"{evening.url}/#h={evening.host()}")
    ruth.page.locator("form button.main").click()
    ruth.page.locator("form.new-table .readings summary").click()
    found += findings(ruth, "a new table")
    assert not found, "\n".join(found)


def test_at_a_table(evening: Evening, ruth: Person) -> None:
    evening.opens("milhamah", level="player")
    dana = evening.guest("Dana", "narrator")
    ruth.comes(evening.link("p1"))
    case = CASES["milhamah"]
    ruth.brings("Asta", case.ratings)
    wish = {"root": "רוח", "rating": 2}
    ends(ruth.declares(wish), ruth)
    roll = ruth.declares(wish)
    dice = ruth.at(roll).locator(".handled button.take")
    for at in (1, 4):
        dice.nth(at).click()
    for group in ruth.page.locator(".new details:not([open]) > summary").all():
        group.click()
    found = findings(ruth, "table with a freeze and an open form")
    ruth.page.locator(".timeline input[type=range]").fill("5")
    found += findings(ruth, "the past")
    ruth.page.locator(".past button").click()
    ruth.page.locator("button.seal").click()
    found += findings(ruth, "the seal")
    ruth.page.keyboard.press("Escape")
    ruth.at(roll).get_by_role("button", name=ruth.say("dispute.do-of", roll=roll)).click()
    found += findings(ruth, "a dispute")
    ruth.page.keyboard.press("Escape")
    ruth.do(
        "app.seal.value = { ...app.seal.value, state: 'red', wrong: [{ seq: 3, what: 'dice',"
        " state: 'wrong', why: 'other faces follow from it' }] }"
    )
    found += findings(ruth, "a red seal")
    dana.button("people.invite").click()
    dana.page.get_by_role("dialog").locator("button.main").click()
    dana.page.locator("svg.qr").wait_for()
    found += findings(dana, "an invitation")
    found += findings(dana, "more contrast", [("contrast", "en", 1280)])
    assert not found, "\n".join(found)
