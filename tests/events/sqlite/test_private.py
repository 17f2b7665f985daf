"""A new database is its owner's alone, and so is what SQLite keeps beside it."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from urim.engine.testing.log.harness import commit
from urim.events.log.sqlite import SqliteLog

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no modes of POSIX")


def modes(folder: Path) -> dict[str, int]:
    """The mode of every file in a folder."""
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}


async def written(path: Path) -> dict[str, int]:
    """The modes while a log is open that something was written to."""
    log = await SqliteLog.open(path)
    try:
        await log.append("table001", commit(0, 2), 0)
        return modes(path.parent)
    finally:
        await log.close()


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        found = asyncio.run(written(tmp_path / "new.db"))
    finally:
        os.umask(before)
    assert set(found) >= {"new.db", "new.db-wal", "new.db-shm"}
    assert set(found.values()) == {0o600}
    assert not [name for name in found if name.endswith(".new")]


def test_a_database_that_is_there_stays_as_its_owner_made_it(tmp_path: Path) -> None:
    (tmp_path / "shared.db").touch()
    (tmp_path / "shared.db").chmod(0o660)
    assert set(asyncio.run(written(tmp_path / "shared.db")).values()) == {0o660}
