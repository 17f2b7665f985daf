"""The store in a file keeps all that every store promises, and its file is its owner's alone."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.engine.access.calling import Calling
from tests.engine.access.coming import Coming
from tests.engine.access.going import Going
from urim.engine.access.protocol import Limits
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.access.store import AccessStore


class TestSqliteAccess(Coming, Going, Calling):
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
