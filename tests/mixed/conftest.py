"""The programs that the tests of mixed versions run, each with one home for its users' seats."""

from pathlib import Path

import pytest

from tests.engine.testing.pythons import alone
from tests.mixed.program import Program
from tests.releases.keep import HERE
from tests.releases.wheels import unpacked


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Where the program of version 0.2 is: unpacked once for all processes that run tests."""
    base = tmp_path_factory.getbasetemp()
    found = (base if worker_id == "master" else base.parent) / "programs" / "0.2"
    found.parent.mkdir(exist_ok=True)
    with alone(found):
        if not found.exists():
            unpacked(HERE / "0.2", found.with_name("fresh")).rename(found)
    return found


@pytest.fixture
def old(tmp_path: Path, folder: Path) -> Program:
    """The program of version 0.2."""
    return Program(tmp_path, folder)


@pytest.fixture
def new(tmp_path: Path) -> Program:
    """The program of today; who has a seat with one of the two has it with the other."""
    return Program(tmp_path)
