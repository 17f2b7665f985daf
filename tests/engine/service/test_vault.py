"""A directory keeps what every vault promises, and secrets in memory what secrets do."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.service.vaults import SecretsSuite, VaultSuite
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.engine.service.vault import Folder, Vault


class TestFolder(VaultSuite):
    """The suite, on a directory of each test's own."""

    @pytest.fixture(autouse=True)
    def _at(self, tmp_path: Path) -> None:
        self.path = tmp_path / "night.db.secrets"

    @contextmanager
    def make_vault(self) -> Generator[Vault]:
        """An empty one, or another with its records."""
        yield Folder(self.path)


class TestMemory(SecretsSuite):
    """That of secrets, on those that last as long as the process."""

    @contextmanager
    def make_secrets(self) -> Generator[Secrets]:
        """None yet."""
        yield MemorySecrets()
