"""What a log's SQLite file holds: tables that only grow, and how older files become new ones.

The file itself holds the laws: its triggers stop every other program too. A file of a newer schema
is refused; an older one is copied beside itself and upgraded in one transaction, which is logged.
"""

import logging
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from ....errors import Damaged, Refused, Unavailable
from .file import FAULTS, Place, is_lock, roll_back, sync_directory

UPGRADES = logging.getLogger("urim.upgrades")
"""Says of each file that was upgraded, once, from which schema to which, and where the copy is."""

UPGRADES.addHandler(logging.NullHandler())

APPLICATION_ID = 0x55524D31
"""The bytes "URM1" at place 68 of the file: they mark a database of Urim."""

ENTRIES = """CREATE TABLE entries (
    table_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('open', 'hidden', 'text', 'hidden-text')),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    leaf BLOB NOT NULL CHECK (length(leaf) = 32),
    start INTEGER NOT NULL CHECK (0 <= start AND start <= seq),
    salt BLOB CHECK (length(salt) = 32),
    payload BLOB,
    CHECK ((salt IS NULL) = (payload IS NULL)),
    PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID"""

COMMITS = """CREATE TABLE commits (
    table_id TEXT NOT NULL,
    seat TEXT NOT NULL,
    request TEXT NOT NULL,
    mac BLOB NOT NULL CHECK (length(mac) = 32),
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL CHECK (0 <= start AND start < stop),
    PRIMARY KEY (table_id, seat, request)
) STRICT, WITHOUT ROWID"""

COMMITS_BY_START = "CREATE INDEX commits_by_start ON commits (table_id, start)"
"""Without it, who wants the latest requests of a table reads all that it ever had."""

HEADS = """CREATE TABLE heads (
    table_id TEXT NOT NULL,
    size INTEGER NOT NULL CHECK (size > 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    note BLOB NOT NULL,
    PRIMARY KEY (table_id, size)
) STRICT, WITHOUT ROWID"""

# REPLACE deletes without asking the delete triggers, but only after the insert triggers agreed.
DENSE = """CREATE TRIGGER entries_are_dense BEFORE INSERT ON entries
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE table_id = NEW.table_id)
BEGIN SELECT raise(ABORT, 'an entry must follow the last one'); END"""

IN_TIME = """CREATE TRIGGER entries_never_go_back BEFORE INSERT ON entries
WHEN NEW.at < (SELECT at FROM entries WHERE table_id = NEW.table_id ORDER BY seq DESC LIMIT 1)
BEGIN SELECT raise(ABORT, 'time never goes back'); END"""

# By their bytes: SQLite trusts no trigger with its JSON functions. In a JSON string the quotes of
# both would be escaped, so that no text and no request can have them.
ERASING = """SELECT 1 FROM entries WHERE table_id = {table} AND seq > {seq}
    AND instr(payload, CAST('"event":{{"type":"entry-erased/' AS BLOB))
    AND instr(payload, CAST('"seq":' || {seq} || '}}' AS BLOB))
    ORDER BY seq DESC LIMIT 1"""
"""Finds an EntryErased that names an entry; most name one of a moment ago, so the last is first."""

ERASED_ONLY = """CREATE TRIGGER entries_are_only_erased BEFORE UPDATE ON entries
WHEN NOT (NEW.table_id IS OLD.table_id AND NEW.seq IS OLD.seq AND NEW.at IS OLD.at
    AND NEW.kind IS OLD.kind AND NEW.digest IS OLD.digest AND NEW.leaf IS OLD.leaf
    AND NEW.start IS OLD.start
    AND NEW.salt IS NULL AND NEW.payload IS NULL AND NEW.kind IN ('text', 'hidden-text'))
BEGIN SELECT raise(ABORT, 'an entry changes only where it is a text, by losing it'); END"""

ERASED_BY = f"""CREATE TRIGGER entries_are_erased_by_one BEFORE UPDATE ON entries
WHEN ({ERASING.format(table="OLD.table_id", seq="OLD.seq")}) IS NULL
BEGIN SELECT raise(ABORT, 'a text is erased only beside the entry that erases it'); END"""

ENTRIES_STAY = """CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT raise(ABORT, 'an entry is never deleted'); END"""

