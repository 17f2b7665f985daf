"""The log in an SQLite file behaves like every other, and is still there when opened again."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from urim.engine.testing.log import EventLogConformance
from urim.events.log.protocol import EventLog
from urim.events.log.sqlite import SqliteLog


class TestSqliteLog(EventLogConformance):
    @asynccontextmanager
    async def make_log(self) -> AsyncGenerator[EventLog, None]:
        with tempfile.TemporaryDirectory() as folder:
            log = await SqliteLog.open(Path(folder) / "log.db")
            yield log
            await log.close()
