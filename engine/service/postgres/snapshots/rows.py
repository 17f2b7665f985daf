"""Snapshots as rows of PostgreSQL: each form of a row, and the head of each table."""

from collections.abc import Sequence
from secrets import randbits
from typing import TYPE_CHECKING

from msgspec import Struct

from .....events.log.postgres.schema import COUNT, TEXT, Schema
from ....snapshots.protocol import Row
from ..locks import number_of

if TYPE_CHECKING:
    from .....events.log.postgres.place import Connection

SCHEMA = Schema(
    number=1,
    name="urim_snapshots",
    what="snapshots",
    tables={
        "meta": {
            "one": "boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one)",
            "number": "integer NOT NULL",
        },
        "heads": {
            "table_id": TEXT,
            "generation": COUNT,
            "size": COUNT,
            "body": "bytea NOT NULL",
            "": "PRIMARY KEY (table_id)",
        },
        "rows": {
            "table_id": TEXT,
            "generation": COUNT,
            "kind": TEXT,
            "number": COUNT,
            "size": COUNT,
            "body": "bytea NOT NULL",
            "": "PRIMARY KEY (table_id, generation, kind, number, size)",
        },
    },
    indexes={},
    laws={},
    steps={},
    first=("INSERT INTO meta VALUES (true, 0)",),
)
"""`rows.size` is that of the table when a row had this form."""

BITS = 63
"""Bits of a number, without its sign."""

ALONE = "SELECT pg_catalog.pg_advisory_xact_lock($1)"
"""What a transaction that writes a table's rows begins with."""

HEAD_OF = "SELECT generation, size, body FROM heads WHERE table_id = $1"
NEW_HEAD = """INSERT INTO heads VALUES ($1, $2, $3, $4) ON CONFLICT (table_id) DO UPDATE
SET generation = excluded.generation, size = excluded.size, body = excluded.body"""
IS_THERE = "SELECT 1 FROM heads WHERE table_id = $1 AND generation = $2"

READ = """SELECT body FROM rows
WHERE table_id = $1 AND generation = $2 AND kind = $3 AND number = $4 AND size <= $5
ORDER BY size DESC LIMIT 1"""
RANGE = """SELECT DISTINCT ON (number) number, body FROM rows
WHERE table_id = $1 AND generation = $2 AND kind = $3 AND number >= $4 AND number < $5
AND size <= $6 ORDER BY number, size DESC"""
NUMBERS = """SELECT DISTINCT number FROM rows
WHERE table_id = $1 AND generation = $2 AND kind = $3 AND size <= $4 ORDER BY number"""
WRITE = """INSERT INTO rows SELECT $1, $2, kind, number, $3, body
FROM unnest($4::text[], $5::bigint[], $6::bytea[]) AS fresh (kind, number, body)
ON CONFLICT (table_id, generation, kind, number, size) DO UPDATE SET body = excluded.body"""
DELETE = """DELETE FROM rows WHERE table_id = $1 AND generation = $2
AND (kind, number) IN (SELECT * FROM unnest($3::text[], $4::bigint[]))"""
# Who took up the head of before reads on; what only older ones would read goes.
THIN_OUT = """DELETE FROM rows AS old
USING unnest($3::text[], $4::bigint[]) AS fresh (kind, number)
WHERE old.table_id = $1 AND old.generation = $2 AND old.kind = fresh.kind
AND old.number = fresh.number AND old.size < (
    SELECT max(size) FROM rows AS kept WHERE kept.table_id = $1 AND kept.generation = $2
    AND kept.kind = fresh.kind AND kept.number = fresh.number AND kept.size <= $5)"""
DROP = "DELETE FROM rows WHERE table_id = $1 AND generation = $2"
DROP_OTHERS = "DELETE FROM rows WHERE table_id = $1 AND generation <> $2"
DROP_HEAD = "DELETE FROM heads WHERE table_id = $1 AND generation = $2 AND size = $3"
FORGET = ("DELETE FROM heads WHERE table_id = $1", "DELETE FROM rows WHERE table_id = $1")


