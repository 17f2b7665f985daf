"""Where an audit puts what it need not hold: rolls that are done with, and whose entry is whose.

All of it goes to a private file that SQLite makes, keeps nowhere, and drops with the connection, so
that memory does not grow with the log. A roll is its entries there, and folded again from them.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from immutables import Map
from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from ...errors import Defect, Unavailable
from ...events.codec import RecordedEvent
from ...projections.rolls import evolve
from ...projections.rollstate import Binding, Game, Outstanding, RollState

T = TypeVar("T")

NEAR = 64
"""Rolls in memory, at most; a table seldom has more under way."""

BATCH = 256
"""Places written down at once."""

TABLES = """
    CREATE TABLE rolls (number INTEGER PRIMARY KEY, body BLOB);
    CREATE TABLE following (number INTEGER PRIMARY KEY, body BLOB);
    CREATE TABLE places (seq INTEGER PRIMARY KEY, roll INTEGER, writer TEXT);
    CREATE TABLE told (seq INTEGER PRIMARY KEY, roll INTEGER, body BLOB, before BLOB);
    CREATE INDEX told_of ON told (roll);
"""

_encoder = Encoder()

_followers = Decoder(tuple[int, ...])

PRAGMAS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -1024;
"""
"""Nothing in it outlives the audit; 1 MiB of it is held in memory, half of SQLite's own measure."""


class Place(Struct, frozen=True):
    """What is known of an entry: the roll it is of or about; who wrote it, where it is a text."""

    roll: int | None
    writer: str | None


class RollStore:
    """The file, and what is kept in it."""

    def __init__(self) -> None:
        self._file = private_file(TABLES)
        self._places: dict[int, Place] = {}

    def rolls(self, game: Game) -> "Rolls":
        """The rolls of a table with these rules, none so far."""
        return Rolls(Cache(self, "rolls", _packed, lambda body: _unpacked(body, game)))

    def following(self) -> "Following":
        """Who follows whom, nobody so far."""
        return Following(Cache(self, "following", _encoder.encode, _followers.decode))

    def close(self) -> None:
        """Let go of the file, and of all that was in it."""
        self._file.close()

    def run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement. Raises Unavailable where there is no room for the file."""
        try:
            return self._file.execute(sql, values)
        except sqlite3.Error as error:
            raise _no_room(error) from error

    def run_each(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement with each row of values. Raises as `run` does."""
        try:
            self._file.executemany(sql, rows)
        except sqlite3.Error as error:
            raise _no_room(error) from error

    def place(self, seq: int) -> Place | None:
        """What is known of entry `seq`, where it is of a roll or a text."""
        if seq in self._places:
            return self._places[seq]
        sql = "SELECT roll, writer FROM places WHERE seq = ?"
        found = self.run(sql, (seq,)).fetchone()
        return None if found is None else Place(*found)

    def put_place(self, seq: int, roll: int | None, writer: str | None = None) -> None:
        """Remember what entry `seq` is of or about; `writer` is a text's."""
        self._places[seq] = Place(roll, writer)
        if len(self._places) >= BATCH:
            rows = [(seq, place.roll, place.writer) for seq, place in self._places.items()]
            self._places.clear()
            self.run_each("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", rows)

    def forget(self, seq: int) -> None:
        """Entry `seq` is no text any more."""
        self._places.pop(seq, None)
        self.run("DELETE FROM places WHERE seq = ?", (seq,))


def _no_room(error: sqlite3.Error) -> Unavailable:
    return Unavailable(f"the audit cannot write down what it saw: {error}")


class Cache(Generic[T]):
    """Numbered objects: those touched last in memory, the others in the file, as `pack` has them.

    `unpack` gives an object back from its bytes.
    """

    def __init__(
        self, store: RollStore, table: str, pack: Callable[[T], bytes], unpack: Callable[[bytes], T]
    ) -> None:
        self._store = store
        self._pack = pack
        self._unpack = unpack
        self._near: OrderedDict[int, T] = OrderedDict()
        self._fresh: set[int] = set()
        # The tables' names are ours.
        self._one = f"SELECT body FROM {table} WHERE number = ?"  # noqa: S608
        self._put = f"INSERT OR REPLACE INTO {table} VALUES (?, ?)"  # noqa: S608

    def get(self, number: int) -> T | None:
        """The object of that number; None where none is."""
        found = self._near.get(number)
        if found is not None:
            self._near.move_to_end(number)
            return found
        row = self._store.run(self._one, (number,)).fetchone()
        if row is None:
            return None
        found = self._unpack(row[0])
        self._keep(number, found)
        return found

    def put(self, number: int, item: T) -> None:
        """Keep an object, in place of the one that had the number."""
        self._fresh.add(number)
        self._keep(number, item)

    def hold(self, number: int, item: T) -> None:
        """Answer with this for a while, for a number that has none."""
        self._keep(number, item)

    def _keep(self, number: int, item: T) -> None:
        self._near[number] = item
        self._near.move_to_end(number)
        if len(self._near) > NEAR:
            old, gone = self._near.popitem(last=False)
            if old in self._fresh:
                self._fresh.discard(old)
                self._store.run(self._put, (old, self._pack(gone)))


