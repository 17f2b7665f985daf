"""What the tests of all that shares a database get: an empty one, and a key file of their own."""

from pathlib import Path

import pytest

from tests.events.postgres.conftest import databases
from tests.events.postgres.server import Databases, run_now
from urim.events.log.location import DatabaseUrl

__all__ = ["databases"]


@pytest.fixture(autouse=True)
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key file of this machine, which is not made yet."""
    path = tmp_path / "keys" / "secrets"
    monkeypatch.setenv("URIM_SECRETS_KEY", str(path))
    monkeypatch.delenv("URIM_SECRETS", raising=False)
    return path


@pytest.fixture
def place(databases: Databases) -> DatabaseUrl:
    """A database with nothing in it."""
    return DatabaseUrl(run_now(databases.new()))
