"""What an Aggregate holds of a table that has snapshots: lists and dicts whose old items are rows.

What came or changed since the last snapshot is in memory, all else in rows, those used last in
memory too. `changed` is what the next snapshot writes; `written` lets go of it.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from typing import Any, Generic, TypeVar, overload

from msgspec.msgpack import Decoder

from ...errors import Defect
from ...events.codec import RecordedEvent, recorded
from ...events.entry import Entry
from ...events.merkle import Tree
from .kind import Kind
from .packing import pack, pack_entry, unpack_entry, unpack_numbers
from .rows import TableRows

T = TypeVar("T")

PAGE = 500
"""Items of a list that are read from rows at once."""

LEVEL = 40
"""Bits of a node's number that say which one of its height it is."""

SEVERAL = 8
"""Items that are worth reading at once, at least."""


class Tail(MutableSequence[T]):
    """A list that only grows, of which the last items are in memory, as `tail` from `base` on.

    Both are replaced at once: another thread may read meanwhile.
    """

    def __delitem__(self, at: int | slice) -> None:
        raise Defect("nothing is taken out of a log")

    def insert(self, index: int, value: T) -> None:
        """Nothing comes in between."""
        raise Defect("nothing is put into the midst of a log")

    def __init__(self, size: int) -> None:
        self._now: tuple[int, list[T]] = (size, [])

    def older(self, at: int) -> T:
        """An item that is in rows."""
        raise NotImplementedError

    def __len__(self) -> int:
        base, tail = self._now
        return base + len(tail)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            return list(self._between(range(*at.indices(len(self)))))
        seq = at + len(self) if at < 0 else at
        if not 0 <= seq < len(self):
            raise IndexError(at)
        return self._at(seq)

    def _at(self, seq: int) -> T:
        base, tail = self._now
        return tail[seq - base] if seq >= base else self.older(seq)

    def __iter__(self) -> Iterator[T]:
        return self._between(range(len(self)))

    def _between(self, seqs: range) -> Iterator[T]:
        """The items of these numbers, which are read a page at a time."""
        base, tail = self._now
        for first in range(0, len(seqs), PAGE):
            some = seqs[first : first + PAGE]
            least, most = min(some), max(some)
            if len(some) < SEVERAL or least >= base or most - least > 2 * PAGE:
                yield from map(self._at, some)
                continue
            rows = self.oldest(least, min(most + 1, base))
            yield from (rows[seq] if seq < base else tail[seq - base] for seq in some)

    def oldest(self, start: int, stop: int) -> Mapping[int, T]:
        """The items from `start` up to `stop`, which are in rows, by number."""
        raise NotImplementedError

    def append(self, value: T) -> None:
        """Take one more."""
        self._now[1].append(value)

    def extend(self, values: Iterable[T]) -> None:
        """Take more."""
        self._now[1].extend(values)

    def written(self) -> None:
        """Know that all are in rows."""
        self._now = (len(self), [])


class Entries(Tail[Entry]):
    """The entries of a table."""

    def __init__(self, rows: TableRows, size: int = 0) -> None:
        super().__init__(size)
        self._kind: Kind[Entry] = Kind(
            rows, "entries", pack_entry, unpack_entry, size - 1, dense=True
        )
        self._changed: dict[int, Entry] = {}

    def older(self, at: int) -> Entry:
        """An entry that is in rows."""
        found = self._changed.get(at) or self._kind.get(at)
        if found is None:
            raise Defect(f"entry {at} was never written")
        return found

    def oldest(self, start: int, stop: int) -> Mapping[int, Entry]:
        """Entries that are in rows."""
        found = self._kind.between(start, stop)
        if len(found) != stop - start:
            raise self._kind.rows.thrown_away(f"not all entries from {start} on are in it")
        return found | {seq: each for seq, each in self._changed.items() if start <= seq < stop}

    def __setitem__(self, at: Any, value: Any) -> None:
        base, tail = self._now
        if at >= base:
            tail[at - base] = value
        else:
            self._changed[at] = value

    @property
    def withheld(self) -> bool:
        """Whether entries that are in rows were withheld since."""
        return bool(self._changed)

    @property
    def rewritten(self) -> tuple[int, ...]:
        """The entries that are in rows and were withheld since."""
        return tuple(self._changed)

    def changed(self) -> Iterator[tuple[int, Entry]]:
        """Those that changed since the last snapshot."""
        base, tail = self._now
        yield from sorted(self._changed.items())
        yield from enumerate(tail, start=base)

    def erased(self, at: int) -> None:
        """Know that an entry was withheld in its row."""
        self._changed.pop(at, None)

    def written(self) -> None:
        """Know that all that changed is in rows."""
        super().written()
        self._changed = {}

    @property
    def kind(self) -> Kind[Entry]:
        """Their rows."""
        return self._kind


