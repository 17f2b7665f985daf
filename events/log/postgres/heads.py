"""Signed heads as rows of PostgreSQL: of one size one root, and none is ever changed."""

from functools import partial
from typing import TYPE_CHECKING, Any

from ....errors import Damaged, Refused
from ..head import Head, check_signed, same_head
from ..rowed import LARGEST
from . import rows

if TYPE_CHECKING:
    from .place import Connection

READ = """SELECT size, root, note FROM heads
WHERE table_id = $1 AND size > $2 ORDER BY size LIMIT $3"""

LAST = """SELECT size, root, note FROM heads
WHERE table_id = $1 ORDER BY size DESC LIMIT 1"""

OF_SIZE = "SELECT size, root, note FROM heads WHERE table_id = $1 AND size = $2"

KEEP = "INSERT INTO heads VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"

LEAVES = """SELECT leaf FROM entries
WHERE table_id = $1 AND seq >= $2 AND seq < $3 ORDER BY seq"""


async def keep(connection: "Connection", table: str, head: Head) -> Head:
    """Keep a head, or give back the one of its size; see `EventLog.keep_head`."""
    size = await rows.size_of(connection, table)
    kept = same_head(head, await _of_size(connection, table, min(head.size, size)), table, size)
    if kept is not None:
        return kept
    await connection.execute(KEEP, table, head.size, head.root, head.note)
    # Another may have been first, a moment ago.
    return same_head(head, await _of_size(connection, table, head.size), table, size) or head


async def _of_size(connection: "Connection", table: str, size: int) -> Head | None:
    found = await connection.fetchrow(OF_SIZE, table, size)
    return None if found is None else head_of(found)


async def last(connection: "Connection", table: str) -> Head | None:
    """The head of the largest size. Raises Damaged where its row is."""
    found = await connection.fetchrow(LAST, table)
    return None if found is None else head_of(found)


async def read(
    connection: "Connection", table: str, after: int = 0, limit: int | None = None
) -> tuple[Head, ...]:
    """The heads of sizes above `after`, at most `limit`. Raises Damaged where a row is."""
    most = LARGEST if limit is None else min(limit, LARGEST)
    found = await connection.fetch(READ, table, min(after, LARGEST), most)
    return tuple(map(head_of, found))


def head_of(row: "Any") -> Head:
    """The head that a row holds. Raises Damaged where it cannot be one."""
    size, root, note = row
    try:
        return Head(size, root, note)
    except Refused as error:
        raise Damaged(f"the signed head of size {size} is damaged: {error.why}") from error


async def check(connection: "Connection") -> None:
    """Hold all entries against all heads. Raises Damaged for the first head they do not fit.

    Signatures are not looked at: the database has no key.
    """
    for row in await connection.fetch(rows.IDS.format(rows="heads")):
        table, kept = row[0], await read(connection, row[0])
        found = await connection.fetch(LEAVES, table, 0, kept[-1].size)
        check_signed(table, kept, partial(_between, [leaf[0] for leaf in found]))


def _between(leaves: list[bytes], start: int, stop: int) -> list[bytes]:
    return leaves[start:stop]
