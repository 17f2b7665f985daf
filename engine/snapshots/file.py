"""The file of all snapshots of a log: rows by table, kind and number, each with its MAC.

One process at a time has the file; another one has a private file meanwhile, which goes with it.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from threading import RLock
from typing import TypeVar

from ...errors import Unavailable
from ..logs import logger
from .protocol import Row, StaleSnapshot
from .recent import Recent
from .rows import TableRows

T = TypeVar("T")

MEMORY = 64 * 1024 * 1024
"""Bytes of memory for the rows used last, of all tables."""

ENDING = ".snapshots"
"""What the file is called after the database's own name."""

PRAGMAS = """
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON;
    PRAGMA cache_size = -4096;
    CREATE TABLE IF NOT EXISTS rows (
        tbl TEXT, kind TEXT, number INTEGER, body BLOB, PRIMARY KEY (tbl, kind, number)
    ) WITHOUT ROWID;
    BEGIN IMMEDIATE;
    COMMIT;
"""
"""A flush is written whole or not at all; one that is lost with the power costs time alone."""

READ = "SELECT body FROM rows WHERE tbl = ? AND kind = ? AND number = ?"
RANGE = """
    SELECT number, body FROM rows WHERE tbl = ? AND kind = ? AND number BETWEEN ? AND ?
    ORDER BY number
"""
NUMBERS = "SELECT number FROM rows WHERE tbl = ? AND kind = ? ORDER BY number"
WRITE = "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)"
DELETE = "DELETE FROM rows WHERE tbl = ? AND kind = ? AND number = ?"
ANY = "SELECT 1 FROM rows WHERE tbl = ? LIMIT 1"
FORGET = "DELETE FROM rows WHERE tbl = ?"


