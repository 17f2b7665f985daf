"""Of a system that the page does not know it says what it can: all but what its rules decide."""

from collections.abc import Iterator, Mapping
from io import BytesIO

import pytest
from playwright.sync_api import Browser, Page

from tests.test_trial_systems import SYSTEMS, bundle, fair
from tests.verifier import chromium
from tests.verifier.chromium import verified
from urim.engine.audit import audit

FOR_PYTHON = (10, 11)


@pytest.fixture(scope="module")
def played() -> Mapping[str, bytes]:
    """A bundle of each system, in which momentum was burnt, or a pool pushed."""
    return {name: bundle(fair(name)) for name in SYSTEMS}


@pytest.fixture(scope="module")
def verifier(browser: Browser) -> Iterator[Page]:
    """The page."""
    page = browser.new_page()
    yield chromium.opened(page)
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_page_says_what_it_can(name: str, played: Mapping[str, bytes], verifier: Page) -> None:
    outcome = verified(verifier, played[name])
    assert (outcome.exit, outcome.problem, outcome.red) == (0, None, [])
    for step in (1, 4, 5, 6, 7, 9):
        assert outcome.verdict(step) == "pass"
    assert all(each["dice"] for each in outcome.throws)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_both_verifiers_say_the_same(
    name: str, played: Mapping[str, bytes], verifier: Page
) -> None:
    mine, report = verified(verifier, played[name]), audit(BytesIO(played[name]))
    compared = [result for result in report.results if result.step not in FOR_PYTHON]
    assert {each.step: mine.verdict(each.step) for each in compared} == {
        each.step: each.verdict for each in compared
    }
