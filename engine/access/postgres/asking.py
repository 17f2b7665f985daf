"""Questions to PostgreSQL from a thread that waits, in the words that SQLite has for them."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from ....events.log.postgres.place import Connection


class Found(Struct, frozen=True):
    """What a question found; see `rows.Cursor`."""

    rows: list[Any]
    rowcount: int

    def fetchone(self) -> Any:
        return self.rows[0] if self.rows else None

    def fetchall(self) -> list[Any]:
        return self.rows


class Asking:
    """A `rows.Connection`: each question is asked in the loop that has the connection."""

    def __init__(self, connection: "Connection", loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Found:
        asking = self._execute(translated(sql), parameters)
        return asyncio.run_coroutine_threadsafe(asking, self._loop).result()

    async def _execute(self, sql: str, parameters: Sequence[Any]) -> Found:
        asked = await self._connection.prepare(sql)
        found = await asked.fetch(*parameters)
        done = (asked.get_statusmsg() or "").rpartition(" ")[2]
        return Found(list(found), int(done) if done.isdecimal() else 0)


@lru_cache
def translated(sql: str) -> str:
    """A statement with `?` for each value, as PostgreSQL has it; `IS ?` is true for two NULLs."""
    numbers = count(1)
    parts = sql.replace(" IS ?", " IS NOT DISTINCT FROM ?").split("?")
    return "".join(f"{part}${next(numbers)}" for part in parts[:-1]) + parts[-1]
