"""The log in PostgreSQL behaves like every other."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from urim.engine.testing.log import EventLogConformance
from urim.events.log.postgres import PostgresLog
from urim.events.log.protocol import EventLog


class TestPostgresLog(EventLogConformance):
    url: str

    @pytest.fixture(autouse=True)
    def _on(self, url: str) -> None:
        self.url = url

    @asynccontextmanager
    async def make_log(self) -> AsyncGenerator[EventLog, None]:
        log = await PostgresLog.open(self.url)
        yield log
        await log.close()
