"""What an audit keeps of each roll while a log passes by, and every seed and nonce that it saw.

The rolls touched last stay in memory; older ones, and the seeds and nonces, go to a private file
that SQLite makes, keeps nowhere, and drops with the connection: memory does not grow with the log.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

from ...errors import Unavailable
from ...events.base import Level
from .roll_store import private_file

IN_MEMORY = 256
"""Rolls kept in memory, at most."""

BATCH = 1_000
"""Seeds and nonces written at once."""


TABLES = """
    CREATE TABLE books (roll INTEGER PRIMARY KEY, book BLOB);
    CREATE TABLE uses (kind TEXT, value BLOB, seq INTEGER);
"""


class Waiting(Struct):
    """A commitment that waits for its throw; `seq` and `leaf` are those of its entry."""

    throw: int
    commit: str
    seq: int
    leaf: bytes


class Bound(Struct):
    """A nonce bound for throw `throw` at level `table`; who was asked, what they gave."""

    seat: str
    throw: int
    nonce_commit: str
    asked: tuple[str, ...]
    given: dict[str, str] = {}
    passed: set[str] = set()


class Book(Struct):
    """One roll, as far as its throws go.

    `known`: its declaration is in the file; `hidden`: some of its entries may be withheld.
    `kinds` are the kinds of the dice thrown last, `throws` the number of the next throw.
    """

    roll: int
    seat: str = ""
    level: Level = "server"
    known: bool = False
    hidden: bool = True
    throws: int = 0
    waiting: Waiting | None = None
    bound: Bound | None = None
    kinds: tuple[str, ...] = ()


class ThrowLedger:
    """The rolls' books and the values used, while it is open; `uses` counts the values.

    Raises Unavailable where the file does not fit on the disk.
    """

    def __init__(self) -> None:
        self._near: OrderedDict[int, Book] = OrderedDict()
        self.uses = 0
        self._uses: list[tuple[str, bytes, int]] = []
        self._encoder = Encoder()
        self._decoder = Decoder(Book)
        self._file = private_file(TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def get(self, roll: int) -> Book | None:
        """A roll's book, to be changed as one likes; None where there is none."""
        found = self._near.get(roll)
        if found is not None:
            self._near.move_to_end(roll)
            return found
        row = self._run("SELECT book FROM books WHERE roll = ?", (roll,)).fetchone()
        return None if row is None else self.put(self._decoder.decode(row[0]))

    def put(self, book: Book) -> Book:
        """Begin a roll's book, or take it in again."""
        self._near[book.roll] = book
        while len(self._near) > IN_MEMORY:
            roll, old = self._near.popitem(last=False)
            row = (roll, self._encoder.encode(old))
            self._run("INSERT OR REPLACE INTO books VALUES (?, ?)", row)
        return book

    def used(self, kind: str, value: str, seq: int) -> None:
        """Remember that entry `seq` opens a seed or gives a nonce, hex digits as a rule."""
        try:
            held = bytes.fromhex(value)
        except ValueError:
            held = value.encode("utf-8", "replace")
        self._uses.append((kind, held, seq))
        self.uses += 1
        if len(self._uses) >= BATCH:
            self._flush()

    def reused(self) -> Iterator[tuple[str, int, int, int]]:
        """Every value used more than once: its kind, how often, its first and last entry."""
        self._flush()
        yield from self._run(
            """SELECT kind, count(*), min(seq), max(seq) FROM uses
            GROUP BY kind, value HAVING count(*) > 1 ORDER BY max(seq)"""
        )

    def _flush(self) -> None:
        try:
            self._file.executemany("INSERT INTO uses VALUES (?, ?, ?)", self._uses)
        except sqlite3.Error as error:
            raise _no_room(error) from error
        self._uses.clear()

    def _run(self, sql: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._file.execute(sql, values)
        except sqlite3.Error as error:
            raise _no_room(error) from error


def _no_room(error: sqlite3.Error) -> Unavailable:
    return Unavailable(f"no room for what an audit keeps aside: {error}")