class Generation(Struct, frozen=True):
    """Rows of a table that belong together, in the forms that they had when it had the size `at`.

    `head` is the size of their head as it is known, 0 where they have none.
    """

    table: str
    number: int
    head: int = 0
    at: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """What each statement begins with."""
        return self.table, self.number


def new_generation(table: str) -> Generation:
    """One that nobody has."""
    return Generation(table, randbits(BITS))


class Batch(Struct, frozen=True):
    """What is written at once, of a table of this size: rows, those to delete, perhaps a head."""

    size: int
    without: Sequence[tuple[str, int]]
    rows: Sequence[Row]
    head: bytes | None = None


async def head(connection: "Connection", table: str) -> tuple[Generation, bytes] | None:
    """The latest head of a table and its generation; None where there is none."""
    found = await connection.fetchrow(HEAD_OF, table)
    if found is None:
        return None
    number, size, body = found
    return Generation(table, number, size, size), body


async def read(connection: "Connection", of: Generation, kind: str, number: int) -> bytes | None:
    """A row; None where there is none."""
    found: bytes | None = await connection.fetchval(READ, *of.key, kind, number, of.at)
    return found


async def read_range(
    connection: "Connection", of: Generation, kind: str, span: range
) -> list[tuple[object, object]] | None:
    """Numbers and rows of a span; None where their head is gone."""
    found = await connection.fetch(RANGE, *of.key, kind, span.start, span.stop, of.at)
    return [(row[0], row[1]) for row in found] if await _there(connection, of) else None


async def numbers(connection: "Connection", of: Generation, kind: str) -> list[object] | None:
    """The numbers of all rows of a kind; None where their head is gone."""
    found = await connection.fetch(NUMBERS, *of.key, kind, of.at)
    return [row[0] for row in found] if await _there(connection, of) else None


async def _there(connection: "Connection", of: Generation) -> bool:
    return not of.head or await connection.fetchval(IS_THERE, *of.key) is not None


async def write(connection: "Connection", of: Generation, batch: Batch) -> bool:
    """Write a batch; False, and nothing written, where others wrote or threw away before that."""
    await _alone(connection, of.table)
    if not _may(await head(connection, of.table), of, batch):
        if not of.head:
            await connection.execute(DROP, *of.key)
        return False
    await connection.execute(DELETE, *of.key, *_columns(batch.without))
    places = _columns([row[:2] for row in batch.rows])
    bodies = [body for *_, body in batch.rows]
    await connection.execute(WRITE, *of.key, batch.size, *places, bodies)
    if batch.head is not None:
        await connection.execute(NEW_HEAD, *of.key, batch.size, batch.head)
        if of.head:
            await connection.execute(THIN_OUT, *of.key, *places, of.head)
        else:
            await connection.execute(DROP_OTHERS, *of.key)
    return True


def _may(found: tuple[Generation, bytes] | None, of: Generation, batch: Batch) -> bool:
    """Whether a batch may be written where there is this head."""
    if found is None or not of.head:
        return found is None and not of.head
    # Without a head it is an erasure, of every form of a row: whose head is the latest is the same.
    return found[0].number == of.number and (batch.head is None or found[0].head == of.head)


async def drop(connection: "Connection", of: Generation) -> None:
    """Delete a generation's rows, and its head, unless others wrote the next head."""
    await _alone(connection, of.table)
    if of.head and await connection.execute(DROP_HEAD, *of.key, of.head) == "DELETE 0":
        return
    await connection.execute(DROP, *of.key)


async def forget(connection: "Connection", table: str) -> bool:
    """Delete all of a table; whether there was anything."""
    await _alone(connection, table)
    done = [await connection.execute(statement, table) for statement in FORGET]
    return any(each != "DELETE 0" for each in done)


async def _alone(connection: "Connection", table: str) -> None:
    await connection.execute(ALONE, number_of(f"snapshots of {table}"))


def _columns(places: Sequence[tuple[str, int]]) -> tuple[list[str], list[int]]:
    return [kind for kind, _ in places], [number for _, number in places]
