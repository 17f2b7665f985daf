"""What the tests of snapshots share: an evening's folder, copied for each."""

from pathlib import Path

import pytest

from tests.engine.helpers.snapshotted import copied, evening


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the evening's folder."""
    return copied(evening()[0], tmp_path / "copy")
