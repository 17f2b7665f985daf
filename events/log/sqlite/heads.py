"""Signed heads as rows of SQLite: of one size one root, and none is ever changed.

The functions take a connection and leave transactions to their caller.
"""

import sqlite3
from functools import partial
from typing import Any

from ....errors import Damaged, Refused
from ..head import Head, check_signed, same_head
from ..rowed import LARGEST
from . import rows

READ = "SELECT size, root, note FROM heads WHERE table_id = ? AND size > ? ORDER BY size LIMIT ?"

LAST = "SELECT size, root, note FROM heads WHERE table_id = ? ORDER BY size DESC LIMIT 1"

OF_SIZE = "SELECT size, root, note FROM heads WHERE table_id = ? AND size = ?"

KEEP = "INSERT INTO heads VALUES (?, ?, ?, ?)"

TABLES = "SELECT DISTINCT table_id FROM heads ORDER BY table_id"

LEAVES = "SELECT leaf FROM entries WHERE table_id = ? AND seq >= ? AND seq < ? ORDER BY seq"


def keep(connection: sqlite3.Connection, table: str, head: Head) -> Head:
    """Keep a head, or give back the one of its size; see `EventLog.keep_head`."""
    size = rows.size(connection, table)
    # A size beyond the table's is refused before SQLite, which may have no room for it, sees it.
    found = connection.execute(OF_SIZE, (table, min(head.size, size + 1))).fetchone()
    kept = same_head(head, found and head_of(found), table, size)
    if kept is None:
        connection.execute(KEEP, (table, head.size, head.root, head.note))
    return kept or head


def last(connection: sqlite3.Connection, table: str) -> Head | None:
    """The head of the largest size. Raises Damaged where its row is."""
    found = connection.execute(LAST, (table,)).fetchone()
    return found and head_of(found)


def read(
    connection: sqlite3.Connection, table: str, after: int = 0, limit: int | None = None
) -> tuple[Head, ...]:
    """The heads of sizes above `after`, at most `limit`. Raises Damaged where a row is."""
    most = LARGEST if limit is None else min(limit, LARGEST)
    found = connection.execute(READ, (table, min(after, LARGEST), most)).fetchall()
    return tuple(map(head_of, found))


def head_of(row: tuple[Any, ...]) -> Head:
    """The head that a row holds. Raises Damaged where a bit of it was flipped."""
    size, root, note = row
    try:
        if isinstance(size, int) and isinstance(root, bytes) and isinstance(note, bytes):
            return Head(size, root, note)
    except Refused as error:
        raise Damaged(f"the signed head of size {size} is damaged: {error.why}") from error
    raise Damaged(f"the row of the signed head of size {size!r} holds a value of another type")


def check(connection: sqlite3.Connection) -> None:
    """Hold all entries against all heads. Raises Damaged for the first head they do not fit.

    Signatures are not looked at: the file has no key.
    """
    for (table,) in connection.execute(TABLES).fetchall():
        check_signed(table, read(connection, table), partial(_leaves, connection, table))


def _leaves(connection: sqlite3.Connection, table: str, start: int, stop: int) -> list[bytes]:
    return [leaf for (leaf,) in connection.execute(LEAVES, (table, start, stop)).fetchall()]
