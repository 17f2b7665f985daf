"""Entries and commits as rows of SQLite, each checked on its way out.

The functions take a connection and leave transactions to their caller.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

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
from ..whole import check_erasable, check_payloads
from .schema import ERASING

Result: TypeAlias = Appended | Conflict | Answered

_HEAD = (int, int, str, bytes, bytes, int)
TYPES = ((*_HEAD, bytes, bytes), (*_HEAD, type(None), type(None)))
"""What a row's values are: STRICT tables see to it, until a bit of a row's header is flipped."""

READ = """SELECT seq, at, kind, digest, leaf, start, salt, payload FROM entries
WHERE table_id = ? AND seq > ? ORDER BY seq LIMIT ?"""

LAST = """SELECT seq, at, kind, digest, leaf, start, salt, payload FROM entries
WHERE table_id = ? ORDER BY seq DESC LIMIT 1"""

SIZE = "SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE table_id = ?"

# One step from each table to the next: DISTINCT would read every entry.
IDS = """WITH RECURSIVE ids (id) AS (
    SELECT min(table_id) FROM {rows}
    UNION ALL SELECT (SELECT min(table_id) FROM {rows} WHERE table_id > id) FROM ids
    WHERE id IS NOT NULL
) SELECT id FROM ids WHERE id IS NOT NULL"""

TABLES = IDS.format(rows="entries")

NO_ENTRIES = " AND NOT EXISTS (SELECT 1 FROM entries WHERE table_id = id)"

BESIDE = tuple(IDS.format(rows=rows) for rows in ("commits", "heads"))

STRAYS = tuple(each + NO_ENTRIES for each in BESIDE)

STRAY = """SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM entries WHERE table_id = ?1)
AND (EXISTS (SELECT 1 FROM commits WHERE table_id = ?1)
    OR EXISTS (SELECT 1 FROM heads WHERE table_id = ?1))"""

ANSWER = """SELECT mac, start, stop FROM commits
WHERE table_id = ? AND seat = ? AND request = ?"""

REQUESTS = """SELECT seat, request, mac, start, stop FROM commits
WHERE table_id = ? AND start > ? ORDER BY start LIMIT ?"""

RANGES = "SELECT start, stop FROM commits WHERE table_id = ? ORDER BY start"

KEEP = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

KEEP_COMMIT = "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?)"

IS_ERASED = ERASING.format(table="?1", seq="?2")
"""Whether an EntryErased names an entry: the file's own law asks the same."""

ERASE = "UPDATE entries SET salt = NULL, payload = NULL WHERE table_id = ? AND seq = ?"


def read(
    connection: sqlite3.Connection, table: str, after: int = -1, limit: int | None = None
) -> tuple[Entry, ...]:
    """The entries after `after`, at most `limit`. Raises Damaged naming the first bad entry."""
    most = LARGEST if limit is None else min(limit, LARGEST)
    found = connection.execute(READ, (table, min(after, LARGEST), most)).fetchall()
    entries: list[Entry] = []
    for seq, row in enumerate(found, start=after + 1):
        if row[0] != seq:
            raise Damaged(f"table {table} has no such entry, but entry {row[0]}", seq=seq)
        entry = entry_of(row)
        if entries and not in_place(entry, entries[-1].commit):
            raise Damaged(f"it is of commit {entry.commit}, which is over", seq=seq)
        entries.append(entry)
    return tuple(entries)


def entry_of(row: tuple[Any, ...]) -> Entry:
    """The entry that a row holds. Raises Damaged, naming it, where a bit of it was flipped."""
    if tuple(map(type, row)) not in TYPES:
        raise Damaged("the row holds a value of another type than an entry's", seq=_number(row[0]))
    entry = Entry(*row)
    verify_kept(entry)
    return entry


def _number(value: object) -> int | None:
    """A place in a log; None where a bit of its row was flipped, and it is no number."""
    return value if isinstance(value, int) else None


def size(connection: sqlite3.Connection, table: str) -> int:
    """How many entries the table has."""
    (count,) = connection.execute(SIZE, (table,)).fetchone()
    return int(count)


def tables(connection: sqlite3.Connection) -> tuple[str, ...]:
    """The ids of all tables that have entries, sorted.

    Those too that are known from requests and heads alone, where damage hides them in this order.
    """
    found = {id for each in (TABLES, *BESIDE) for (id,) in connection.execute(each).fetchall()}
    return tuple(sorted(found - {*strays(connection)}))


def strays(connection: sqlite3.Connection, table: str | None = None) -> tuple[str, ...]:
    """The ids with requests or heads and no entries, this one alone if given, sorted."""
    if table is not None:
        return tuple(id for (id,) in connection.execute(STRAY, (table,)).fetchall())
    return tuple(sorted({id for each in STRAYS for (id,) in connection.execute(each).fetchall()}))


def answer(connection: sqlite3.Connection, table: str, seat: str, id: str) -> Answered | None:
    """The commit that answered a request. Raises Damaged where its entries are not all there."""
    found = connection.execute(ANSWER, (table, seat, id)).fetchone()
    if found is None:
        return None
    mac, start, stop = found
    if tuple(map(type, found)) != (bytes, int, int):
        raise Damaged(f"the row of request {id!r} holds a value of another type")
    entries = read(connection, table, start - 1, stop - start)
    if len(entries) != stop - start:
        raise Damaged(f"table {table} ends inside a commit", seq=start + len(entries))
    return Answered(mac, entries)


