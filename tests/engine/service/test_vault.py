"""A directory keeps what every vault promises, and so does memory."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.service.vaults import VaultSuite
from urim.engine.service.vault import Folder, Memory, Vault


class TestFolder(VaultSuite):
    """The suite, on a directory of each test's own."""

    @pytest.fixture(autouse=True)
    def _at(self, tmp_path: Path) -> None:
        self.path = tmp_path / "night.db.secrets"

    @contextmanager
    def make_vault(self) -> Generator[Vault]:
        """An empty one, or another with its records."""
        yield Folder(self.path)


class TestMemory(VaultSuite):
    """The suite, on records that last as long as each test."""

    @pytest.fixture(autouse=True)
    def _one(self) -> None:
        self.memory = Memory()

    @contextmanager
    def make_vault(self) -> Generator[Vault]:
        """The one of the test: no other process has its records."""
        yield self.memory
