"""A Chromium for each module that wants one, and a page in it that all its tests share.

No longer than for a module: while it runs, nothing else in its thread may start an event loop.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.tools import needed
from tests.verifier import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; where there is none the test is skipped, and CI takes no skips."""
    path = needed("chromium")
    with chromium.browser(path) as running:
        yield running


@pytest.fixture(scope="module")
def verifier(browser: Browser) -> Iterator[Page]:
    """The page, opened once; only its `verify` is called here, so that nothing stays behind."""
    page = browser.new_page()
    yield chromium.opened(page)
    page.close()


@pytest.fixture
def page(verifier: Page) -> Page:
    """The page, freshly opened, to be used as a person would."""
    return chromium.opened(verifier)
