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
ADD = "INSERT INTO records VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
# Again after the connection was lost: what is there by then may be this very record.
IS_IT = "SELECT sealed = $3 FROM records WHERE folder = $1 AND name = $2"
PUT = """INSERT INTO records VALUES ($1, $2, $3)
ON CONFLICT (folder, name) DO UPDATE SET sealed = excluded.sealed"""
REMOVE = "DELETE FROM records WHERE folder = $1 AND name = $2"
RENAME = "UPDATE records SET name = $3, sealed = $4 WHERE folder = $1 AND name = $2"
NAMES = """SELECT name FROM records
WHERE folder = $1 AND name >= $2 AND starts_with(name, $2) ORDER BY name"""
PROOF = "SELECT proof FROM meta"
AGREE = "UPDATE meta SET proof = $1 WHERE proof IS NULL"


class Sealed(Struct, frozen=True):
    """What a record holds, encrypted, and the proof of the key that encrypts all of them."""

    content: bytes
    proof: bytes


def parted(name: str) -> tuple[str, str]:
    """The folder of a record, "" for none, and its name there."""
    folder, _, own = name.rpartition("/")
    return folder, own


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


async def add(connection: "Connection", name: str, sealed: bytes) -> bool:
    """Add a record; False where there is another one of that name."""
    await connection.execute(ADD, *parted(name), sealed)
    return bool(await connection.fetchval(IS_IT, *parted(name), sealed))


async def put(connection: "Connection", name: str, sealed: bytes) -> None:
    """Write a record, over another one too."""
    await connection.execute(PUT, *parted(name), sealed)


async def remove(connection: "Connection", name: str) -> None:
    """Delete a record."""
    await connection.execute(REMOVE, *parted(name))


async def set_aside(
    connection: "Connection", name: str, other: str, again: Callable[[Sealed, str], bytes]
) -> None:
    """Rename a record to the first free name; `again` encrypts it under that one."""
    found = await find(connection, name)
    if found is None:
        return
    folder, own = parted(other)
    taken, free, turn = await names(connection, folder, own), own, 1
    while free in taken:
        turn += 1
        free = f"{own}.{turn}"
    whole = f"{folder}/{free}" if folder else free
    await connection.execute(RENAME, *parted(name), free, again(found, whole))


async def proof(connection: "Connection") -> bytes | None:
    """The proof of the key that encrypts all records; None before the first."""
    found: bytes | None = await connection.fetchval(PROOF)
    return found


async def agree(connection: "Connection", proof: bytes) -> bytes:
    """Keep the proof of a key, unless there is one; the one that counts."""
    await connection.execute(AGREE, proof)
    found: bytes = await connection.fetchval(PROOF)
    return found
