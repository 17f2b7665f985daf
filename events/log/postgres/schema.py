"""What a log's database holds: tables that only grow, and how older schemas become new ones.

The database itself holds the laws: its triggers stop every other program too. Every key begins with
the table's id, so that a database which is spread over machines by it needs no other schema. Text
is compared by its bytes (collation "C"), as Python does. All of it is in a schema of its own.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from ....errors import Damaged, Refused
from .place import LOG, Place

if TYPE_CHECKING:
    from .place import Connection

LOCK = 0x55524D31
"""The advisory lock of who makes or upgrades it: "URM1"."""

FIRST = -(2**63)
"""The time of an empty table: before any that an entry may have."""

TEXT, HASH = 'text COLLATE "C" NOT NULL', "bytea NOT NULL CHECK (length({0}) = 32)"
COUNT = "bigint NOT NULL"

TABLES: Mapping[str, Mapping[str, str]] = {
    "meta": {
        "one": "boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one)",
        "number": "integer NOT NULL",
        "fence": COUNT,
    },
    "tables": {
        "table_id": f"{TEXT} PRIMARY KEY",
        "size": f"{COUNT} DEFAULT 0 CHECK (size >= 0)",
        "at": f"{COUNT} DEFAULT {FIRST}",
    },
    "entries": {
        "table_id": TEXT,
        "seq": COUNT,
        "at": COUNT,
        "kind": f"{TEXT} CHECK (kind IN ('open', 'hidden', 'text', 'hidden-text'))",
        "digest": HASH,
        "leaf": HASH,
        "start": f"{COUNT} CHECK (0 <= start AND start <= seq)",
        "salt": "bytea CHECK (length(salt) = 32)",
        "payload": "bytea CHECK ((salt IS NULL) = (payload IS NULL))",
        "": "PRIMARY KEY (table_id, seq)",
    },
    "commits": {
        "table_id": TEXT,
        "seat": TEXT,
        "request": TEXT,
        "mac": HASH,
        "start": COUNT,
        "stop": f"{COUNT} CHECK (0 <= start AND start < stop)",
        "": "PRIMARY KEY (table_id, seat, request)",
    },
    "heads": {
        "table_id": TEXT,
        "size": f"{COUNT} CHECK (size > 0)",
        "root": HASH,
        "note": "bytea NOT NULL",
        "": "PRIMARY KEY (table_id, size)",
    },
}
"""Of `tables`, a row says how many entries there are, and of when the last one is: who appends
moves it first, and of those who expect the same size only one does. `meta.fence` is a number that
every commit must know; see `rows.settle`."""

INDEXES: Mapping[str, str] = {"commits_by_start": "commits (table_id, start)"}
"""Without it, who wants the latest requests of a table reads all that it ever had."""

MORE = {"tables": "WITH (fillfactor = 50)"}
"""A row of `tables` changes at every commit: with room beside it, no index has to."""

ERASING = """SELECT 1 FROM entries WHERE table_id = {table} AND seq > {seq}
    AND position(convert_to('"event":{{"type":"entry-erased/', 'UTF8') IN payload) > 0
    AND position(convert_to('"seq":' || {seq} || '}}', 'UTF8') IN payload) > 0
    ORDER BY seq DESC LIMIT 1"""
"""Finds an EntryErased that names an entry, by its bytes; in a JSON string the quotes of both would
be escaped, so that no text and no request can have them."""


class Law(Struct, frozen=True):
    """A trigger of a table: at which event it looks, what finds the law broken, and its words.

    The triggers after a statement know its rows as `fresh`, and `was` before an update; those for
    each row as NEW and OLD.
    """

    event: str
    broken: str
    words: str


AFTER_INSERT = "AFTER INSERT ON {0} REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT"
AFTER_UPDATE = (
    "AFTER UPDATE ON {0} REFERENCING OLD TABLE AS was NEW TABLE AS fresh FOR EACH STATEMENT"
)
ROW_INSERT, ROW_UPDATE = "BEFORE INSERT ON {0} FOR EACH ROW", "BEFORE UPDATE ON {0} FOR EACH ROW"
ANY_UPDATE = "BEFORE UPDATE ON {0} FOR EACH STATEMENT"
ANY_LOSS = "BEFORE DELETE OR TRUNCATE ON {0} FOR EACH STATEMENT"

# Single rows are looked up by their keys, within SELECTs that no plan can turn into a join: what is
# planned for a small table is kept and must be good for a large one.
LAWS: Mapping[str, Law] = {
    "entries_follow": Law(
        AFTER_INSERT.format("entries"),
        """SELECT 1 FROM fresh WHERE seq > 0 AND NOT coalesce(at >= (
            SELECT before.at FROM entries AS before
            WHERE before.table_id = fresh.table_id AND before.seq = fresh.seq - 1), false)""",
        "an entry must follow the last one, and time never goes back",
    ),
    "entries_are_counted": Law(
        AFTER_INSERT.format("entries"),
        """SELECT 1 FROM (
                SELECT table_id, max(seq) + 1 AS size FROM fresh GROUP BY table_id) AS ends
            WHERE size IS DISTINCT FROM (
                SELECT counted.size FROM tables AS counted
                WHERE counted.table_id = ends.table_id)""",
        "the last entry must be counted by its table",
    ),
    "entries_are_only_erased": Law(
        ROW_UPDATE.format("entries"),
        """SELECT 1 WHERE NOT ((NEW.table_id, NEW.seq, NEW.at, NEW.kind, NEW.digest, NEW.leaf,
                NEW.start) IS NOT DISTINCT FROM (OLD.table_id, OLD.seq, OLD.at, OLD.kind,
                OLD.digest, OLD.leaf, OLD.start)
            AND NEW.salt IS NULL AND NEW.payload IS NULL
            AND NEW.kind IN ('text', 'hidden-text'))""",
        "an entry changes only where it is a text, by losing it",
    ),
    "entries_are_erased_by_one": Law(
        ROW_UPDATE.format("entries"),
        f"SELECT 1 WHERE NOT EXISTS ({ERASING.format(table='OLD.table_id', seq='OLD.seq')})",
        "a text is erased only beside the entry that erases it",
    ),
    "entries_stay": Law(ANY_LOSS.format("entries"), "SELECT 1", "an entry is never deleted"),
    "tables_begin_empty": Law(
        ROW_INSERT.format("tables"),
        f"SELECT 1 WHERE NEW.size <> 0 OR NEW.at <> ({FIRST})::bigint",
        "a table begins empty",
    ),
    "tables_count": Law(
        AFTER_UPDATE.format("tables"),
        """SELECT 1 FROM fresh WHERE at IS DISTINCT FROM (
                SELECT last.at FROM entries AS last
                WHERE last.table_id = fresh.table_id AND last.seq = fresh.size - 1)
            OR EXISTS (SELECT 1 FROM entries AS more
                WHERE more.table_id = fresh.table_id AND more.seq >= fresh.size)
            OR (SELECT count(*) FROM was) <>
                (SELECT count(*) FROM was JOIN fresh AS now USING (table_id))""",
        "a table counts its entries",
    ),
    "tables_stay": Law(ANY_LOSS.format("tables"), "SELECT 1", "a table is never deleted"),
    "commits_are_last": Law(
        AFTER_INSERT.format("commits"),
        """SELECT 1 FROM fresh WHERE stop IS DISTINCT FROM (
            SELECT counted.size FROM tables AS counted
            WHERE counted.table_id = fresh.table_id)""",
        "a commit is of the last entries",
    ),
    "commits_keep": Law(ANY_UPDATE.format("commits"), "SELECT 1", "a commit never changes"),
    "commits_stay": Law(ANY_LOSS.format("commits"), "SELECT 1", "a commit is never deleted"),
    "heads_are_of_entries": Law(
        ROW_INSERT.format("heads"),
        """SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM entries
            WHERE table_id = NEW.table_id AND seq = NEW.size - 1)""",
        "a head is of entries that are there",
    ),
    "heads_keep": Law(ANY_UPDATE.format("heads"), "SELECT 1", "a signed head never changes"),
    "heads_stay": Law(ANY_LOSS.format("heads"), "SELECT 1", "a signed head is never deleted"),
}

BODY = """
BEGIN
    IF EXISTS ({broken}) THEN RAISE EXCEPTION '{words}'; END IF;
    RETURN {given};
