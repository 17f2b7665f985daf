"""The programs that the tests of mixed versions run, each with one home for its users' seats."""

from pathlib import Path

import pytest

from tests.installs import made_once
from tests.mixed.program import Program
from tests.releases.keep import HERE
from tests.releases.wheels import unpacked


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Where the program of version 0.2 is: unpacked once for all processes that run tests."""
    fresh = tmp_path_factory.mktemp("programs") / "0.2"
    return made_once(tmp_path_factory, worker_id, "0.2", lambda: unpacked(HERE / "0.2", fresh))


@pytest.fixture
def old(tmp_path: Path, folder: Path) -> Program:
    """The program of version 0.2."""
    return Program(tmp_path, folder)


@pytest.fixture
def new(tmp_path: Path) -> Program:
    """The program of today; who has a seat with one of the two has it with the other."""
    return Program(tmp_path)
