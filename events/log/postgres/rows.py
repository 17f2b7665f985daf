"""Entries and commits as rows of PostgreSQL, each checked on its way out.

The functions take a connection of their own; each is one statement, unless it says otherwise.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from ....errors import Damaged, Refused
from ...entry import Entry, verify_kept
from ..protocol import (
    PAGE,
    Answered,
    Appended,
    Commit,
    Conflict,
    Request,
    check_place,
    in_place,
    same_request,
)
from ..rowed import LARGEST
from ..whole import check_erasable, check_payloads, erased_by
from .schema import ERASING, FIRST

if TYPE_CHECKING:
    from .place import Connection

Result: TypeAlias = Appended | Conflict | Answered

READ = """SELECT (SELECT size FROM tables WHERE table_id = $1), found.*
FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
    SELECT seq, at, kind, digest, leaf, start, salt, payload FROM entries
    WHERE table_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS found ON true"""

LAST = """SELECT counted.size AS counted, counted.at AS latest, found.*
FROM (VALUES (1)) AS one LEFT JOIN tables AS counted ON counted.table_id = $1
LEFT JOIN LATERAL (
    SELECT seq, at, kind, digest, leaf, start, salt, payload FROM entries
    WHERE table_id = $1 ORDER BY seq DESC LIMIT 1) AS found ON true"""

SIZE = "SELECT size FROM tables WHERE table_id = $1"

SIZES = "SELECT table_id, size FROM tables WHERE table_id = ANY($1::text[])"

TABLES = "SELECT table_id FROM tables WHERE size > 0 ORDER BY table_id"

# One step from each table to the next: DISTINCT would read every row.
IDS = """WITH RECURSIVE ids (id) AS (
    SELECT min(table_id) FROM {rows}
    UNION ALL SELECT (SELECT min(table_id) FROM {rows} WHERE table_id > id) FROM ids
    WHERE id IS NOT NULL
) SELECT id FROM ids WHERE id IS NOT NULL"""

NO_ENTRIES = " WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.table_id = id)"

BESIDE = (
    IDS.format(rows="commits"),
    IDS.format(rows="heads"),
    "SELECT table_id AS id FROM tables WHERE size > 0",
)

# No text of anybody's is in these statements: they are made of those above.
STRAYS = tuple(
    "WITH known AS (" + each + ") SELECT id FROM known" + NO_ENTRIES  # noqa: S608
    for each in BESIDE
)

STRAY = """SELECT id FROM (SELECT $1::text AS id) AS one
WHERE NOT EXISTS (SELECT 1 FROM entries WHERE table_id = id) AND (
    EXISTS (SELECT 1 FROM commits WHERE table_id = id)
    OR EXISTS (SELECT 1 FROM heads WHERE table_id = id)
    OR EXISTS (SELECT 1 FROM tables WHERE table_id = id AND size > 0))"""

ANSWER = """SELECT mac, start, stop FROM commits
WHERE table_id = $1 AND seat = $2 AND request = $3"""

REQUESTS = """SELECT seat, request, mac, start, stop FROM commits
WHERE table_id = $1 AND start > $2 ORDER BY start LIMIT $3"""

FENCE = "SELECT fence FROM meta"

RAISE_FENCE = "UPDATE meta SET fence = fence + 1"

WAIT = "LOCK TABLE tables IN SHARE MODE"

NEW_TABLES = """INSERT INTO tables (table_id)
SELECT id FROM unnest($1::text[]) AS id ORDER BY id ON CONFLICT DO NOTHING"""

# In the order of the tables' ids, in every process: two that wait for one another would wait for
# ever. A row that another commit moves meanwhile is looked at again once that has ended.
KEEP = """WITH asked AS (
    SELECT * FROM unnest(
        $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
        $6::text[], $7::text[], $8::bytea[])
    AS asked (table_id, size, grown, first_at, last_at, seat, request, mac)
), held AS (
    SELECT found.table_id FROM (SELECT * FROM asked ORDER BY table_id) AS asked
    CROSS JOIN LATERAL (
        SELECT t.table_id FROM tables AS t
        WHERE t.table_id = asked.table_id AND t.size = asked.size AND t.at <= asked.first_at
        FOR NO KEY UPDATE) AS found
    WHERE NOT EXISTS (SELECT 1 FROM commits AS c WHERE c.table_id = asked.table_id
        AND c.seat = asked.seat AND c.request = asked.request)
    AND (SELECT fence FROM meta) = $18
), won AS (
    UPDATE tables AS t SET size = asked.grown, at = asked.last_at
    FROM held JOIN asked USING (table_id)
    WHERE t.table_id = held.table_id AND t.size = asked.size
    RETURNING t.table_id
), kept AS (
    INSERT INTO entries
    SELECT given.* FROM unnest(
        $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::bytea[], $14::bytea[],
        $15::bigint[], $16::bytea[], $17::bytea[])
    AS given (table_id, seq, at, kind, digest, leaf, start, salt, payload) JOIN won USING (table_id)
), requested AS (
    INSERT INTO commits
    SELECT asked.table_id, asked.seat, asked.request, asked.mac, asked.size, asked.grown
    FROM asked JOIN won USING (table_id) WHERE asked.request IS NOT NULL
)
SELECT table_id, NULL AS fence FROM won UNION ALL SELECT NULL, fence FROM meta"""

IS_ERASED = ERASING.format(table="$1::text", seq="$2::bigint")

ERASE = "UPDATE entries SET salt = NULL, payload = NULL WHERE table_id = $1 AND seq = $2"


class Keep(Struct, frozen=True):
    """The keeping of a commit that `check_commit` passed."""

    table: str
    entries: Sequence[Entry]
    expected: int
    request: Request | None

    @property
    def size(self) -> int:
        """How many entries the table has once it is kept."""
        return self.expected + len(self.entries)


async def keep_all(
    connection: "Connection", commits: Sequence[Keep], fence: int
) -> tuple[frozenset[str], int]:
    """Keep commits of different tables, each if it goes on there; the tables whose were kept.

    And the fence: where it is another, none was, whatever they hold. Two statements where a table
    is perhaps new. What was not kept is for `judge`.
    """
    new = [commit.table for commit in commits if commit.expected == 0]
    if new:
        await connection.execute(NEW_TABLES, new)
    rows = await connection.fetch(KEEP, *_columns(commits, fence))
    found = next(row["fence"] for row in rows if row["table_id"] is None)
    return frozenset(row["table_id"] for row in rows if row["table_id"] is not None), found


def _columns(commits: Sequence[Keep], fence: int) -> list[Any]:
    """The arguments of KEEP: commits in the order of their tables, then their entries."""
    ordered = sorted(commits, key=lambda commit: commit.table)
    asked = (
        (
            commit.table, commit.expected, commit.size, commit.entries[0].at,
            commit.entries[-1].at, *_request(commit.request),
        )
        for commit in ordered
    )  # fmt: skip
    given = (
        (
            commit.table, entry.seq, entry.at, entry.kind, entry.digest, entry.leaf, entry.commit,
            entry.salt, entry.payload,
        )
        for commit in ordered
        for entry in commit.entries
    )  # fmt: skip
    return [*_turned(asked), *_turned(given), fence]


def _turned(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _request(request: Request | None) -> tuple[str | None, str | None, bytes | None]:
    return (None, None, None) if request is None else (request.seat, request.id, request.mac)


async def judge(connection: "Connection", keep: Keep) -> Result | None:
    """Why a commit was not kept; None where nothing stands in its way any longer.

    Several statements: what each finds stays so. Raises as `EventLog.append` does.
    """
    table, request = keep.table, keep.request
    if request is not None:
        earlier = await answer(connection, table, request.seat, request.id)
        if earlier is not None:
            return same_request(request, earlier)
    last = await _last(connection, table)
    length = 0 if last is None else last.seq + 1
    if keep.expected < length:
        return Conflict(await read(connection, table, keep.expected - 1))
    check_place(keep.entries, length, last, keep.expected)
    return None


async def _last(connection: "Connection", table: str) -> Entry | None:
    """The last entry. Raises Damaged where it is not the one that its table counts as such."""
    row = await connection.fetchrow(LAST, table)
    if row is None or row["seq"] is None:
        last, has = None, (0, FIRST)
    else:
        last = entry_of(row)
        has = (last.seq + 1, last.at)
    counts = (
        (0, FIRST) if row is None or row["counted"] is None else (row["counted"], row["latest"])
    )
    if counts != has:
        why = f"table {table} counts {counts[0]} entries and has {has[0]}, or of another time"
        raise Damaged(why, seq=min(counts[0], has[0]))
    return last


async def read(
    connection: "Connection", table: str, after: int, limit: int | None = None
) -> tuple[Entry, ...]:
    """The entries after `after`, at most `limit`. Raises Damaged naming the first bad entry."""
    most = LARGEST if limit is None else min(limit, LARGEST)
    found = await connection.fetch(READ, table, min(after, LARGEST), most)
    size = found[0][0] or 0
    entries: list[Entry] = []
    for seq, row in enumerate((row for row in found if row["seq"] is not None), start=after + 1):
        if row["seq"] != seq:
            raise Damaged(f"table {table} has no such entry, but entry {row['seq']}", seq=seq)
        entry = entry_of(row)
        if entries and not in_place(entry, entries[-1].commit):
            raise Damaged(f"it is of commit {entry.commit}, which is over", seq=seq)
        entries.append(entry)
    stop = after + 1 + len(entries)
    if entries and stop > size:
        raise Damaged(f"table {table} counts {size} entries", seq=size)
    if len(entries) < most and stop < size:
        raise Damaged(f"table {table} counts {size} entries, and this one is not there", seq=stop)
    return tuple(entries)


def entry_of(row: "Any") -> Entry:
    """The entry that a row holds. Raises Damaged, naming it, where it was changed."""
    entry = Entry(
        row["seq"], row["at"], row["kind"], row["digest"], row["leaf"], row["start"], row["salt"],
        row["payload"],
    )  # fmt: skip
    verify_kept(entry)
    return entry


async def size_of(connection: "Connection", table: str) -> int:
    """How many entries the table has."""
    return int(await connection.fetchval(SIZE, table) or 0)


async def sizes(connection: "Connection", tables: Sequence[str]) -> dict[str, int]:
    """How many entries these tables have; of those alone that have a row."""
    return {row["table_id"]: row["size"] for row in await connection.fetch(SIZES, tables)}


async def tables(connection: "Connection") -> tuple[str, ...]:
    """The ids of all tables that have entries, sorted. Two statements."""
    found = {row[0] for row in await connection.fetch(TABLES)}
    return tuple(sorted(found - {*await strays(connection)}))


async def strays(connection: "Connection", table: str | None = None) -> tuple[str, ...]:
    """The ids with requests, heads or a size and no entries, this one alone if given, sorted.

    A statement for each of the three; what any log does meanwhile makes none.
    """
    if table is not None:
        return tuple(row[0] for row in await connection.fetch(STRAY, table))
    found = {row[0] for each in STRAYS for row in await connection.fetch(each)}
    return tuple(sorted(found))


async def answer(connection: "Connection", table: str, seat: str, id: str) -> Answered | None:
    """The commit that answered a request. Raises Damaged where its entries are not all there.

    Two statements.
    """
    found = await connection.fetchrow(ANSWER, table, seat, id)
    if found is None:
        return None
    mac, start, stop = found
    entries = await read(connection, table, start - 1, stop - start)
    if len(entries) != stop - start:
        raise Damaged(f"table {table} ends inside a commit", seq=start + len(entries))
    return Answered(mac, entries)


async def requests(
    connection: "Connection", table: str, after: int = -1, limit: int | None = None
) -> tuple[Commit, ...]:
    """The requests of commits that begin after `after`, at most `limit`. Raises Damaged."""
    most = LARGEST if limit is None else min(limit, LARGEST)
    return tuple(
        map(_commit_of, await connection.fetch(REQUESTS, table, min(after, LARGEST), most))
    )


def _commit_of(row: "Any") -> Commit:
    seat, id, mac, start, stop = row
    try:
        return Commit(Request(id, seat, mac), start, stop)
    except Refused as error:
        raise Damaged(f"the row of request {id!r} is damaged: {error.why}", seq=start) from error


async def fence(connection: "Connection") -> int:
    """The number that a commit must know; see `settle`."""
    return int(await connection.fetchval(FENCE))


async def settle(connection: "Connection") -> None:
    """Shut out what a process sent before it ended, and wait for what is being kept. Three steps.

    A server may get to the statement of a process long after that has ended. Every commit names the
    fence that its process knows, and is not kept under another one. A living process then asks for
    the new number and tries again; a dead one does not. What had begun before is waited for.
    """
    await connection.execute(RAISE_FENCE)
    async with connection.transaction():
        await connection.execute(WAIT)


async def erase(connection: "Connection", table: str, seq: int) -> None:
    """Remove a text's salt and payload. Raises Refused as `EventLog.erase`. Three statements."""
    found = await read(connection, table, seq - 1, 1) if 0 <= seq < LARGEST else ()
    if not found:
        raise Refused("unknown", f"table {table!r} has no entry {seq}")
    named = await connection.fetchval(IS_ERASED, table, seq)
    check_erasable(table, found[0], named=named is not None)
    await connection.execute(ERASE, table, seq)