END"""


class Schema(Struct, frozen=True):
    """One form of what a database holds: its number, what is in it, the way to it from older ones.

    `steps[n]` are the statements that make schema n + 1 out of schema n; after the last of them the
    database must hold exactly what `statements` make. `name` is PostgreSQL's schema, `what` says
    what it holds, and `first` are the rows that it begins with; `meta.number` is the number.
    """

    number: int
    tables: Mapping[str, Mapping[str, str]]
    indexes: Mapping[str, str]
    laws: Mapping[str, Law]
    steps: Mapping[int, tuple[str, ...]]
    name: str = LOG
    what: str = "log"
    first: tuple[str, ...] = ("INSERT INTO meta VALUES (true, 0, 0)",)

    def statements(self) -> Iterator[str]:
        """What makes a new one, in a schema that is there and empty."""
        for name, columns in self.tables.items():
            parts = (f"{column} {kind}".format(column) for column, kind in columns.items())
            yield f"CREATE TABLE {name} ({', '.join(parts)}) {MORE.get(name, '')}"
        for name, of in self.indexes.items():
            yield f"CREATE INDEX {name} ON {of}"
        for name, law in self.laws.items():
            yield from law_statements(name, law, self.name)
        yield from self.first

    def lines(self) -> Iterator[str]:
        """What the catalogs of PostgreSQL say of it, as FOUND has it."""
        for name, columns in self.tables.items():
            for column, kind in columns.items():
                if column:
                    needed = "NOT NULL" if "NOT NULL" in kind else "NULL"
                    in_bytes = " C" if '"C"' in kind else ""
                    yield f"column {name}.{column} {kind.split()[0]} {needed}{in_bytes}"
            checks = sum("CHECK" in f"{kind}".format(column) for column, kind in columns.items())
            yield f"constraints {name} {checks} 1"
        for name in self.indexes:
            yield f"index {name}"
        for name, law in self.laws.items():
            yield f"trigger {name} {_table_of(law)} on {name}"
            yield f"function {name} {body_of(law)}"


def law_statements(name: str, law: Law, schema: str = LOG) -> Iterator[str]:
    """What makes a law: a function, and the trigger that calls it."""
    yield (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql"
        f" SET search_path = {schema}, pg_catalog, pg_temp SET enable_seqscan = off"
        f" AS $body${body_of(law)}$body$"
    )
    yield f"CREATE TRIGGER {name} {law.event} EXECUTE FUNCTION {name}()"


def body_of(law: Law) -> str:
    """The source of a law's function."""
    given = "NEW" if law.event.endswith("ROW") else "NULL"
    return BODY.format(broken=law.broken, words=law.words, given=given)