COMMITS_ARE_NEW = """CREATE TRIGGER commits_are_new BEFORE INSERT ON commits
WHEN EXISTS (SELECT 1 FROM commits
        WHERE table_id = NEW.table_id AND seat = NEW.seat AND request = NEW.request)
    OR NEW.stop IS NOT (SELECT max(seq) + 1 FROM entries WHERE table_id = NEW.table_id)
BEGIN SELECT raise(ABORT, 'a commit is new, and of the last entries'); END"""

COMMITS_KEEP = """CREATE TRIGGER commits_keep BEFORE UPDATE ON commits
BEGIN SELECT raise(ABORT, 'a commit never changes'); END"""

COMMITS_STAY = """CREATE TRIGGER commits_stay BEFORE DELETE ON commits
BEGIN SELECT raise(ABORT, 'a commit is never deleted'); END"""

HEADS_ARE_NEW = """CREATE TRIGGER heads_are_new BEFORE INSERT ON heads
WHEN EXISTS (SELECT 1 FROM heads WHERE table_id = NEW.table_id AND size = NEW.size)
    OR NOT EXISTS (SELECT 1 FROM entries WHERE table_id = NEW.table_id AND seq = NEW.size - 1)
BEGIN SELECT raise(ABORT, 'a head is new, and of entries that are there'); END"""

HEADS_KEEP = """CREATE TRIGGER heads_keep BEFORE UPDATE ON heads
BEGIN SELECT raise(ABORT, 'a signed head never changes'); END"""

HEADS_STAY = """CREATE TRIGGER heads_stay BEFORE DELETE ON heads
BEGIN SELECT raise(ABORT, 'a signed head is never deleted'); END"""

LITESTREAM: Mapping[str, str] = {
    "_litestream_seq": "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
    "_litestream_lock": "CREATE TABLE _litestream_lock (id INTEGER)",
}
"""Tables that Litestream makes in every file that it copies; they hold nothing of a log."""


class Schema(Struct, frozen=True):
    """One format of the file: its number, its statements, and the way to it from older ones.

    `steps[n]` are the statements that make schema n + 1 out of schema n; after the last of them the
    file must hold exactly what `statements` make. `application` marks the file as one of these;
    `written` is one of its tables, which an opening asks to be allowed to write.
    """

    number: int
    statements: tuple[str, ...]
    steps: Mapping[int, tuple[str, ...]]
    application: int = APPLICATION_ID
    written: str = "commits"


SCHEMA = Schema(
    number=5,
    statements=(
        ENTRIES, COMMITS, DENSE, IN_TIME, ERASED_ONLY, ERASED_BY, ENTRIES_STAY, COMMITS_ARE_NEW,
        COMMITS_KEEP, COMMITS_STAY, HEADS, HEADS_ARE_NEW, HEADS_KEEP, HEADS_STAY, COMMITS_BY_START,
    ),
    # Before schema 3 no log had what was asked: nothing leads from there.
    steps={3: (ERASED_BY,), 4: (COMMITS_BY_START,)},
)  # fmt: skip


def prepare(place: Place, schema: Schema = SCHEMA) -> sqlite3.Connection:
    """Open the file for writing, and make or upgrade what it holds.

    Raises Refused("unreadable") for a file that is not ours, cannot be written, or has a schema
    that is newer, or older than all that can be upgraded; Damaged where tables or triggers are not
    what they should be; Unavailable when it is locked for longer than `place.busy` seconds.
    """
    with place.in_words():
        place.check()
        place.check_left()
        place.make()
        connection = place.connect()
        try:
            _until_free(place, connection, schema)
        except BaseException:
            connection.close()
            raise
    return connection


def is_current(place: Place, connection: sqlite3.Connection, schema: Schema = SCHEMA) -> bool:
    """Whether the file has this schema; False where it has an older one that can be upgraded.

    It is looked at as of one moment: call it within a transaction. Raises Refused and Damaged as
    `prepare` does, and Refused("unreadable") for a file that holds nothing yet.
    """
    found = _found(place, connection, schema)
    if found is None:
        raise Refused("unreadable", f"{place.path} holds nothing yet", allowed=[place.what])
    if found == schema.number:
        _compare(place, connection, schema)
    return found == schema.number


