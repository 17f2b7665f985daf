"""The log in memory behaves like every other."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from urim.engine.testing.log import EventLogConformance
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog


class TestMemoryLog(EventLogConformance):
    @asynccontextmanager
    async def make_log(self) -> AsyncGenerator[EventLog, None]:
        log = MemoryLog()
        yield log
        await log.close()