async def structure(connection: "Connection") -> tuple[str, ...]:
    """What is wrong with the rows beside the entries; see `PostgresLog.structure`."""
    without = "has requests, signed heads or a size, but no entries"
    return tuple(f"table {table!r} {without}" for table in await strays(connection))


async def check(connection: "Connection") -> None:
    """Read everything as of one moment. Raises Damaged for what is not whole."""
    for problem in await structure(connection):
        raise Damaged(problem)
    for row in await connection.fetch(IDS.format(rows="entries")):
        found = [entry async for entry in every(connection, row[0]) if _counts(entry)]
        check_payloads(found)
        await _check_commits(connection, row[0])


def _counts(entry: Entry) -> bool:
    """Whether an entry is erased, or erases one: all others need not be remembered."""
    return entry.payload is None or erased_by(entry) is not None


async def every(connection: "Connection", table: str) -> AsyncIterator[Entry]:
    """Every entry of a table, each checked, also against the one before."""
    before = -1
    while page := await read(connection, table, max(before - 1, -1), PAGE + (before >= 0)):
        fresh = [entry for entry in page if entry.seq > before]
        for entry in fresh:
            yield entry
        if not fresh:
            return
        before = fresh[-1].seq


async def _check_commits(connection: "Connection", table: str) -> None:
    free, size = 0, await size_of(connection, table)
    for commit in await requests(connection, table):
        if not free <= commit.start < commit.stop <= size:
            why = f"a commit of entries {commit.start} to {commit.stop - 1} cannot be"
            raise Damaged(why, seq=commit.start)
        free = commit.stop
