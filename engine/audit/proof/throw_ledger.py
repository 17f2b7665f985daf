"""The throws of each roll, and every seed and nonce seen, are kept in bounded memory.

The books of the rolls used last stay in memory; older ones, and the seeds and nonces, are kept in
the audit's private file.
"""

import re
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

from ....events.base import Level
from ..cache import Cache, PrivateFile

IN_MEMORY = 256
"""Books kept in memory, at most."""

BATCH = 1_000
"""Seeds and nonces written at once."""

USES = "CREATE TABLE uses (kind TEXT, value BLOB, seq INTEGER)"

REUSED = """
    SELECT kind, count(*), min(seq), max(seq) FROM uses
    GROUP BY kind, value HAVING count(*) > 1 ORDER BY max(seq)
"""


HASH = re.compile(r"[0-9a-f]{64}")
"""How a commitment is written, a seed, a nonce, a root."""

Wrong: TypeAlias = tuple[str, str | None, str | None]
"""What is wrong, what was due, what was found."""


class Waiting(Struct):
    """A commitment that waits for its throw; `seq` and `leaf` are those of its entry.

    The audit's own Outstanding: it takes nothing from the projections, so that a fault there does
    not hide from it.
    """

    throw: int
    commit: str
    seq: int
    leaf: bytes


class Book(Struct):
    """One roll, as far as its throws go.

    `level` is the one that the declaration named. `known`: it is in the file; `hidden`: some of the
    roll's entries may be withheld; `gap` is the first throw that is, None for none. `kinds` are the
    kinds of the dice thrown last, `throws` the number of the next throw, `entries` those of the
    roll so far that can be read. `faces` says which of the faces that the log lists hold in it:
    those after so many readings were set.
    """

    roll: int
    seat: str = ""
    level: Level | None = None
    known: bool = False
    hidden: bool = True
    throws: int = 0
    waiting: Waiting | None = None
    gap: int | None = None
    kinds: tuple[str, ...] = ()
    entries: int = 0
    faces: int = 0

    def unanswered(
        self, throw: int, committed: int | None, *, begins: int, epoch: int
    ) -> Wrong | None:
        """Why a throw, or the ask for it, does not answer the commitment that waits in `committed`.

        Its commit begins with entry `begins`; `epoch` is the entry of the last one. None where it
        does answer.
        """
        waiting = self.waiting
        if waiting is None or (waiting.throw, waiting.seq) != (throw, committed):
            expected = f"entry {waiting.seq}, throw {waiting.throw}" if waiting else "none"
            found = f"entry {committed}, throw {throw}"
            return "does not answer the outstanding commitment", expected, found
        if waiting.seq >= begins:
            return "answers a commitment of its own commit", None, None
        if waiting.seq < epoch:
            return "answers a commitment of before the last epoch", None, None
        return None


class Ledger(Protocol):
    """Where the checks of throws keep what they know; `uses` counts the values used."""

    uses: int

    def get(self, roll: int) -> Book | None:
        """A roll's book, which the caller may change; None where there is none."""
        ...

    def put(self, book: Book) -> Book:
        """Keep a roll's book; the caller may change it until it asks for another one."""
        ...

    def used(self, kind: str, value: str, seq: int) -> None:
        """Remember that entry `seq` opens a seed or gives a nonce; what is none is not counted."""
        ...

    def reused(self) -> Iterator[tuple[str, int, int, int]]:
        """Every value used more than once: its kind, how often, its first and last entry."""
        ...


class ThrowLedger:
    """The books of the rolls, and the seeds and nonces used; `uses` counts the latter."""

    def __init__(self, file: PrivateFile) -> None:
        self._file = file
        self._books = Cache(file, "books", IN_MEMORY, Encoder().encode, Decoder(Book).decode)
        self._uses: list[tuple[str, bytes, int]] = []
        self.uses = 0
        file.run(USES)

    def get(self, roll: int) -> Book | None:
        """A roll's book, which the caller may change; None where there is none."""
        found = self._books.get(roll)
        return None if found is None else self.put(found)

    def put(self, book: Book) -> Book:
        """Keep a roll's book; the caller may change it until it asks for another one."""
        self._books.put(book.roll, book)
        return book

    def used(self, kind: str, value: str, seq: int) -> None:
        """Remember that entry `seq` opens a seed or gives a nonce; what is none is not counted."""
        if not HASH.fullmatch(value):
            return
        self._uses.append((kind, bytes.fromhex(value), seq))
        self.uses += 1
        if len(self._uses) >= BATCH:
            self._flush()

    def reused(self) -> Iterator[tuple[str, int, int, int]]:
        """Every value used more than once: its kind, how often, its first and last entry."""
        self._flush()
        yield from self._file.run(REUSED)

    def _flush(self) -> None:
        self._file.run_each("INSERT INTO uses VALUES (?, ?, ?)", self._uses)
        self._uses.clear()