def _table_of(law: Law) -> str:
    return law.event.partition(" ON ")[2].split()[0]


SCHEMA = Schema(number=1, tables=TABLES, indexes=INDEXES, laws=LAWS, steps={})

IS_THERE = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1"
IS_EMPTY = """SELECT NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)"""
IS_OURS = "SELECT to_regclass($1) IS NOT NULL"
NUMBER = "SELECT number FROM meta"

# The catalogs' own words, not SQL made from them again, which differs from version to version.
FOUND = """
WITH tables AS (
    SELECT c.oid, c.relname FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
)
SELECT 'column ' || t.relname || '.' || a.attname || ' '
    || pg_catalog.format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE ' NULL' END
    || CASE WHEN l.collname IN ('C', 'POSIX') THEN ' C' ELSE '' END
FROM tables t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid
LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'constraints ' || t.relname || ' ' || count(*) FILTER (WHERE c.contype = 'c')
    || ' ' || count(*) FILTER (WHERE c.contype = 'p')
FROM tables t LEFT JOIN pg_catalog.pg_constraint c ON c.conrelid = t.oid GROUP BY t.relname
UNION ALL
SELECT 'index ' || c.relname FROM tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisprimary AND i.indisvalid
UNION ALL
SELECT 'trigger ' || g.tgname || ' ' || t.relname
    || CASE WHEN g.tgenabled IN ('O', 'A') THEN ' on ' ELSE ' off ' END || p.proname
FROM tables t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
UNION ALL
SELECT 'function ' || p.proname || ' ' || p.prosrc FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1"""


