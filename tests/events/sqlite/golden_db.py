"""Writes a database file of the newest schema, and beside it in words what it holds, to be kept.

`python -m tests.events.sqlite.golden_db` writes golden/schema-N.db and .json beside it, once:
a file that is there is never written again.
"""

import json
from pathlib import Path

from tests.events.sqlite.runs import kept_in, on_log
from urim.engine.testing.log.harness import ASK, OTHER, TABLE, commit, entry, erasing
from urim.events.entry import Entry
from urim.events.log.head import Head
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.schema import SCHEMA
from urim.events.merkle import root_of

GOLDEN = Path(__file__).parent / "golden"


SECOND = (entry(2, kind="hidden"), entry(3, first=2), entry(4, kind="hidden-text", first=2))
"""The commit that answered ASK."""

TEXT = entry(1, kind="text", first=0)
"""The text of the other table, which was erased."""


async def fill(log: SqliteLog) -> None:
    """Something of everything that the file can hold."""
    await log.append(TABLE, commit(0, 2), 0)
    await log.append(TABLE, SECOND, 2, ASK)
    await log.append(TABLE, [erasing(5, 4)], 5)
    await log.append(OTHER, [entry(0), TEXT, erasing(2, 1), entry(3, kind="text")], 0)
    await log.erase(OTHER, 1)
    for head in await heads_of(log):
        await log.keep_head(TABLE, head)


async def heads_of(log: SqliteLog) -> tuple[Head, ...]:
    """Heads of some sizes of the first table, over its entries; nobody has signed their notes."""
    leaves = [each.leaf for each in await log.read(TABLE)]
    roots = {size: root_of(leaves[:size]) for size in (2, 5, 6)}
    return tuple(Head(size, root, b"note of %d" % size) for size, root in roots.items())


def in_words(entries: tuple[Entry, ...]) -> list[list[str | int | None]]:
    """Entries as JSON can hold them."""
    found: list[list[str | int | None]] = []
    for each in entries:
        blobs = (each.digest, each.leaf, each.salt, each.payload)
        words = (None if blob is None else blob.hex() for blob in blobs)
        found.append([each.seq, each.at, each.kind, each.commit, *words])
    return found


def main() -> None:
    """Write both files, unless they are there."""
    path = GOLDEN / f"schema-{SCHEMA.number}.db"
    if path.exists():
        print(f"{path.name} is there, and stays as it is")
        return
    GOLDEN.mkdir(exist_ok=True)
    on_log(path, fill)
    words = {table: in_words(entries) for table, entries in kept_in(path).items()}
    path.with_suffix(".json").write_text(json.dumps(words, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
