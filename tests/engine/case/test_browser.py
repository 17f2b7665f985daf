"""Cases in a real browser, screens, a phone, print: axe finds nothing, and nothing is fetched."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.cases import PLAYS
from tests.conftest import MANY
from tests.engine.case.test_page import facts, hostile
from tests.engine.helpers import chromium
from tests.engine.server.web.browser.test_axe import AXE, RUN
from tests.tools import needed
from urim.engine.case.facts import Case
from urim.engine.case.page import page

pytestmark = pytest.mark.slow

__all__ = ["hostile"]

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1000, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1000, "height": 800}},
    "phone": {"color_scheme": "light", "viewport": {"width": 400, "height": 800}},
    "dark phone": {"color_scheme": "dark", "viewport": {"width": 400, "height": 800}},
}

OPEN = "for (const each of document.querySelectorAll('details')) each.open = true"
WIDE = "[document.documentElement.scrollWidth, innerWidth]"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; where there is none the test is skipped, and CI takes no skips."""
    path = needed("chromium")
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm could not fetch it")
    with chromium.browser(path) as running:
        yield running


EVERY = {
    **{name: ("screen", look) for name, look in LOOKS.items()},
    "print": ("print", {}),
}

SYSTEMS = [
    pytest.param(system, EVERY if MANY else (look,), id=system)
    for system, look in zip(PLAYS, EVERY, strict=True)
]
"""Each in a look of its own, and in every look where MANY are; the hostile one always is."""


def found(browser: Browser, file: Path, media: str, look: dict[str, Any]) -> list[str]:
    """What axe finds, what is fetched, what the console says, and whether it is too wide."""
    context = browser.new_context(**look)
    shown = context.new_page()
    faults: list[str] = []
    shown.on("request", lambda each: faults.append(each.url) if each.url != file.as_uri() else None)
    shown.on("console", lambda each: faults.append(each.text))
    shown.goto(file.as_uri())
    shown.emulate_media(media="print" if media == "print" else "screen")
    shown.evaluate(OPEN)
    shown.evaluate(AXE.read_text("utf-8"))
    faults += shown.evaluate(RUN)
    wide, window = shown.evaluate(WIDE)
    if wide > window:
        faults.append(f"{wide} px wide in a window of {window}")
    if shown.evaluate("globalThis.hostile"):
        faults.append("a text was run")
    context.close()
    return faults


def faults_of(browser: Browser, case: Case, tmp_path: Path, looks: Iterable[str]) -> list[str]:
    """The faults of a case's page in these looks."""
    file = tmp_path / "case.html"
    file.write_text(page(case), "utf-8")
    return [f"{name}: {each}" for name in looks for each in found(browser, file, *EVERY[name])]


@pytest.mark.parametrize(("system", "looks"), SYSTEMS)
def test_axe_finds_nothing_serious(
    browser: Browser, system: str, looks: Iterable[str], tmp_path: Path
) -> None:
    assert faults_of(browser, facts(system), tmp_path, looks) == []


def test_a_hostile_case_is_harmless_in_a_browser(
    browser: Browser, hostile: Case, tmp_path: Path
) -> None:
    assert faults_of(browser, hostile, tmp_path, EVERY) == []
