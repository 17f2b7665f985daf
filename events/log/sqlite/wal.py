"""The write-ahead log beside a file (NAME-wal), read as it is: commits in it that SQLite drops.

SQLite replays a write-ahead log up to the first frame that is not as its checksum says, and drops
what is behind it without a word. After a crash that is right: a transaction that was cut short
never was one. After damage it is not: whole commits go, and the next writer overwrites them. Two
things tell one from the other.

    the chain   Checksums go on from frame to frame, and a commit is synced before the next frame
                is written. So a commit that is not replayed, and that a frame goes on from, was
                kept once and is lost now.
    the index   The header of NAME-shm says how many frames were committed. SQLite writes it after
                the sync, so it knows of frames that were cut off too. It is believed where it was
                written since the machine was started.

What crashes leave is no damage: frames of an earlier round of the file (other salts), and a last
transaction that is not whole. The formats are SQLite's own:
https://www.sqlite.org/fileformat2.html#walformat and https://www.sqlite.org/walformat.html.
"""

import struct
import sys
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, TypeAlias

from msgspec import Struct

HEADER = struct.Struct(">4I8s2I")
"""Magic number, version, size of a page, turn, salts, checksum."""

FRAME = struct.Struct(">2I8s2I")
"""Page, size of the database after a commit (0 within one), salts, checksum."""

INDEX = struct.Struct("=12x?3xI12x8s2I")
"""Whether it is set up, the last frame of the last commit, salts, checksum: there twice."""

INDEXED = 2 * INDEX.size + 4
"""Bytes that are read of an index: both headers, and how many frames are in the database."""

MAGIC = 0x377F0682
"""Of a file whose checksums are of little-endian words; one more for big-endian ones."""

PAGES = [1 << power for power in range(9, 17)]
"""The sizes that a page may have."""

TOGETHER = 1024
"""Frames that are read at once."""

Sums: TypeAlias = tuple[int, int]


class Lost(Struct, frozen=True):
    """What SQLite would drop: why, in words; up to which byte it reads; the salts of the file."""

    why: str
    keeps: int = 0
    salts: bytes = b""


class Index(NamedTuple):
    """What an index says: frames that were committed, of them in the database, and their salts."""

    frames: int
    written: int
    salts: bytes


class Frame(NamedTuple):
    """A frame: whether it ends a commit, and whether it goes on from the one before it."""

    commits: bool
    goes_on: bool


class Chain:
    """What was found in the frames of a file, one after another; they count from 1."""

    def __init__(self) -> None:
        self.frames = 0
        self.replayed = 0
        """Up to the last commit that SQLite takes."""
        self.bad = 0
        """The first that SQLite does not take; 0 for none."""
        self.commits = 0
        """From there on, those that are whole or that a frame goes on from."""
        self.kept = False
        """Whether a frame goes on from one of them."""

    def add(self, before: Frame, frame: Frame) -> None:
        """Count one frame more, and the one before it where this one speaks for it."""
        self.frames += 1
        if self.bad and before.commits and frame.goes_on:
            self.kept = True
            self.commits += not before.goes_on
        if not self.bad and not frame.goes_on:
            self.bad = self.frames
        if frame.commits and frame.goes_on:
            if self.bad:
                self.commits += 1
            else:
                self.replayed = self.frames


def lost(wal: Path, index: Path) -> Lost | None:
    """What SQLite would drop of a write-ahead log with this index, None for nothing.

    Either file may be missing, and others may write meanwhile. Raises OSError. Call it only where
    this process has no connection to the file: closing an index drops the locks on it.
    """
    found = _look(wal, index)
    while found is not None:
        # Who writes may be seen between two frames, but what is lost is so the next time too.
        again = _look(wal, index)
        if again is None or (again.keeps, again.salts) == (found.keeps, found.salts):
            return again
        found = again
    return None


def _look(wal: Path, index: Path) -> Lost | None:
    known = _indexed(index)  # first: what it has is in the other file by then
    try:
        with wal.open("rb") as file:
            header = file.read(HEADER.size)
            if len(header) == HEADER.size:
                return _damaged(file, header, known)
    except FileNotFoundError:
        pass
    if known is None or known.frames <= known.written:
        return None
    missing = known.frames - known.written
    return Lost(f"is gone or empty: {missing} frames that were committed are not in the database")