class Records(Tail[RecordedEvent | None]):
    """The events of those entries, None where one is withheld."""

    def __init__(self, entries: Entries) -> None:
        super().__init__(len(entries))
        self._entries = entries

    def older(self, at: int) -> RecordedEvent | None:
        """The event of an entry that is in rows."""
        entry = self._entries[at]
        return None if entry.payload is None else recorded(entry)

    def oldest(self, start: int, stop: int) -> Mapping[int, RecordedEvent | None]:
        """The events of entries that are in rows."""
        entries = enumerate(self._entries[start:stop], start=start)
        return {seq: None if each.payload is None else recorded(each) for seq, each in entries}

    def __setitem__(self, at: Any, value: Any) -> None:
        base, tail = self._now
        if at >= base:
            tail[at - base] = value  # an older one is what its entry is


class Numbers(Generic[T]):
    """Objects by number, as a dict has them."""

    def __init__(self, kind: Kind[T]) -> None:
        self._kind = kind
        self._changed: dict[int, T] = {}

    @overload
    def get(self, number: int, /) -> T | None: ...
    @overload
    def get(self, number: int, default: T, /) -> T: ...
    def get(self, number: int, default: T | None = None, /) -> T | None:
        """The object of that number, else the default."""
        found = self._changed.get(number)
        if found is None:
            found = self._kind.get(number)
        return default if found is None else found

    def __setitem__(self, number: int, item: T) -> None:
        self._changed[number] = item

    def changed(self) -> Iterator[tuple[int, T]]:
        """What changed since the last snapshot."""
        return iter(self._changed.items())

    def written(self) -> None:
        """Know that all that changed is in rows."""
        self._changed = {}

    @property
    def kind(self) -> Kind[T]:
        """Its rows."""
        return self._kind


class Positions(Tail[int]):
    """A list of numbers."""

    def __init__(self, rows: TableRows, name: str, size: int = 0) -> None:
        super().__init__(size)
        unpack = Decoder(int).decode
        self._kind: Kind[int] = Kind(
            rows, name, pack, lambda _, body: unpack(body), size - 1, dense=True
        )

    def older(self, at: int) -> int:
        """A number that is in rows."""
        found = self._kind.get(at)
        if found is None:
            raise self._kind.rows.thrown_away(f"number {at} of {self._kind.name} is not in it")
        return found

    def oldest(self, start: int, stop: int) -> Mapping[int, int]:
        """Numbers that are in rows."""
        return {at: self.older(at) for at in range(start, stop)}

    def __setitem__(self, at: Any, value: Any) -> None:
        raise Defect("nothing is changed in a list of numbers")

    def changed(self) -> Iterator[tuple[int, int]]:
        """Those that came since the last snapshot."""
        base, tail = self._now
        return enumerate(tail, start=base)

    @property
    def kind(self) -> Kind[int]:
        """Their rows."""
        return self._kind


class StoredTree(Tree):
    """The tree over entries, with all its nodes; its leaves are the entries' own."""

    def __init__(self, entries: Entries, nodes: Numbers[bytes]) -> None:
        self._size = len(entries)
        self._entries = entries
        self._nodes = nodes
        super().__init__()

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return self._size

    def _add(self, leaves: Sequence[bytes]) -> None:
        self._size += len(leaves)

    def _put(self, height: int, at: int, node: bytes) -> None:
        self._nodes[height << LEVEL | at] = node

    def _node(self, height: int, at: int) -> bytes:
        if not height:
            return self._entries[at].leaf
        found = self._nodes.get(height << LEVEL | at)
        if found is None:
            raise self._nodes.kind.rows.thrown_away(f"node {at} of height {height} is not in it")
        return found


def nodes_of(rows: TableRows, highest: int) -> Numbers[bytes]:
    """The nodes of a tree."""
    return Numbers(Kind(rows, "nodes", bytes, lambda _, body: body, highest, dense=True))


def numbers_of(rows: TableRows, name: str, highest: int) -> Numbers[tuple[int, ...]]:
    """Numbers by number."""
    return Numbers(Kind(rows, name, pack, lambda _, body: unpack_numbers(body), highest))
