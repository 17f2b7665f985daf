"""The file of snapshots keeps all that every store of them promises, beside a log and private."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.snapshots.stores import SnapshotSuite
from urim.engine.snapshots import Snapshots
from urim.engine.snapshots.rows import SnapshotStore


class TestFile(SnapshotSuite):
    """The suite, on a file of each test's own."""

    @pytest.fixture(autouse=True)
    def _at(self, tmp_path: Path) -> None:
        self.path: Path | None = tmp_path / "snapshots"

    @contextmanager
    def make_store(self) -> Generator[SnapshotStore]:
        """An empty one."""
        store = Snapshots(self.path)
        try:
            yield store
        finally:
            store.close()


class TestPrivate(TestFile):
    """The same, on a file without a name."""

    @pytest.fixture(autouse=True)
    def _at(self) -> None:
        self.path = None