async def prepare(place: Place, connection: "Connection", schema: Schema = SCHEMA) -> None:
    """Make, upgrade or check what a database holds, in one transaction under a lock.

    Raises Refused("unreadable") for a schema that is newer, that is somebody else's, or older than
    all that can be upgraded, where nothing may be made, and behind a pooler that lends sessions;
    Damaged where tables or triggers are not what they should be; Unavailable as `Place.connect`. A
    place for reading is left as it is.
    """
    await place.check_session(connection)
    async with place.in_words(), connection.transaction():
        if not place.reading:
            await connection.execute("SELECT pg_catalog.pg_advisory_xact_lock($1)", LOCK)
        found = await number_in(place, connection, schema)
        if found != schema.number:
            if place.reading or (found is None and not place.make):
                raise _not_here(place, schema, found)
            await _make(connection, schema, found)
        await _compare(place, connection, schema)


def _not_here(place: Place, schema: Schema, found: int | None) -> Refused:
    has = f"holds no {schema.what}" if found is None else f"has schema {found}, which is older"
    allowed = ["open it for writing, which makes or upgrades it"]
    return Refused("unreadable", f"the {place.shown} {has}", allowed=allowed)


async def number_in(place: Place, connection: "Connection", schema: Schema) -> int | None:
    """The number of the schema, None where there is none. Raises Refused for any other."""
    if await connection.fetchval(IS_EMPTY, schema.name):  # perhaps its keeper made it for us
        return None
    if not await connection.fetchval(IS_OURS, f"{schema.name}.meta"):
        why = f"the {place.shown} has a schema {schema.name} of another application"
        raise Refused("unreadable", why, allowed=["another database"])
    number = await connection.fetchval(NUMBER)
    if number is None:
        raise Damaged(f"the {place.shown} does not say what schema it has")
    if number > schema.number:
        why = f"the {place.shown} has schema {number}, newer than {schema.number}, the newest here"
        raise Refused("unreadable", why, allowed=["a newer Urim"])
    if number < min(schema.steps, default=schema.number):
        why = f"the {place.shown} has schema {number}, from which nothing leads to {schema.number}"
        raise Refused("unreadable", why, allowed=["an older Urim"])
    return int(number)


async def _make(connection: "Connection", schema: Schema, found: int | None) -> None:
    if found is None:
        if await connection.fetchval(IS_THERE, schema.name) is None:
            await connection.execute(f"CREATE SCHEMA {schema.name}")
        for statement in schema.statements():
            await connection.execute(statement)
    else:
        for step in range(found, schema.number):
            for statement in schema.steps[step]:
                await connection.execute(statement)
    await connection.execute("UPDATE meta SET number = $1", schema.number)


async def _compare(place: Place, connection: "Connection", schema: Schema) -> None:
    """Raises Damaged unless the database holds what the schema's statements make."""
    rows = await connection.fetch(FOUND, schema.name)
    wrong = {row[0] for row in rows} ^ {*schema.lines()}
    if wrong:
        names = sorted({" ".join(line.split()[:2]) for line in wrong})
        why = f"the {place.shown} is not as schema {schema.number} has it: {', '.join(names)}"
        raise Damaged(why)
