"""The rolls of an audited table, and what is known of each entry, are kept in bounded memory.

All of it is kept in the audit's private file, the rolls used last in memory too. A roll is stored
as its entries, and folded from them again when it is read.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, Generic, Self, TypeVar

from immutables import Map

from ....errors import Defect
from ....projections.corrections import Taking
from ....projections.rollstate import Game, RollState
from ....projections.tables import Writing
from ....projections.timeline import Moment
from ...core.commands import AnyCommand
from ...core.parse import read_logged
from ...snapshots.packing import (
    pack,
    pack_moment,
    pack_roll,
    unpack_moment,
    unpack_number,
    unpack_numbers,
    unpack_roll,
    unpack_taking,
    unpack_writing,
)
from ..cache import Cache, PrivateFile

T = TypeVar("T")

IN_MEMORY = 64
"""Rolls kept in memory, at most; a table seldom has more under way."""


class RollStore:
    """Where the rolls and all that is known of entries are kept."""

    def __init__(self, file: PrivateFile) -> None:
        self._file = file
        self._commands = Cache(file, "commands", IN_MEMORY, _encoded, _decoded)

    def rolls(self, game: Game) -> "Rolls":
        """The rolls of a table with these rules, none so far."""
        packed: Any = pack_roll  # no roll is ever taken out
        return Rolls(Cache(self._file, "rolls", IN_MEMORY, packed, partial(unpack_roll, game)))

    def following(self) -> "Following":
        """Which rolls follow which, none so far."""
        return Following(Cache(self._file, "following", IN_MEMORY, pack, unpack_numbers))

    def entry_rolls(self) -> "Stored[int]":
        """The roll that an entry belongs to, or is a text about, none so far."""
        return Stored(Cache(self._file, "entry_rolls", IN_MEMORY, pack, unpack_number))

    def writings(self) -> "Stored[Writing]":
        """The places of texts, none so far."""
        return Stored(Cache(self._file, "writings", IN_MEMORY, pack, unpack_writing))

    def moments(self) -> "Stored[Moment]":
        """The moments at which tracks may have changed, by their numbers, none so far."""
        return Stored(Cache(self._file, "moments", IN_MEMORY, pack_moment, unpack_moment))

    def takings(self) -> "Stored[Taking]":
        """What took from characters' sheets, by its numbers, none so far."""
        return Stored(Cache(self._file, "takings", IN_MEMORY, pack, unpack_taking))

    def put_command(self, seq: int, body: str) -> None:
        """Remember the command behind the commit that begins with entry `seq`."""
        self._commands.put(seq, body)

    def command_at(self, seq: int) -> AnyCommand:
        """The command behind that commit. Raises LookupError where it was not disclosed."""
        body = self._commands.get(seq)
        if body is None:
            raise LookupError(f"the command behind entry {seq} is not known")
        return read_logged(body)


# --- as they are stored ---------------------------------------------------------------------------


def _encoded(body: str) -> bytes:
    return body.encode("utf-8", "surrogatepass")


def _decoded(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")


# --- as the state of a table holds them -----------------------------------------------------------


class Stored(Generic[T]):
    """Objects by number for a TableState: those just changed, and behind them all in a cache.

    `set` gives another Stored and leaves this as it was; `stored` puts the changes into the cache.
    """

    __slots__ = ("_cache", "_changed")

    def __init__(self, cache: Cache[T | None], changed: Map[int, T | None] | None = None) -> None:
        self._cache = cache
        self._changed: Map[int, T | None] = Map() if changed is None else changed

    def get(self, number: int) -> T | None:
        """The object of that number; None where there is none."""
        if number in self._changed:
            return self._changed[number]
        return self._cache.get(number)

    def set(self, number: int, item: T) -> Self:
        """The same with this object under that number."""
        return type(self)(self._cache, self._changed.set(number, item))

    def delete(self, number: int) -> Self:
        """The same without the object of that number."""
        return type(self)(self._cache, self._changed.set(number, None))

    def stored(self) -> Self:
        """The same, every change in the cache."""
        for number, item in self._changed.items():
            self._cache.put(number, item)
        return type(self)(self._cache) if self._changed else self


class Following(Stored[tuple[int, ...]]):
    """Which rolls follow which. That none do is remembered too."""

    __slots__ = ()

    def get(self, number: int, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        """The rolls that follow roll `number` directly."""
        found = super().get(number)
        if found is None:
            self._cache.hold(number, ())
        return found or default


class Rolls(Stored[RollState]):
    """The rolls. `len` is the `highest` number so far: rolls that nobody may see have one too."""

    __slots__ = ("highest",)

    def __init__(
        self,
        cache: Cache[RollState | None],
        changed: Map[int, RollState | None] | None = None,
        highest: int = 0,
    ) -> None:
        super().__init__(cache, changed)
        self.highest = highest

    def __getitem__(self, number: int) -> RollState:
        found = self.get(number)
        if found is None:
            raise KeyError(number)
        return found

    def __contains__(self, number: int) -> bool:
        return self.get(number) is not None

    def __len__(self) -> int:
        return self.highest

    def values(self) -> Iterable[RollState]:
        """Nothing that an audit asks goes through all rolls."""
        raise Defect("an audit went through all rolls")

    def delete(self, number: int) -> Self:
        """Nothing that an audit asks is of a view."""
        raise Defect("an audit took a roll out")

    def set(self, number: int, item: RollState) -> Self:
        """These rolls with another one under that number."""
        return super().set(number, item).with_highest(max(self.highest, number))

    def with_highest(self, highest: int) -> Self:
        """The same rolls, the highest number given being this."""
        return type(self)(self._cache, self._changed, highest)

    def stored(self) -> Self:
        """The same rolls, every change in the cache, and no `values`."""
        return super().stored().with_highest(self.highest)