# --- as they are written --------------------------------------------------------------------------


class Kept(Struct, frozen=True, array_like=True):
    """A roll as it is written: its entries, and what entries of no roll's change."""

    trail: tuple[RecordedEvent, ...]
    outstanding: Outstanding | None
    binding: Binding | None


_kept = Decoder(Kept)


def _packed(roll: RollState) -> bytes:
    return _encoder.encode(Kept(roll.trail, roll.outstanding, roll.binding))


def _unpacked(body: bytes, game: Game) -> RollState:
    """The roll folded again: its entries could be followed once."""
    kept = _kept.decode(body)
    roll: RollState | None = None
    for entry in kept.trail:
        roll = evolve(roll, entry, game)
    if roll is None:
        raise Defect("a roll was written down without an entry")
    return replace(roll, outstanding=kept.outstanding, binding=kept.binding)


# --- as a table's state holds them ----------------------------------------------------------------


class Rolls:
    """What a TableState asks of its rolls: a few of them in front, the others from the shelf.

    Setting one gives other Rolls and leaves these as they were; `kept` puts the changes on the
    shelf. `len` is the highest number `given`, for rolls that nobody may see have numbers too.
    `values` are asked for by whoever tells the tracks again, and are those that `telling` gives.
    """

    __slots__ = ("_changed", "_shelf", "_telling", "given")

    def __init__(
        self,
        shelf: Cache[RollState],
        given: int = 0,
        changed: Map[int, RollState] | None = None,
        telling: Callable[["Rolls"], Iterator[RollState]] | None = None,
    ) -> None:
        self._shelf = shelf
        self._changed: Map[int, RollState] = Map() if changed is None else changed
        self._telling = telling
        self.given = given

    def get(self, number: int, default: RollState | None = None) -> RollState | None:
        """The roll of that number."""
        found = self._changed.get(number)
        if found is None:
            found = self._shelf.get(number)
        return default if found is None else found

    def __getitem__(self, number: int) -> RollState:
        found = self.get(number)
        if found is None:
            raise KeyError(number)
        return found

    def __contains__(self, number: int) -> bool:
        return self.get(number) is not None

    def __len__(self) -> int:
        return self.given

    def values(self) -> Iterator[RollState]:
        """The rolls from which the tracks are told again."""
        return iter(()) if self._telling is None else self._telling(self)

    def set(self, number: int, roll: RollState) -> "Rolls":
        """These rolls with another one under that number."""
        changed = self._changed.set(number, roll)
        return self._with(max(self.given, number), changed, self._telling)

    def numbered(self, given: int) -> "Rolls":
        """The same rolls, the highest number being `given`."""
        return self._with(given, self._changed, self._telling)

    def told_by(self, telling: Callable[["Rolls"], Iterator[RollState]]) -> "Rolls":
        """The same rolls with these `values`."""
        return self._with(self.given, self._changed, telling)

    def kept(self) -> "Rolls":
        """The same rolls, every change on the shelf."""
        for number, roll in self._changed.items():
            self._shelf.put(number, roll)
        return self._with(self.given, None, None)

    def _with(
        self,
        given: int,
        changed: Map[int, RollState] | None,
        telling: Callable[["Rolls"], Iterator[RollState]] | None,
    ) -> "Rolls":
        return Rolls(self._shelf, given, changed, telling)


class Following:
    """What a TableState asks about who follows whom, likewise."""

    __slots__ = ("_changed", "_shelf")

    def __init__(
        self, shelf: Cache[tuple[int, ...]], changed: Map[int, tuple[int, ...]] | None = None
    ) -> None:
        self._shelf = shelf
        self._changed: Map[int, tuple[int, ...]] = Map() if changed is None else changed

    def get(self, number: int, default: tuple[int, ...]) -> tuple[int, ...]:
        """The rolls that follow roll `number` directly."""
        found = self._changed.get(number) or self._shelf.get(number)
        if found is None:
            self._shelf.hold(number, ())
        return found or default

    def set(self, number: int, followers: tuple[int, ...]) -> "Following":
        """The same with other followers of one roll."""
        return Following(self._shelf, self._changed.set(number, followers))

    def kept(self) -> "Following":
        """The same, every change on the shelf."""
        if not self._changed:
            return self
        for number, followers in self._changed.items():
            self._shelf.put(number, followers)
        return Following(self._shelf)


def private_file(tables: str) -> sqlite3.Connection:
    """A new file with these tables, in one transaction, that ends with its connection."""
    file = sqlite3.connect("", isolation_level=None)
    file.executescript(f"{PRAGMAS}{tables}BEGIN;")
    return file
