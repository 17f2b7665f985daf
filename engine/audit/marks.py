"""What an audit remembers of every entry that passed: a byte, so that a long log still fits."""

from collections.abc import Iterator

from msgspec import Struct

from ...events.entry import Entry

PRESENT, HIDDEN, DISCLOSED, ERASABLE, ERASED = 1, 2, 4, 8, 16


class Mark(Struct, frozen=True):
    """What is remembered of one entry.

    `present`: it is in the file; `erasable`: its payload is a name or a note.
    """

    present: bool
    hidden: bool
    disclosed: bool
    erasable: bool


class Marks:
    """A mark for each entry by its place: in a row for a whole table, else one by one."""

    def __init__(self) -> None:
        self._row = bytearray()
        self._single: dict[int, int] = {}

    def take(self, entry: Entry, *, erasable: bool) -> None:
        """Remember one more entry."""
        mark = PRESENT
        mark |= HIDDEN if entry.kind == "hidden" else 0
        mark |= DISCLOSED if entry.payload is not None else 0
        mark |= ERASABLE if erasable else 0
        if entry.seq == len(self._row):
            self._row.append(mark)
        else:
            self._single[entry.seq] = mark

    def of(self, seq: int) -> Mark:
        """What is remembered of entry `seq`."""
        mark = self._mark(seq)
        return Mark(
            present=bool(mark & PRESENT),
            hidden=bool(mark & HIDDEN),
            disclosed=bool(mark & DISCLOSED),
            erasable=bool(mark & ERASABLE),
        )

    def erase(self, seq: int) -> None:
        """Remember that entry `seq` was erased."""
        if 0 <= seq < len(self._row):
            self._row[seq] |= ERASED
        elif seq in self._single:
            self._single[seq] |= ERASED

    def withheld(self, *, hidden: bool) -> Iterator[int]:
        """The entries of that class whose payload is missing, though nobody erased it."""
        wanted = PRESENT | (HIDDEN if hidden else 0)
        looked_at = PRESENT | HIDDEN | DISCLOSED | ERASED
        for seq, mark in enumerate(self._row):
            if mark & looked_at == wanted:
                yield seq
        for seq, mark in sorted(self._single.items()):
            if mark & looked_at == wanted:
                yield seq

    def hidden(self) -> int:
        """How many entries are hidden."""
        row = sum(1 for mark in self._row if mark & HIDDEN)
        return row + sum(1 for mark in self._single.values() if mark & HIDDEN)

    def _mark(self, seq: int) -> int:
        if 0 <= seq < len(self._row):
            return self._row[seq]
        return self._single.get(seq, 0)
