"""The log in PostgreSQL behaves like every other."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from tests.events.postgres.server import Databases
from urim.engine.testing.log import EventLogConformance
from urim.events.log.postgres import PostgresLog
from urim.events.log.protocol import EventLog


class TestPostgresLog(EventLogConformance):
    databases: Databases

    @pytest.fixture(autouse=True)
    def _on(self, databases: Databases) -> None:
        self.databases = databases

    @asynccontextmanager
    async def make_log(self) -> AsyncGenerator[EventLog, None]:
        url = await self.databases.empty()
        log = await PostgresLog.open(url)
        yield log
        await log.close()
        self.databases.free.append(url)
