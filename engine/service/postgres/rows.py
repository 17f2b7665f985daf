"""Records as rows of PostgreSQL: a folder, a name, and what is encrypted."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from ....events.log.postgres.schema import TEXT, Schema

if TYPE_CHECKING:
    from ....events.log.postgres.place import Connection

SCHEMA = Schema(
    number=1,
    name="urim_secrets",
    what="secrets",
    tables={
        "meta": {
            "one": "boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one)",
            "number": "integer NOT NULL",
            "proof": "bytea CHECK (length(proof) = 32)",
        },
        "records": {
            "folder": TEXT,
            "name": TEXT,
            "sealed": "bytea NOT NULL",
            "": "PRIMARY KEY (folder, name)",
        },
    },
    indexes={},
    laws={},
    steps={},
    first=("INSERT INTO meta VALUES (true, 0, NULL)",),
)
"""`meta.proof` shows under which key all records are encrypted, and not the key."""

FIND = """SELECT sealed, (SELECT proof FROM meta) FROM records WHERE folder = $1 AND name = $2"""
# Nothing is written where all is encrypted under another key by now: `rotate` has locked the table
# before it wrote that proof, and a statement looks only once it has its own lock.
ADD = """INSERT INTO records SELECT $1, $2, $3 FROM meta WHERE proof = $4 ON CONFLICT DO NOTHING"""
# Again after the connection was lost: what is there by then may be this very record.
IS_IT = "SELECT sealed = $3 FROM records WHERE folder = $1 AND name = $2"
PUT = """INSERT INTO records SELECT $1, $2, $3 FROM meta WHERE proof = $4
ON CONFLICT (folder, name) DO UPDATE SET sealed = excluded.sealed RETURNING true"""
REMOVE = "DELETE FROM records WHERE folder = $1 AND name = $2"
HOLD = "LOCK TABLE records IN ROW EXCLUSIVE MODE"
RENAME = "UPDATE records SET name = $3, sealed = $4 WHERE folder = $1 AND name = $2"
NAMES = """SELECT name FROM records
WHERE folder = $1 AND name >= $2 AND starts_with(name, $2) ORDER BY name"""
PROOF = "SELECT proof FROM meta"
AGREE = "UPDATE meta SET proof = $1 WHERE proof IS NULL"
LOCK = "LOCK TABLE records IN EXCLUSIVE MODE"
ALL = "SELECT folder, name, sealed FROM records"
RESEAL = "UPDATE records SET sealed = $3 WHERE folder = $1 AND name = $2"
PROVE = "UPDATE meta SET proof = $1"
COUNT = "SELECT count(*) FROM records"

PAGE = 1_000
"""Records that are encrypted again between two questions."""


class Sealed(Struct, frozen=True):
    """What a record holds, encrypted, and the proof of the key that encrypts all of them."""

    content: bytes
    proof: bytes


def parted(name: str) -> tuple[str, str]:
    """The folder of a record, "" for none, and its name there."""
    folder, _, own = name.rpartition("/")
    return folder, own


def joined(folder: str, own: str) -> str:
    """The whole name of a record."""
    return f"{folder}/{own}" if folder else own


async def there(_: "Connection") -> bool:
    """True: who asks has found the schema."""
    return True


async def find(connection: "Connection", name: str) -> Sealed | None:
    """What a record holds."""
    found = await connection.fetchrow(FIND, *parted(name))
    return None if found is None else Sealed(found[0], found[1] or b"")


async def names(connection: "Connection", folder: str, stem: str) -> tuple[str, ...]:
    """The names in a folder that begin so, sorted."""
    return tuple(row[0] for row in await connection.fetch(NAMES, folder, stem))


async def add(connection: "Connection", name: str, sealed: Sealed) -> bool | None:
    """Add a record; False where there is another one of that name, None where its key is not used.

    Nothing is done then.
    """
    await connection.execute(ADD, *parted(name), sealed.content, sealed.proof)
    if await connection.fetchval(PROOF) != sealed.proof:
        return None
    return bool(await connection.fetchval(IS_IT, *parted(name), sealed.content))


async def put(connection: "Connection", name: str, sealed: Sealed) -> bool | None:
    """Write a record, over another one too; None, and nothing done, where its key is not used."""
    kept: bool | None = await connection.fetchval(PUT, *parted(name), sealed.content, sealed.proof)
    return kept


async def remove(connection: "Connection", name: str) -> None:
    """Delete a record."""
    await connection.execute(REMOVE, *parted(name))


async def set_aside(
    connection: "Connection", name: str, other: str, again: Callable[[Sealed, str], bytes]
) -> None:
    """Rename a record to the first free name; `again` encrypts it under that one."""
    await connection.execute(HOLD)
    found = await find(connection, name)
    if found is None:
        return
    folder, own = parted(other)
    taken, free, turn = await names(connection, folder, own), own, 1
    while free in taken:
        turn += 1
        free = f"{own}.{turn}"
    await connection.execute(RENAME, *parted(name), free, again(found, joined(folder, free)))


async def proof(connection: "Connection") -> bytes | None:
    """The proof of the key that encrypts all records; None before the first."""
    found: bytes | None = await connection.fetchval(PROOF)
    return found


async def agree(connection: "Connection", proof: bytes) -> bytes:
    """Keep the proof of a key, unless there is one; the one that counts."""
    await connection.execute(AGREE, proof)
    found: bytes = await connection.fetchval(PROOF)
    return found


async def rotate(
    connection: "Connection", proof: bytes, again: Callable[[Sealed, str], bytes]
) -> int:
    """Encrypt every record `again`, under the key of this proof; how many they are.

    To be done in one transaction. Nobody else writes meanwhile. Where the answer to it was lost it
    is done already.
    """
    await connection.execute(LOCK)
    known: bytes = await connection.fetchval(PROOF)
    if known == proof:
        return int(await connection.fetchval(COUNT))
    count = 0
    records = await connection.cursor(ALL)
    while page := await records.fetch(PAGE):
        resealed = [
            (folder, name, again(Sealed(content, known), joined(folder, name)))
            for folder, name, content in page
        ]
        await connection.executemany(RESEAL, resealed)
        count += len(page)
    await connection.execute(PROVE, proof)
    return count