class Snapshots:
    """The snapshots of the tables of one log, in the file at `path`; None: in a private one.

    `memory` bounds the rows in memory. Threads may share it.
    """

    def __init__(self, path: Path | None = None, memory: int = MEMORY) -> None:
        self.path = path
        self.recent = Recent(memory)
        self.lock = RLock()
        self._thrown: dict[str, int] = {}
        self._all_thrown = 0
        self._closed = False
        self._file: sqlite3.Connection | None = None
        self._own = False

    @classmethod
    def beside(cls, database: Path, memory: int = MEMORY) -> "Snapshots":
        """Those of a database, in a file that is called after it."""
        return cls(database.with_name(database.name + ENDING), memory)

    def _known(self) -> sqlite3.Connection | None:
        """The file, where there is one: none is made to be read."""
        self._check_open()
        if self._file is None and self.path is not None and self.path.exists():
            self._file, self._own = self._opened()
        return self._file

    def _opened(self) -> tuple[sqlite3.Connection, bool]:
        """A file, and whether it is the one at the path."""
        if self.path is not None:
            for _ in range(2):
                found = self._named(self.path)
                if found is not None:
                    return found, True
        return _connected(""), False

    def _named(self, path: Path) -> sqlite3.Connection | None:
        """The file of that name; None where another process has it, or it cannot be used."""
        try:
            _made(path)
            return _connected(str(path))
        except (sqlite3.OperationalError, OSError) as error:
            logger.info("snapshots not used", path=str(path), why=str(error))
        except sqlite3.DatabaseError as error:
            logger.warning("snapshots thrown away", path=str(path), why=str(error))
            _remove(path)
        return None

    async def apart(self, work: Callable[[], T], /) -> T:
        """See `SnapshotStore.apart`: a file is read at once."""
        return work()

    def table(self, table: str, key: bytes) -> TableRows:
        """The rows of one table, under a key that follows from its secret."""
        return TableRows(self, FileRows(self, table), table, key)

    def run(self, sql: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        """The rows of one question. Raises StaleSnapshot where the file is damaged, or closed."""
        with self.lock:
            file = self._known()
            if file is None:
                return []
            try:
                return file.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise self._thrown_away(error) from error

    def write(self, table: str, rows: Iterable[Row], without: Iterable[tuple[str, int]]) -> None:
        """Delete rows of a table, and write others, all or none. Raises StaleSnapshot, Unavailable.

        `without` are the kinds and numbers of those to delete.
        """
        with self.lock:
            file = self._known()
            if file is None:
                self._file, self._own = self._opened()
                file = self._file
            try:
                file.execute("BEGIN IMMEDIATE")
                file.executemany(DELETE, ((table, *place) for place in without))
                file.executemany(WRITE, ((table, *row) for row in rows))
                file.execute("COMMIT")
            except (sqlite3.OperationalError, OverflowError) as error:  # perhaps the disk is full
                with suppress(sqlite3.Error):
                    file.execute("ROLLBACK")
                if isinstance(error, OverflowError):
                    raise
                raise Unavailable(f"no snapshot could be written: {error}") from error
            except sqlite3.Error as error:
                raise self._thrown_away(error) from error

    def forget(self, table: str, *, damaged: bool = False) -> bool:
        """Throw away all rows of a table, their bytes too: for all that read them they are stale.

        False where there are none: nothing is stale, unless they are `damaged`: some were there.
        """
        before = self.times_thrown(table)
        with self.lock, suppress(StaleSnapshot):
            if self.run(ANY, (table,)) or damaged:
                self._thrown[table] = self._thrown.get(table, 0) + 1
                self.run(FORGET, (table,))
                self.purge()
        self.recent.drop(table)
        return self.times_thrown(table) != before

    def times_thrown(self, table: str) -> tuple[int, int]:
        """How often the rows of a table were thrown away: those of all tables, and its own."""
        return self._all_thrown, self._thrown.get(table, 0)

    def purge(self) -> None:
        """Let nothing that was overwritten stay in the file's log of writes."""
        with suppress(StaleSnapshot):
            self.run("PRAGMA wal_checkpoint(TRUNCATE)", ())

    def close(self) -> None:
        """Let go of the file."""
        with self.lock:
            self._closed = True
            if self._file is not None:
                self._file.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StaleSnapshot("the file of snapshots is closed")

    def _thrown_away(self, error: sqlite3.Error) -> StaleSnapshot:
        """Begin a new file in place of one that is damaged; every table's snapshot is gone."""
        if self._file is not None:
            self._file.close()
        if self.path is not None and self._own:  # or it is another process's
            _remove(self.path)
        self._all_thrown += 1
        self.recent.clear()
        self._file = None
        logger.warning("snapshots thrown away", path=str(self.path), why=str(error))
        return StaleSnapshot("the file of snapshots is damaged, and was thrown away: ask again")


class FileRows:
    """A table's rows in the file; see `StoredRows`. There is one form of each: the latest."""

    shared = False

    def __init__(self, snapshots: Snapshots, table: str) -> None:
        self.known_as = table
        self._snapshots = snapshots
        self._thrown = snapshots.times_thrown(table)

    @property
    def stale(self) -> bool:
        """Whether they were thrown away."""
        return self._thrown != self._snapshots.times_thrown(self.known_as)

    def start_over(self) -> None:
        """Throw all of them away, and begin with none."""
        self._snapshots.forget(self.known_as)
        self._thrown = self._snapshots.times_thrown(self.known_as)

    def read(self, kind: str, number: int) -> object:
        """What a row holds; None where there is none. Raises StaleSnapshot."""
        found = self._snapshots.run(READ, (self.known_as, kind, number))
        return found[0][0] if found else None

    def read_range(self, kind: str, start: int, stop: int) -> list[tuple[object, object]]:
        """Numbers and contents of the rows from `start` up to `stop`. Raises StaleSnapshot."""
        found = self._snapshots.run(RANGE, (self.known_as, kind, start, stop - 1))
        return [(number, whole) for number, whole in found]

    def numbers(self, kind: str) -> list[object]:
        """The numbers of all rows of a kind. Raises StaleSnapshot."""
        return [row[0] for row in self._snapshots.run(NUMBERS, (self.known_as, kind))]

    def write(self, rows: Iterable[Row], without: Iterable[tuple[str, int]], size: int) -> None:
        """See `Snapshots.write`."""
        self._snapshots.write(self.known_as, rows, without)

    def wrote(self, size: int) -> None:
        """Nothing: who reads a row has its latest form."""

    def throw_away(self) -> None:
        """Throw all of them away: one was not what was written."""
        if not self.stale:
            self._snapshots.forget(self.known_as, damaged=True)


def _connected(name: str) -> sqlite3.Connection:
    """A connection to a file, which is this process's alone; "" is a private one."""
    found = sqlite3.connect(name, isolation_level=None, check_same_thread=False, timeout=0)
    try:
        found.executescript(PRAGMAS)
    except sqlite3.Error:
        found.close()
        raise
    return found


def _made(path: Path) -> None:
    """A file of that name, for its owner alone. Raises OSError for a link, or where it cannot be.

    One that is there is not opened: to close it again would end the locks of this process on it.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not S_ISREG(path.lstat().st_mode):
            raise


def _remove(path: Path) -> None:
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        with suppress(OSError):
            each.unlink(missing_ok=True)