def requests(
    connection: sqlite3.Connection, table: str, after: int = -1, limit: int | None = None
) -> tuple[Commit, ...]:
    """The requests of commits that begin after `after`, at most `limit`. Raises Damaged."""
    most = LARGEST if limit is None else min(limit, LARGEST)
    found = connection.execute(REQUESTS, (table, min(after, LARGEST), most)).fetchall()
    return tuple(map(_commit_of, found))


def _commit_of(row: tuple[Any, ...]) -> Commit:
    """The request that a row holds. Raises Damaged where a bit of it was flipped."""
    seat, id, mac, start, stop = row
    if tuple(map(type, row)) != (str, str, bytes, int, int):
        why = f"the row of request {id!r} holds a value of another type"
        raise Damaged(why, seq=_number(start))
    try:
        return Commit(Request(id, seat, mac), start, stop)
    except Refused as error:
        raise Damaged(f"the row of request {id!r} is damaged: {error.why}", seq=start) from error


class Keep(Struct, frozen=True):
    """The keeping of a commit that `check_commit` passed: call it on a connection that writes."""

    table: str
    entries: Sequence[Entry]
    expected: int
    request: Request | None

    def __call__(self, connection: sqlite3.Connection) -> Result:
        """Keep the commit, or return why not; see `EventLog.append`."""
        table, request = self.table, self.request
        if request is not None:
            earlier = answer(connection, table, request.seat, request.id)
            if earlier is not None:
                return same_request(request, earlier)
        found = connection.execute(LAST, (table,)).fetchone()
        last = None if found is None else entry_of(found)
        length = 0 if last is None else last.seq + 1
        if self.expected < length:
            return Conflict(read(connection, table, self.expected - 1))
        check_place(self.entries, length, last, self.expected)
        return keep_all(connection, [self])[0]


def keep_all(connection: sqlite3.Connection, commits: Sequence[Keep]) -> list[Appended]:
    """Keep commits of different tables, each new and after a last entry that is whole.

    Raises sqlite3.IntegrityError, with some of it done, where the laws of the file know better.
    """
    rows = [_row(commit.table, entry) for commit in commits for entry in commit.entries]
    connection.executemany(KEEP, rows)
    requests = [row for commit in commits for row in _request(commit)]
    connection.executemany(KEEP_COMMIT, requests)
    return [Appended(commit.expected + len(commit.entries)) for commit in commits]


def _row(table: str, entry: Entry) -> tuple[str | int | bytes | None, ...]:
    return (
        table, entry.seq, entry.at, entry.kind, entry.digest, entry.leaf, entry.commit,
        entry.salt, entry.payload,
    )  # fmt: skip


def _request(commit: Keep) -> list[tuple[str | int | bytes, ...]]:
    request, start = commit.request, commit.expected
    if request is None:
        return []
    stop = start + len(commit.entries)
    return [(commit.table, request.seat, request.id, request.mac, start, stop)]


def structure(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What is wrong with the file itself; see `SqliteLog.structure`."""
    problems = (str(word) for (word,) in connection.execute("PRAGMA integrity_check").fetchall())
    found = [f"the file is damaged: {problem}" for problem in problems if problem != "ok"]
    without = "has requests or signed heads, but no entries"
    return (*found, *(f"table {table!r} {without}" for table in strays(connection)))


def check(connection: sqlite3.Connection) -> None:
    """Read everything, and SQLite's own structures. Raises Damaged for what is not whole."""
    for problem in structure(connection):
        raise Damaged(problem)
    for table in tables(connection):
        check_payloads(_all(connection, table))
    for (table,) in connection.execute("SELECT DISTINCT table_id FROM commits").fetchall():
        _check_commits(connection, table)


def _all(connection: sqlite3.Connection, table: str) -> Iterator[Entry]:
    """Every entry of a table, each checked, also against the one before."""
    for start in range(0, size(connection, table), PAGE):
        page = read(connection, table, max(start - 2, -1), PAGE + (start > 0))
        yield from page[1:] if start else page


def _check_commits(connection: sqlite3.Connection, table: str) -> None:
    free = 0
    for start, stop in connection.execute(RANGES, (table,)).fetchall():
        if _number(start) is None or _number(stop) is None:
            raise Damaged(f"a commit of table {table} has no place that is a number")
        if not free <= start < stop <= size(connection, table):
            raise Damaged(f"a commit of entries {start} to {stop - 1} cannot be", seq=start)
        free = stop


def settle(connection: sqlite3.Connection) -> None:
    """Write something that changes nothing.

    A process that was killed may have left a commit in the write-ahead log that no living one sees,
    and that would be found when the last of them is gone: this takes its place there.
    """
    [(number,)] = connection.execute("PRAGMA user_version").fetchall()
    connection.execute(f"PRAGMA user_version = {number}")


def erase(connection: sqlite3.Connection, table: str, seq: int) -> None:
    """Remove a text's salt and payload. Raises Refused as `EventLog.erase` does."""
    found = read(connection, table, seq - 1, 1) if seq >= 0 else ()
    if not found:
        raise Refused("unknown", f"table {table!r} has no entry {seq}")
    named = connection.execute(IS_ERASED, (table, seq)).fetchone()
    check_erasable(table, found[0], named=named is not None)
    connection.execute(ERASE, (table, seq))
