"""One kind of a table's rows as objects by number, with marks that say which rows there are."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from ...errors import Unavailable
from .protocol import Row
from .rows import TableRows

T = TypeVar("T")

SIZE_BYTES = 8


class Outdated(Unavailable):
    """A table went on since a state of it was taken: what is asked of that is in no row now."""


MARKS = 2_048
"""Numbers that one row of marks is about."""


class Kind(Generic[T]):
    """One kind of a table's rows as objects. `highest` is the highest number that was written.

    Each row has the size of the table when it was written: an older state must not read it. Rows of
    marks, a bit a number, say which were written: one of those that is missing was lost. A `dense`
    kind has no marks: each number that it is asked for was written.
    """

    def __init__(
        self,
        rows: TableRows,
        name: str,
        pack: Callable[[T], bytes],
        unpack: Callable[[int, bytes], T],
        highest: int = -1,
        *,
        dense: bool = False,
    ) -> None:
        self.rows = rows
        self.name = name
        self.highest = highest
        self._pack = pack
        self._unpack = unpack
        self.marks = None if dense else _marks_of(rows, name, highest)

    def get(self, number: int, size: int | None = None) -> T | None:
        """The object of that number; None where there is none.

        `size` is that of the snapshot that a state is behind; None for what is there now. Raises
        StaleSnapshot, and Outdated where it was written later than that.
        """
        if number > self.highest:
            return None
        place = (self.rows.known_as, self.name, number)
        found: tuple[int, T] | None = self.rows.snapshots.recent.get(place)
        if found is None:
            if not self._was_written(number):
                return None
            before = self.rows.writes
            body = self.rows.read(self.name, number)
            if body is None:
                raise self.rows.thrown_away(f"row {number} of {self.name} is missing")
            found = int.from_bytes(body[:SIZE_BYTES]), self._unpack(number, body[SIZE_BYTES:])
            if self.rows.writes == before:
                # Or a thread that reads as of before would put an older row over the latest.
                self.rows.snapshots.recent.put(place, found, len(body))
        if size is not None and found[0] > size:
            raise Outdated(f"table {self.rows.table!r} went on: ask again")
        return found[1]

    def _was_written(self, number: int) -> bool:
        if self.marks is None:
            return True
        page, bit = divmod(number, MARKS)
        return bool(_bits(self.marks, page) >> bit & 1)

    def numbers(self) -> Iterator[int]:
        """The numbers of all that was written. Raises StaleSnapshot."""
        if self.marks is None:
            yield from (each for each in self.rows.numbers(self.name) if each <= self.highest)
            return
        for page in range(self.marks.highest + 1):
            bits = _bits(self.marks, page)
            yield from (page * MARKS + bit for bit in range(bits.bit_length()) if bits >> bit & 1)

    def marked(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The rows of marks that change, or begin, where these numbers are written too."""
        found: dict[int, int] = {}
        if self.marks is None:
            return {}
        for number in numbers:
            page, bit = divmod(number, MARKS)
            for each in range(self.marks.highest + 1, page):
                found.setdefault(each, 0)
            found[page] = found.get(page) or _bits(self.marks, page)
            found[page] |= 1 << bit
        return {page: bits.to_bytes(MARKS // 8) for page, bits in found.items()}

    def between(self, start: int, stop: int) -> dict[int, T]:
        """The objects from `start` up to `stop` as they are now; what was used last stays so.

        Raises StaleSnapshot.
        """
        rows = self.rows.read_range(self.name, start, min(stop, self.highest + 1))
        return {number: self._unpack(number, body[SIZE_BYTES:]) for number, body in rows}

    def row(self, number: int, item: T, size: int) -> Row:
        """The object as a row, written when the table has this size."""
        return self.name, number, size.to_bytes(SIZE_BYTES) + self._pack(item)

    def wrote(self, number: int, item: T, row: Row) -> None:
        """Know that the object was written as this row."""
        self.highest = max(self.highest, number)
        place, size = (self.rows.known_as, self.name, number), int.from_bytes(row[2][:SIZE_BYTES])
        self.rows.snapshots.recent.put(place, (size, item), len(row[2]))


def _marks_of(rows: TableRows, name: str, highest: int) -> Kind[bytes]:
    """The rows of marks of a kind."""
    page = highest // MARKS if highest >= 0 else -1
    return Kind(rows, f"{name} there", bytes, lambda _, body: body, page, dense=True)


def _bits(marks: Kind[bytes], page: int) -> int:
    return int.from_bytes(marks.get(page) or b"")
