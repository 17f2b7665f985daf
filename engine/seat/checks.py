"""An audit's checks of throws, one commit at a time, for what a seat was sent."""

from collections.abc import Iterator, Sequence

from ...errors import Damaged
from ...events.entry import HIDDEN, Entry
from ...projections.tables import Rulesets
from ..audit.cache import PrivateFile
from ..audit.proof.people import People
from ..audit.proof.throw_ledger import Book
from ..audit.proof.throws import Throws
from ..audit.report import Findings, Mark, Marks
from ..bundle.read import Header


def throws_of(
    table: str,
    entries: Sequence[Entry],
    books: "Books",
    rulesets: Rulesets,
    faults: "Faults",
    *,
    some: bool = False,
) -> Throws:
    """The checks of a table's throws, of all its rolls or of some; `entries` may grow."""
    header, marks = _header(table, some=some), Seen(entries)
    return Throws(faults, header, marks, books, People(), PrivateFile(), rulesets)


class Faults(Findings):
    """Findings of which the first failure is raised as Damaged, but while they are `quiet`."""

    quiet = False

    def fail(
        self,
        step: int,
        why: str,
        seq: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        """Raise it."""
        if self.quiet:
            return
        wanted = "" if expected is None else f"; expected: {expected[:200]}"
        was = "" if found is None else f"; found: {found[:200]}"
        raise Damaged(f"{why}{wanted}{was}", seq=seq)


class Books:
    """The books of the rolls in memory; `seeds` are those opened so far, by their entries."""

    def __init__(self, seeds: dict[str, int]) -> None:
        self.seeds = seeds
        self.uses = 0
        self._books: dict[int, Book] = {}

    def get(self, roll: int) -> Book | None:
        """See `Ledger`."""
        return self._books.get(roll)

    def put(self, book: Book) -> Book:
        """See `Ledger`."""
        self._books[book.roll] = book
        return book

    def replace(self, roll: int, book: Book | None) -> None:
        """Put a book, or none, in the place of a roll's."""
        self._books.pop(roll, None)
        if book is not None:
            self._books[roll] = book

    def used(self, kind: str, value: str, seq: int) -> None:
        """See `Ledger`. Raises Damaged for a seed that another entry opened."""
        self.uses += 1
        if kind == "seed" and self.seeds.setdefault(value, seq) != seq:
            raise Damaged(f"its seed is the one of entry {self.seeds[value]}", seq=seq)

    def reused(self) -> Iterator[tuple[str, int, int, int]]:
        """See `Ledger`: none, for the first is raised."""
        return iter(())


class Seen(Marks):
    """Marks that are always those of the entries as they may be seen now."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._entries = entries

    def of(self, seq: int) -> Mark:
        """See `Marks`."""
        if not 0 <= seq < len(self._entries):
            return Mark(present=False, hidden=False, disclosed=False)
        entry = self._entries[seq]
        return Mark(present=True, hidden=entry.kind in HIDDEN, disclosed=entry.payload is not None)


def _header(table: str, *, some: bool) -> Header:
    """The header of no bundle, for the checks of an audit: of all rolls, or of some."""
    return Header(
        scope="roll" if some else "table",
        roll=None,
        origin=f"urim.local/t/{table}",
        keys=(),
        size=0,
        checkpoint=b"",
        system="",
        version=0,
        options={},
    )
