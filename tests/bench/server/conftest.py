"""One report for all loads of a run."""

from collections.abc import Iterator

import pytest

from tests.bench.report import LOAD, WRITE, Report


@pytest.fixture(scope="session")
def report() -> Iterator[Report]:
    """Where the loads put their rows; written down at the end where that is asked for."""
    found = Report(LOAD)
    yield found
    if WRITE:
        found.write()
