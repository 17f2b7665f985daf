"""One Chromium and one server for the tests of a module; each test has a table of its own."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.engine.helpers import chromium
from tests.engine.helpers.stages.server import Served
from tests.engine.server.web.browser.between import Between, between
from tests.engine.server.web.browser.page import leave
from tests.engine.server.web.browser.tables import Evening
from tests.tools import needed

NUMBERS = count()

FREE: Mapping[str, Any] = {"rate": 1000.0, "burst": 1000, "address_connections": 1000}
"""No test is about a limit of the server."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; where there is none the test is skipped, and CI takes no skips."""
    path = needed("chromium")
    with chromium.browser(path) as running:
        yield running


@pytest.fixture(scope="module")
def wire() -> Iterator[Between]:
    """What lies between some of the browsers and the server."""
    with between() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, wire: Between) -> Iterator[Served]:
    """A server with fair dice, whose seats may ask as fast as they like."""
    folder = tmp_path_factory.mktemp("served")
    with Served(folder, origins=(wire.url,), **FREE) as running:
        wire.leads_to(running)
        yield running


@pytest.fixture(scope="module")
def shared(browser: Browser, served: Served) -> Iterator[Evening]:
    """An evening of all tests of a module; a test leaves its people as it found them."""
    found = Evening(browser, served, f"shared{next(NUMBERS):04}")
    yield found
    leave(found.people)


@pytest.fixture
def evening(browser: Browser, served: Served) -> Iterator[Evening]:
    """An evening to which people come; at its end no page has complained."""
    found = Evening(browser, served, f"evening{next(NUMBERS):03}")
    yield found
    leave(found.people)