def _damaged(file: BinaryIO, header: bytes, known: Index | None) -> Lost | None:
    """What is lost of a file that has a header."""
    magic, _, page, _, salts, *sums = HEADER.unpack(header)
    begun = (sums[0], sums[1])
    if magic & ~1 != MAGIC or page not in PAGES or _sum(header[:24], magic) != begun:
        written = any(header) or any(map(any, iter(lambda: file.read(1 << 16), b"")))
        return Lost("is damaged: its first 32 bytes are not what was written") if written else None
    found, before = Chain(), Frame(commits=False, goes_on=True)
    for frame in _frames(file, page, magic, salts, begun):
        found.add(before, frame)
        before = frame
    committed = known.frames if known is not None and known.salts == salts else 0
    if not found.kept and committed <= found.replayed:
        return None
    size = FRAME.size + page
    why = "is cut off"
    if found.bad:
        place = HEADER.size + (found.bad - 1) * size
        why = f"is damaged: frame {found.bad} (byte {place}) is not what was written"
    why += f". SQLite would read {found.replayed}"
    why += f" of {committed} frames that were committed" if committed else " frames"
    why += f", and drop whole commits: {found.commits}" if found.commits else ""
    return Lost(why, HEADER.size + found.replayed * size, salts)


def _frames(file: BinaryIO, page: int, magic: int, salts: bytes, begun: Sums) -> Iterator[Frame]:
    """The frames of a file, up to its end or the first that is not whole in length."""
    size = FRAME.size + page
    while many := len(data := file.read(TOGETHER * size)) // size:
        found = [FRAME.unpack_from(data, at) for at in range(0, many * size, size)]
        kept = [(one, two) for *_, one, two in found]
        pairs = array("Q", data[: many * size])
        # Its salts and its own checksum, the third to sixth word, are not in a frame's checksum.
        columns = (pairs[at :: size // 8].tobytes() for at in (0, *range(3, size // 8)))
        sums = _sums([begun, *kept[:-1]], columns, magic)
        for (number, after, own, *_), theirs, ours in zip(found, kept, sums, strict=True):
            yield Frame(after > 0, number > 0 and own == salts and theirs == ours)
        begun = kept[-1]


def _sum(data: bytes, magic: int) -> Sums:
    """The checksum of some words that goes on from nothing."""
    return _sums([(0, 0)], (data[at : at + 8] for at in range(0, len(data), 8)), magic)[0]


def _sums(begun: Sequence[Sums], columns: Iterable[bytes], magic: int) -> list[Sums]:
    """Checksums that go on from others, those of many frames at once.

    Each of `columns` has the next two words of every frame. An integer holds a number for each
    frame, with room so that none runs into the next: a loop over all words takes ten times as long.
    """
    many, big = len(begun), magic & 1
    order: Literal["big", "little"] = "big" if big else "little"
    form = struct.Struct(f"{'>' if big else '<'}{many}Q")
    low = int.from_bytes(form.pack(*[0xFFFFFFFF] * many), order)
    one, two = (int.from_bytes(form.pack(*each), order) for each in zip(*begun, strict=True))
    for column in columns:
        both = int.from_bytes(column, order)
        first, second = both & low, both >> 32 & low
        if big:
            first, second = second, first
        one = (one + first + two) & low
        two = (two + second + one) & low
    ends = (form.unpack(each.to_bytes(form.size, order)) for each in (one, two))
    return list(zip(*ends, strict=True))


def _indexed(path: Path) -> Index | None:
    """What an index says; None where there is none, or none that can be relied on."""
    try:
        with path.open("rb", buffering=0) as file:
            found = file.read(INDEXED)
        changed = path.stat().st_ctime
    except OSError:
        return None
    if len(found) < INDEXED or found[: INDEX.size] != found[INDEX.size : 2 * INDEX.size]:
        return None
    ready, frames, salts, *sums = INDEX.unpack_from(found)
    native = MAGIC + (sys.byteorder == "big")
    if not ready or changed < _started() or _sum(found[: INDEX.size - 8], native) != (*sums,):
        return None
    return Index(frames, int.from_bytes(found[-4:], sys.byteorder), salts)


def _started() -> float:
    """When the machine was, in seconds since 1970; never, where the system does not say."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return float("inf") if clock is None else time.time() - time.clock_gettime(clock)
