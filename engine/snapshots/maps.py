"""What a TableState holds of a table that has snapshots: Maps whose old items are rows.

They are immutable, as a Map is. What changed since the last snapshot is in memory, all else in
rows, those used last in memory too. `changed` is what the next snapshot writes; `written` gives the
same without it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar, overload

from immutables import Map

from ...events.codec import recorded
from ...events.table import TextSaid
from ...projections.rollstate import Game, RollState
from ...projections.tables import Written
from .kind import Kind
from .lists import Entries
from .packing import pack, pack_roll, unpack_numbers, unpack_roll
from .rows import TableRows

T = TypeVar("T")


class Index(Generic[T]):
    """Objects by number, as a Map has them."""

    __slots__ = ("_changed", "_kind", "_size")

    def __init__(
        self, kind: Kind[T | None], size: int, changed: Map[int, T | None] | None = None
    ) -> None:
        self._kind = kind
        self._size = size
        self._changed = Map() if changed is None else changed

    @overload
    def get(self, number: int, /) -> T | None: ...
    @overload
    def get(self, number: int, default: T, /) -> T: ...
    def get(self, number: int, default: T | None = None, /) -> T | None:
        """The object of that number, else the default."""
        known = number in self._changed
        found = self._changed[number] if known else self._kind.get(number, self._size)
        return default if found is None else found

    def set(self, number: int, item: T, /) -> "Index[T]":
        """The same with this object under that number."""
        return Index(self._kind, self._size, self._changed.set(number, item))

    def delete(self, number: int, /) -> "Index[T]":
        """The same without the object of that number."""
        return Index(self._kind, self._size, self._changed.set(number, None))

    def changed(self) -> Iterator[tuple[int, T | None]]:
        """What changed since the last snapshot."""
        return iter(self._changed.items())

    def items(self) -> Iterator[tuple[int, T]]:
        """All of them: this reads rows."""
        for number in sorted({*self._kind.numbers(), *self._changed}):
            found = self.get(number)
            if found is not None:
                yield number, found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Index, Map)) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]  # as a Map of what cannot be hashed

    def written(self, size: int) -> "Index[T]":
        """The same, when all that changed is in rows, written at this size."""
        return Index(self._kind, size)

    @property
    def kind(self) -> Kind[T | None]:
        """Its rows."""
        return self._kind


class AllRolls:
    """The rolls of a table, numbered from 1, less those taken out: as a Map has them."""

    __slots__ = ("_changed", "_count", "_highest", "_kind", "_size")

    def __init__(
        self,
        kind: Kind[RollState],
        size: int,
        highest: int = 0,
        count: int = 0,
        changed: Map[int, RollState | None] | None = None,
    ) -> None:
        self._kind = kind
        self._size = size
        self._highest = highest
        self._count = count
        self._changed = Map() if changed is None else changed

    def get(self, number: int, /) -> RollState | None:
        """The roll of that number."""
        if number in self._changed:
            return self._changed[number]
        return self._kind.get(number, self._size) if number > 0 else None

    def __getitem__(self, number: int, /) -> RollState:
        found = self.get(number)
        if found is None:
            raise KeyError(number)
        return found

    def __contains__(self, number: object, /) -> bool:
        return isinstance(number, int) and self.get(number) is not None

    def __len__(self) -> int:
        return self._count

    def values(self) -> Iterator[RollState]:
        """All of them, by number: this reads rows."""
        found = (self.get(number) for number in range(1, self._highest + 1))
        return (roll for roll in found if roll is not None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (AllRolls, Map)):
            return False
        mine, others = ({roll.number: roll for roll in each.values()} for each in (self, other))
        return mine == others

    __hash__ = None  # type: ignore[assignment]

    def set(self, number: int, roll: RollState, /) -> "AllRolls":
        """These rolls with another one under that number."""
        more = 0 if number in self else 1
        changed = self._changed.set(number, roll)
        highest = max(self._highest, number)
        return AllRolls(self._kind, self._size, highest, self._count + more, changed)

    def delete(self, number: int, /) -> "AllRolls":
        """These rolls without one that is there."""
        changed = self._changed.set(number, None)
        return AllRolls(self._kind, self._size, self._highest, self._count - 1, changed)

    def changed(self) -> Iterator[tuple[int, RollState]]:
        """Those that changed since the last snapshot."""
        found = self._changed.items()
        return ((number, roll) for number, roll in found if roll is not None)

    def written(self, size: int) -> "AllRolls":
        """The same, when all that changed is in rows, written at this size."""
        return AllRolls(self._kind, size, self._highest, self._count)

    @property
    def highest(self) -> int:
        """The highest number of a roll."""
        return self._highest

    @property
    def kind(self) -> Kind[RollState]:
        """Their rows."""
        return self._kind


def rolls_of(
    rows: TableRows, game: Callable[[], Game], size: int = 0, highest: int = 0, count: int = 0
) -> AllRolls:
    """The rolls of a table; `game` gives its rules, those of every roll in `rows` among them."""
    kind = Kind(rows, "rolls", pack_roll, lambda _, body: unpack_roll(game(), body), highest or -1)
    return AllRolls(kind, size, highest, count)


class StoredTexts:
    """The texts of a table by what they are about: as a Map has them.

    Names are in memory; texts about an entry are rows, which hold where they are and no words.
    """

    __slots__ = ("_about", "_names")

    def __init__(
        self, about: Index[tuple[Written, ...]], names: Map[str, tuple[Written, ...]]
    ) -> None:
        self._about = about
        self._names = names

    @overload
    def get(self, about: str, /) -> tuple[Written, ...] | None: ...
    @overload
    def get(self, about: str, default: tuple[Written, ...], /) -> tuple[Written, ...]: ...
    def get(
        self, about: str, default: tuple[Written, ...] | None = None, /
    ) -> tuple[Written, ...] | None:
        """The texts about something, oldest first; else the default."""
        seq = _entry_of(about)
        found = self._names.get(about) if seq is None else self._about.get(seq)
        return default if found is None else found

    def __getitem__(self, about: str, /) -> tuple[Written, ...]:
        found = self.get(about)
        if found is None:
            raise KeyError(about)
        return found

    def __contains__(self, about: object, /) -> bool:
        return isinstance(about, str) and self.get(about) is not None

    def items(self) -> Iterator[tuple[str, tuple[Written, ...]]]:
        """All of them: this reads rows."""
        yield from self._names.items()
        kind = self._about.kind
        seqs = {*kind.numbers(), *(seq for seq, _ in self._about.changed())}
        for seq in sorted(seqs):
            found = self._about.get(seq)
            if found is not None:
                yield f"entry:{seq}", found

    def set(self, about: str, texts: tuple[Written, ...], /) -> "StoredTexts":
        """The same with these texts about something."""
        seq = _entry_of(about)
        if seq is None:
            return StoredTexts(self._about, self._names.set(about, texts))
        return StoredTexts(self._about.set(seq, texts), self._names)

    def delete(self, about: str, /) -> "StoredTexts":
        """The same without the texts about something."""
        seq = _entry_of(about)
        if seq is None:
            return StoredTexts(self._about, self._names.delete(about))
        return StoredTexts(self._about.delete(seq), self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (StoredTexts, Map)) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    @property
    def names(self) -> Map[str, tuple[Written, ...]]:
        """Those of seats and characters."""
        return self._names

    @property
    def about(self) -> Index[tuple[Written, ...]]:
        """Those about entries."""
        return self._about

    def written(self, size: int) -> "StoredTexts":
        """The same, when all that changed is in rows, written at this size."""
        return StoredTexts(self._about.written(size), self._names)


def _entry_of(about: str) -> int | None:
    """The entry that texts are about; None for a name."""
    return int(about[6:]) if about.startswith("entry:") else None


def texts_of(
    rows: TableRows,
    entries: Entries,
    names: Map[str, tuple[Written, ...]],
    size: int = 0,
    highest: int = -1,
) -> StoredTexts:
    """The texts of a table, whose words are in these entries."""

    def packed(texts: tuple[Written, ...] | None) -> bytes:
        return pack(tuple(each.seq for each in texts or ()))

    def unpacked(_: int, body: bytes) -> tuple[Written, ...] | None:
        return written_at(entries, unpack_numbers(body)) or None

    return StoredTexts(Index(Kind(rows, "texts", packed, unpacked, highest), size), names)


def written_at(entries: Entries, seqs: Iterable[int]) -> tuple[Written, ...]:
    """The texts of these entries, less those that were erased."""
    found = (recorded(entry) for seq in seqs if (entry := entries[seq]).payload is not None)
    texts = ((each.seq, each.event) for each in found)
    return tuple(
        Written(seq, event.by, event.text) for seq, event in texts if isinstance(event, TextSaid)
    )
