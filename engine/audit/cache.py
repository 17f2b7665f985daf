"""An audit keeps in memory what it used last, and the rest in one private file.

SQLite makes the file, gives it no name, and drops it with the connection. So the memory of an audit
does not grow with the log.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from weakref import finalize

from ...errors import Unavailable

T = TypeVar("T")

PRAGMAS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -2048;
    BEGIN;
"""
"""Nothing in the file outlives the audit: one transaction, no journal. SQLite holds 2 MiB of it."""


class PrivateFile:
    """A new file, until it is closed, or nobody has it any more: a seat has one and no end.

    Raises Unavailable where it does not fit on the disk.
    """

    def __init__(self) -> None:
        # Whichever thread drops the last reference closes it.
        self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._close = finalize(self, self._file.close)
        self._file.executescript(PRAGMAS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        try:
            return self._file.execute(sql, values)
        except sqlite3.Error as error:
            raise _no_room(error) from error

    def run_each(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement with each row of values."""
        try:
            self._file.executemany(sql, rows)
        except sqlite3.Error as error:
            raise _no_room(error) from error


def _no_room(error: sqlite3.Error) -> Unavailable:
    return Unavailable(f"no room for the working data of an audit: {error}")


class Cache(Generic[T]):
    """Numbered objects: the `size` used last in memory, the others in a table of the file.

    `pack` gives the bytes of an object, `unpack` the object of these bytes.
    """

    def __init__(
        self,
        file: PrivateFile,
        table: str,
        size: int,
        pack: Callable[[T], bytes],
        unpack: Callable[[bytes], T],
    ) -> None:
        self._file = file
        self._size = size
        self._pack = pack
        self._unpack = unpack
        self._memory: OrderedDict[int, T] = OrderedDict()
        self._unwritten: set[int] = set()
        # The names of the tables are constants of this package.
        self._read = f"SELECT body FROM {table} WHERE number = ?"  # noqa: S608
        self._write = f"INSERT OR REPLACE INTO {table} VALUES (?, ?)"  # noqa: S608
        file.run(f"CREATE TABLE {table} (number INTEGER PRIMARY KEY, body BLOB)")

    def get(self, number: int) -> T | None:
        """The object of that number; None where there is none."""
        found = self._memory.get(number)
        if found is not None:
            self._memory.move_to_end(number)
            return found
        row = self._file.run(self._read, (number,)).fetchone()
        if row is None:
            return None
        found = self._unpack(row[0])
        self.hold(number, found)
        return found

    def put(self, number: int, item: T) -> None:
        """Keep an object, in place of the one that had the number."""
        self._unwritten.add(number)
        self.hold(number, item)

    def hold(self, number: int, item: T) -> None:
        """Answer with this as long as it is in memory. It is not written to the file."""
        self._memory[number] = item
        self._memory.move_to_end(number)
        if len(self._memory) > self._size:
            oldest, dropped = self._memory.popitem(last=False)
            if oldest in self._unwritten:
                self._unwritten.discard(oldest)
                self._file.run(self._write, (oldest, self._pack(dropped)))
