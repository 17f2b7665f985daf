"""What the tests of the server share: a server that runs."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.engine.helpers.stages.server import Served


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """A server on a new log; ended when the test is."""
    with Served(tmp_path) as running:
        yield running
