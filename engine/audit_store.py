"""Where an audit puts what it need not hold: rolls that are done with, and whose entry is whose.

All of it goes to a private file that SQLite makes, keeps nowhere, and drops with the connection, so
that memory does not grow with the log. It holds nothing but objects of ours, written here.
"""

import pickle
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ..errors import Unavailable
from ..projections.rollstate import RollState

T = TypeVar("T")

NEAR = 64
"""Rolls in memory, at most; a table seldom has more under way."""

BATCH = 256
"""Places written down at once."""

TABLES = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -1024;
    CREATE TABLE rolls (number INTEGER PRIMARY KEY, body BLOB);
    CREATE TABLE following (number INTEGER PRIMARY KEY, body BLOB);
    CREATE TABLE places (seq INTEGER PRIMARY KEY, roll INTEGER, writer TEXT);
    CREATE TABLE told (seq INTEGER PRIMARY KEY, roll INTEGER, body BLOB, before BLOB);
    CREATE INDEX told_of ON told (roll);
"""


class Place(Struct, frozen=True):
    """What is known of an entry: the roll it is of or about; who wrote it, where it is a text."""

    roll: int | None
    writer: str | None


class Store:
    """The file, and what is kept in it."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("", isolation_level=None)
        self._file.executescript(TABLES)
        self._file.execute("BEGIN")
        self._places: dict[int, Place] = {}
        self.rolls = Shelf[RollState](self, "rolls", _without_options)
        self.following = Shelf[tuple[int, ...]](self, "following", lambda followers: followers)

    def close(self) -> None:
        """Let go of the file, and of all that was in it."""
        self._file.close()

    def run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement. Raises Unavailable where there is no room for the file."""
        try:
            return self._file.execute(sql, values)
        except sqlite3.Error as error:
            raise Unavailable(f"the audit cannot write down what it saw: {error}") from error

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
            for row in rows:
                self.run("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", row)

    def forget(self, seq: int) -> None:
        """Entry `seq` is no text any more."""
        self._places.pop(seq, None)
        self.run("DELETE FROM places WHERE seq = ?", (seq,))


class Shelf(Generic[T]):
    """Numbered objects: those touched last in memory, the others in the file, as `pack` has them.

    One that cannot be written, for its class is somebody's own and not to be found again by name,
    stays in memory.
    """

    def __init__(self, store: Store, table: str, pack: Callable[[T], T]) -> None:
        self._store = store
        self._pack = pack
        self._near: OrderedDict[int, T] = OrderedDict()
        self._fresh: set[int] = set()
        self._stuck: dict[int, T] = {}
        # The tables' names are ours.
        self._one = f"SELECT body FROM {table} WHERE number = ?"  # noqa: S608
        self._put = f"INSERT OR REPLACE INTO {table} VALUES (?, ?)"  # noqa: S608

    def get(self, number: int) -> T | None:
        """The object of that number, packed where it comes from the file; None where none is."""
        found = self._near.get(number)
        if found is not None:
            self._near.move_to_end(number)
            return found
        if number in self._stuck:
            return self._stuck[number]
        row = self._store.run(self._one, (number,)).fetchone()
        if row is None:
            return None
        # What is read back was written by this very object, to a file that nobody else can open.
        found = cast(T, pickle.loads(row[0]))  # noqa: S301
        self._keep(number, found)
        return found

    def put(self, number: int, item: T) -> None:
        """Keep an object, in place of the one that had the number."""
        self._fresh.add(number)
        self._stuck.pop(number, None)
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
                self._write(old, gone)

    def _write(self, number: int, item: T) -> None:
        body = None
        with suppress(pickle.PicklingError, AttributeError, TypeError):
            body = pickle.dumps(self._pack(item), pickle.HIGHEST_PROTOCOL)
        if body is None:
            self._stuck[number] = item
        else:
            self._store.run(self._put, (number, body))


def _without_options(roll: RollState) -> RollState:
    """The roll as it is written: the table's readings, the same for all rolls, are left out."""
    return replace(roll, roll=replace(roll.roll, options=None))


# --- as a table's state holds them ----------------------------------------------------------------


class Rolls:
    """What a TableState asks of its rolls: a few of them in front, the others from the shelf.

    Setting one gives other Rolls and leaves these as they were; `kept` puts the changes on the
    shelf. `len` is the highest number `given`, for rolls that nobody may see have numbers too.
    `values` are asked for by whoever tells the tracks again, and are those that `telling` gives.
    """

    __slots__ = ("_changed", "_options", "_shelf", "_telling", "given")

    def __init__(
        self,
        shelf: Shelf[RollState],
        options: Any,
        given: int = 0,
        changed: Map[int, RollState] | None = None,
        telling: Callable[["Rolls"], Iterator[RollState]] | None = None,
    ) -> None:
        self._shelf = shelf
        self._options = options
        self._changed: Map[int, RollState] = Map() if changed is None else changed
        self._telling = telling
        self.given = given

    def get(self, number: int, default: RollState | None = None) -> RollState | None:
        """The roll of that number."""
        found = self._changed.get(number)
        if found is None:
            found = self._shelf.get(number)
            if found is not None and found.roll.options is None:
                found = replace(found, roll=replace(found.roll, options=self._options))
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
        return Rolls(self._shelf, self._options, given, changed, telling)


class Following:
    """What a TableState asks about who follows whom, likewise."""

    __slots__ = ("_changed", "_shelf")

    def __init__(
        self, shelf: Shelf[tuple[int, ...]], changed: Map[int, tuple[int, ...]] | None = None
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
        for number, followers in self._changed.items():
            self._shelf.put(number, followers)
        return Following(self._shelf)
