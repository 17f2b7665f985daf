"""The store in a file keeps all that every store promises, and its file is its owner's alone."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from urim.engine.access.protocol import AccessStore, Limits
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.testing.access import AccessConformance


class TestSqliteAccess(AccessConformance):
    """The suite, on a file of each test's own."""

    @asynccontextmanager
    async def make_store(self, limits: Limits) -> AsyncGenerator[AccessStore, None]:
        """A new file."""
        with tempfile.TemporaryDirectory() as folder:
            store = await SqliteAccess.open(Path(folder) / "access.db", limits=limits)
            try:
                yield store
            finally:
                await store.close()
