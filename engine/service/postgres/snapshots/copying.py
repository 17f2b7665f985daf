"""Snapshots copied out of a database as they are at one moment, by a role that may only read."""

from typing import TYPE_CHECKING

from .....events.log.postgres.place import Place, shut
from .....events.log.postgres.schema import number_in, prepare
from ....snapshots.file import Snapshots
from ....snapshots.protocol import HEAD, Row
from .rows import SCHEMA, head

if TYPE_CHECKING:
    from .....events.log.postgres.place import Connection

TABLES = """SELECT table_id FROM heads WHERE table_id = coalesce($1, table_id) ORDER BY table_id"""
LATEST = """SELECT DISTINCT ON (kind, number) kind, number, body FROM rows
WHERE table_id = $1 AND generation = $2 AND size <= $3 ORDER BY kind, number, size DESC"""

SOME = 500
"""Rows that are in memory at once."""


async def copy(url: str, to: Snapshots, table: str | None = None) -> None:
    """Copy the latest snapshot of a table, or of each, as they are at one moment; nothing changes.

    Rows are copied as they are, with their MACs. Where no snapshots are kept none are copied.
    Raises Refused("unreadable") where they may not be read, Damaged where they are not what this
    version makes, Unavailable where nothing can be reached.
    """
    place = Place(url, schema=SCHEMA.name, reading=True)
    connection = await place.connect()
    try:
        async with place.in_words(), connection.transaction(isolation="repeatable_read"):
            if await number_in(place, connection, SCHEMA) is not None:
                await prepare(place, connection, SCHEMA)
                for (each,) in await connection.fetch(TABLES, table):
                    await _copy(connection, to, each)
    finally:
        await shut(connection)


async def _copy(connection: "Connection", to: Snapshots, table: str) -> None:
    """Copy the rows behind the head of a table, in the form that it knows, and the head."""
    found = await head(connection, table)
    if found is None:
        return
    of, body = found
    some: list[Row] = [(HEAD, 0, body)]
    async for kind, number, row in connection.cursor(LATEST, *of.key, of.head, prefetch=SOME):
        some.append((kind, number, row))
        if len(some) == SOME:
            to.write(table, some, ())
            some.clear()
    to.write(table, some, ())
