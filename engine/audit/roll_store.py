"""The rolls of an audited table, and what is known of each entry, are kept in bounded memory.

All of it is kept in the audit's private file, the rolls used last in memory too. A roll is stored
as its entries, and folded from them again when it is read.
"""

from collections.abc import Iterable
from functools import partial
from typing import Generic, TypeVar

from immutables import Map
from msgspec import Struct, json
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from ...errors import Defect
from ...events.codec import RecordedEvent
from ...projections.rolls import evolve
from ...projections.rollstate import Binding, Game, Outstanding, RollState
from ...projections.tables import Writing
from ...projections.timeline import Moment
from ..core.commands import AnyCommand
from ..core.parse import read_logged
from .cache import Cache, PrivateFile

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
        unpack = partial(_unpacked, game)
        return Rolls(Cache(self._file, "rolls", IN_MEMORY, _packed, unpack))

    def following(self) -> "Following":
        """Which rolls follow which, none so far."""
        pack, unpack = _encoder.encode, _followers.decode
        return Following(Cache(self._file, "following", IN_MEMORY, pack, unpack))

    def entry_rolls(self) -> "Stored[int]":
        """The roll that an entry belongs to, or is a text about, none so far."""
        pack, unpack = _encoder.encode, _number.decode
        return Stored(Cache(self._file, "entry_rolls", IN_MEMORY, pack, unpack))

    def writings(self) -> "Stored[Writing]":
        """The places of texts, none so far."""
        pack, unpack = _encoder.encode, _writing.decode
        return Stored(Cache(self._file, "writings", IN_MEMORY, pack, unpack))

    def moments(self) -> "Stored[Moment]":
        """The moments at which tracks may have changed, by their numbers, none so far."""
        return Stored(Cache(self._file, "moments", IN_MEMORY, _moment_packed, _moment_unpacked))

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


class StoredMoment(Struct, frozen=True, array_like=True):
    """A moment in the file, as JSON: forged prices may add up to more than 64 bits."""

    seq: int
    before: dict[str, int]
    roll: int | None
    sheet: RecordedEvent | None


class StoredRoll(Struct, frozen=True, array_like=True):
    """A roll in the file: its entries, and what entries of no roll change."""

    trail: tuple[RecordedEvent, ...]
    outstanding: Outstanding | None
    binding: Binding | None


_encoder = Encoder()
_stored_moment = json.Decoder(StoredMoment)
_stored_roll = Decoder(StoredRoll)
_followers = Decoder(tuple[int, ...])
_number = Decoder(int | None)
_writing = Decoder(Writing | None)


def _encoded(body: str) -> bytes:
    return body.encode("utf-8", "surrogatepass")


def _decoded(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")


def _moment_packed(moment: Moment | None) -> bytes:
    if moment is None:
        raise Defect("a moment is never taken out")
    return json.encode(StoredMoment(moment.seq, dict(moment.before), moment.roll, moment.sheet))


def _moment_unpacked(body: bytes) -> Moment:
    found = _stored_moment.decode(body)
    return Moment(found.seq, Map(found.before), found.roll, found.sheet)


def _packed(roll: RollState) -> bytes:
    return _encoder.encode(StoredRoll(roll.trail, roll.outstanding, roll.binding))


def _unpacked(game: Game, body: bytes) -> RollState:
    """The roll, folded again: its entries could be followed once."""
    stored = _stored_roll.decode(body)
    roll: RollState | None = None
    for entry in stored.trail:
        roll = evolve(roll, entry, game)
    if roll is None:
        raise Defect("a roll was stored without an entry")
    return replace(roll, outstanding=stored.outstanding, binding=stored.binding)


# --- as the state of a table holds them -----------------------------------------------------------


class Rolls:
    """The rolls of a TableState: those just changed, and behind them all others in a cache.

    `set` gives other Rolls and leaves these as they were; `stored` puts the changes into the cache.
    `len` is the `highest` number given so far, for rolls that nobody may see have numbers too.
    """

    __slots__ = ("_cache", "_changed", "highest")

    def __init__(
        self,
        cache: Cache[RollState],
        highest: int = 0,
        changed: Map[int, RollState] | None = None,
    ) -> None:
        self._cache = cache
        self._changed: Map[int, RollState] = Map() if changed is None else changed
        self.highest = highest

    def get(self, number: int) -> RollState | None:
        """The roll of that number."""
        found = self._changed.get(number)
        return self._cache.get(number) if found is None else found

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

    def set(self, number: int, roll: RollState) -> "Rolls":
        """These rolls with another one under that number."""
        changed = self._changed.set(number, roll)
        return Rolls(self._cache, max(self.highest, number), changed)

    def with_highest(self, highest: int) -> "Rolls":
        """The same rolls, the highest number given being this."""
        return Rolls(self._cache, highest, self._changed)

    def stored(self) -> "Rolls":
        """The same rolls, every change in the cache, and no `values`."""
        for number, roll in self._changed.items():
            self._cache.put(number, roll)
        return Rolls(self._cache, self.highest)


class Following:
    """Which rolls follow which, for a TableState, in the same way."""

    __slots__ = ("_cache", "_changed")

    def __init__(
        self, cache: Cache[tuple[int, ...]], changed: Map[int, tuple[int, ...]] | None = None
    ) -> None:
        self._cache = cache
        self._changed: Map[int, tuple[int, ...]] = Map() if changed is None else changed

    def get(self, number: int, default: tuple[int, ...]) -> tuple[int, ...]:
        """The rolls that follow roll `number` directly."""
        found = self._changed.get(number) or self._cache.get(number)
        if found is None:
            self._cache.hold(number, ())
        return found or default

    def set(self, number: int, followers: tuple[int, ...]) -> "Following":
        """The same with other followers of one roll."""
        return Following(self._cache, self._changed.set(number, followers))

    def stored(self) -> "Following":
        """The same, every change in the cache."""
        if not self._changed:
            return self
        for number, followers in self._changed.items():
            self._cache.put(number, followers)
        return Following(self._cache)


class Stored(Generic[T]):
    """Objects by the number of an entry, for a TableState, in the same way."""

    __slots__ = ("_cache", "_changed")

    def __init__(self, cache: Cache[T | None], changed: Map[int, T | None] | None = None) -> None:
        self._cache = cache
        self._changed: Map[int, T | None] = Map() if changed is None else changed

    def get(self, number: int) -> T | None:
        """The object of that number; None where there is none."""
        if number in self._changed:
            return self._changed[number]
        return self._cache.get(number)

    def set(self, number: int, item: T) -> "Stored[T]":
        """The same with this object under that number."""
        return Stored(self._cache, self._changed.set(number, item))

    def delete(self, number: int) -> "Stored[T]":
        """The same without the object of that number."""
        return Stored(self._cache, self._changed.set(number, None))

    def stored(self) -> "Stored[T]":
        """The same, every change in the cache."""
        if not self._changed:
            return self
        for number, item in self._changed.items():
            self._cache.put(number, item)
        return Stored(self._cache)
