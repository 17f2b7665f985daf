"""One report for all benchmarks of a run."""

from collections.abc import Iterator

import pytest

from tests.bench.report import WRITE, Report


@pytest.fixture(scope="session")
def report() -> Iterator[Report]:
    """Where the benchmarks put their rows; written down at the end where that is asked for."""
    found = Report()
    yield found
    if WRITE:
        found.write()