def _until_free(place: Place, connection: sqlite3.Connection, schema: Schema) -> None:
    # SQLite does not wait where waiting might be for ever, as while others turn on the WAL.
    deadline = time.monotonic() + place.busy
    while True:
        try:
            _prepare(place, connection, schema)
        except FAULTS as error:
            roll_back(connection)
            if not is_lock(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _prepare(place: Place, connection: sqlite3.Connection, schema: Schema) -> None:
    # Looked at as of one moment: another process may just be making it.
    connection.execute("BEGIN")
    _found(place, connection, schema)
    connection.execute("COMMIT")
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise Unavailable(f"{place.path} is where SQLite cannot keep a write-ahead log")
    connection.execute("BEGIN IMMEDIATE")
    copy: Path | None = None
    try:
        # Another process may have been first.
        found = _found(place, connection, schema)
        if found is None:
            _run(connection, schema.statements)
            connection.execute(f"PRAGMA application_id = {schema.application}")
        elif found < schema.number:
            copy = _copy(place, found)
            for step in range(found, schema.number):
                _run(connection, schema.steps[step])
        if found != schema.number:
            connection.execute(f"PRAGMA user_version = {schema.number}")
        _compare(place, connection, schema)
        # Changes nothing, but is refused where nothing may be changed: BEGIN alone is not.
        connection.execute(f"DELETE FROM {schema.written} WHERE false")  # noqa: S608
    except BaseException:
        roll_back(connection)
        raise
    connection.execute("COMMIT")
    sync_directory(place.path)
    if copy is not None:
        words = "%s is upgraded from schema %d to %d; as it was, it is kept in %s"
        UPGRADES.warning(words, place.path, found, schema.number, copy)


def _found(place: Place, connection: sqlite3.Connection, schema: Schema) -> int | None:
    """The number of the file's schema, None for a new file. Raises Refused for any other."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if (application, number, objects) == (0, 0, 0):
        return None
    if application != schema.application:
        why = f"{place.path} is a database of another application"
        raise Refused("unreadable", why, allowed=[place.what, "a new file"])
    if number > schema.number:
        why = f"{place.path} has schema {number}, newer than {schema.number}, the newest known here"
        raise Refused("unreadable", why, allowed=["a newer Urim"])
    if number < min(schema.steps, default=schema.number):
        why = f"{place.path} has schema {number}, from which nothing leads to {schema.number}"
        raise Refused("unreadable", why, allowed=["an older Urim"])
    return int(number)


def _run(connection: sqlite3.Connection, statements: tuple[str, ...]) -> None:
    for statement in statements:
        connection.execute(statement)


def _compare(place: Place, connection: sqlite3.Connection, schema: Schema) -> None:
    """Raises Damaged unless the file holds what the schema's statements make, and nothing else."""
    is_sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
    with closing(sqlite3.connect(":memory:")) as model:
        _run(model, schema.statements)
        expected = dict(model.execute(is_sql).fetchall())
    found = dict(connection.execute(is_sql).fetchall())
    expected |= {name: sql for name, sql in LITESTREAM.items() if name in found}
    # As text: where a bit was flipped, a name may be bytes.
    wrong = sorted(
        str(name) for name in expected | found if expected.get(name) != found.get(name)
    )  # fmt: skip
    if wrong:
        raise Damaged(f"{place.path} is not as schema {schema.number} has it: {', '.join(wrong)}")


def _copy(place: Place, number: int) -> Path:
    """Keep the file, beside itself, before it is upgraded; where. The caller holds the lock."""
    copy = _free(place.path, number)
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    kept = Place(unfinished, synchronous=place.synchronous)
    kept.make()
    with (
        closing(place.connect(reading=True)) as source,
        closing(kept.connect()) as target,
    ):
        source.backup(target)
    unfinished.rename(copy)
    sync_directory(copy)
    return copy


def _free(path: Path, number: int) -> Path:
    """A name beside the file that nothing has yet: an earlier copy is never written over."""
    copy = path.with_name(f"{path.name}.schema-{number}")
    turn = 1
    while copy.exists():
        turn += 1
        copy = path.with_name(f"{path.name}.schema-{number}.{turn}")
    return copy
