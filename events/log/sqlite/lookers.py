"""Reading a log's file and touching nothing: no file is made, changed or left beside it.

What SQLite needs for that depends on what is there, which is looked at before every read:

    resting   no write-ahead log, or an empty one. The file is read as one that never changes, and
              must be afterwards what it was before; else it is copied, and the copy is read.
    in use    a write-ahead log and its index (NAME-shm): a process writes, or was killed. SQLite
              reads both, under its locks.
    left      a write-ahead log without its index, which SQLite would have to make: both files are
              copied, and the copy is read.

A file of an older schema is copied too, and the copy upgraded. Copies are in a directory of their
own (mode 0700) among the system's temporary ones, until the log is closed.

A file on a read-only medium rests, unless a write-ahead log was left there; a commit that is in
that log alone is always read.
"""

import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from ....errors import Refused, Unavailable, UrimError
from .file import FAULTS, Place, roll_back
from .readers import Readers
from .schema import is_current, prepare
from .writer import Work

T = TypeVar("T")

Way: TypeAlias = Literal["resting", "in use", "left"]

UNLOCKED = "ro&immutable=1"
"""How SQLite opens a file that never changes: without locks, and without a write-ahead log."""


class Mark(NamedTuple):
    """What shows that a file was replaced or written to: inode, bytes, nanoseconds since 1970."""

    inode: int
    size: int
    written: int


class Beside(NamedTuple):
    """A log's file and what SQLite keeps beside it, at one moment."""

    file: Mark | None
    wal: Mark | None
    shm: Mark | None

    @classmethod
    def of(cls, path: Path) -> "Beside":
        """What is there now. No file is opened: that would drop the locks of this process."""
        real = path.resolve()
        return cls(*(_mark(real.with_name(real.name + end)) for end in ("", "-wal", "-shm")))

    @property
    def way(self) -> Way:
        """How the file has to be read."""
        if self.wal is None or not self.wal.size:
            return "resting"
        return "left" if self.shm is None else "in use"

    def is_still(self, seen: "Beside") -> bool:
        """Whether what was read is what the file held when that was seen."""
        match seen.way:
            case "resting":
                return self.file == seen.file
            case "left":
                return self == seen
            case "in use":
                # SQLite's locks see to the rest, as long as these are the files that it opened.
                return self.way == seen.way and _inodes(self) == _inodes(seen)


def _mark(path: Path) -> Mark | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return Mark(found.st_ino, found.st_size, found.st_mtime_ns)


def _inodes(files: Beside) -> list[int | None]:
    return [None if each is None else each.inode for each in (files.file, files.wal)]


class Moved(Exception):
    """The file was written to, or became another one, while it was copied."""


PASSING = (UrimError, *FAULTS)
"""What may be raised of a file that changes under its reader, and not again."""


class Source(NamedTuple):
    """A connection, to the file or to a copy of it, and what was there when it was opened."""

    seen: Beside
    connection: sqlite3.Connection
    copied: bool

    def serves(self, now: Beside) -> bool:
        """Whether it reads what is there now."""
        if self.copied:
            return now == self.seen
        return now.way == self.seen.way and now.is_still(self.seen)

    def read_one_moment(self, path: Path) -> bool:
        """Whether all that it has read was in the file together."""
        return self.copied or self.seen.way == "in use" or Beside.of(path).is_still(self.seen)


class Lookers(Readers):
    """One connection to a file that is read and never written, on a thread of its own."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, threads=1)
        self._source: Source | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Finish what was begun; then close the connection, and remove what was copied."""
        super().close()
        self._forget()

    def _as_of_now(self, work: Work[T]) -> T:
        with self._place.in_words():
            return self._insist(work)

    def _insist(self, work: Work[T]) -> T:
        """Do the work on the file as it is at one moment; again where it is written meanwhile."""
        path = self._place.path
        until = time.monotonic() + self._place.busy
        restless = False
        while True:
            seen = Beside.of(path)
            if seen.file is None:
                raise Refused("unreadable", f"there is no file {path}")
            wrong: Exception = Unavailable(f"{path} was written to each time it was read")
            try:
                source = self._fitting(seen, restless=restless)
                found = _done(source.connection, work)
                if source.read_one_moment(path):
                    return found
            except Moved:
                pass  # it was written to, as above
            except PASSING as error:
                wrong = error
                if not _may_pass(error) and Beside.of(path).is_still(seen):
                    raise
            self._forget()
            if time.monotonic() > until:
                raise wrong
            restless = True
            time.sleep(0.01)

    def _fitting(self, seen: Beside, *, restless: bool) -> Source:
        """The connection for what is there now: the one that is open, or another."""
        if self._source is None or not self._source.serves(seen):
            self._forget()
            copied = self._place.left or seen.way == "left" or (restless and seen.way == "resting")
            connection = self._opened(seen, copied=copied)
            try:
                current = _done(connection, lambda known: is_current(self._place, known))
                if not current:
                    connection, copied = self._upgraded(seen, connection), True
            except BaseException:
                connection.close()
                raise
            self._source = Source(seen, connection, copied)
        return self._source

    def _opened(self, seen: Beside, *, copied: bool) -> sqlite3.Connection:
        self._place.check_left()
        if copied:
            return Place(self._copy(seen)).connect(reading=True)
        mode = UNLOCKED if seen.way == "resting" else "ro"
        return self._place.connect(reading=True, mode=mode)

    def _copy(self, seen: Beside) -> Path:
        """A copy of the file, with its write-ahead log, as they are at one moment."""
        # No process has locks on them that a handle could drop: nobody uses them.
        path, copy = self._place.path.resolve(), self._free("copy.db")
        try:
            shutil.copyfile(path, copy)
            if seen.wal is not None:
                shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        except FileNotFoundError as error:
            raise Moved from error
        except OSError as error:
            raise self._no_copy(copy, error) from error
        if not Beside.of(path).is_still(seen):
            raise Moved
        return copy

    def _upgraded(self, seen: Beside, older: sqlite3.Connection) -> sqlite3.Connection:
        """A connection to a copy that has today's schema; the older one is closed."""
        path, copy = self._place.path, self._free("upgraded.db")
        with closing(older), closing(Place(copy).connect()) as target:
            older.backup(target)
            if seen.way == "resting" and not Beside.of(path).is_still(seen):
                raise Moved
        prepare(Place(copy)).close()
        return Place(copy).connect(reading=True)

    def _free(self, name: str) -> Path:
        """A name in the directory of the copies, which nobody else may read."""
        if self._folder is None:
            try:
                self._folder = tempfile.TemporaryDirectory(
                    prefix="urim-", ignore_cleanup_errors=True
                )
            except OSError as error:
                raise self._no_copy(Path(tempfile.gettempdir()), error) from error
        return Path(self._folder.name, name)

    def _no_copy(self, where: Path, error: OSError) -> Unavailable:
        why = f"{self._place.path} can be read in a copy alone, and {where} cannot be written"
        return Unavailable(f"{why}: {error.strerror}")

    def _forget(self) -> None:
        if self._source is not None:
            self._source.connection.close()
            self._source = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _done(connection: sqlite3.Connection, work: Work[T]) -> T:
    """Some work as of one moment."""
    try:
        connection.execute("BEGIN")
        return work(connection)
    finally:
        roll_back(connection)


def _may_pass(error: BaseException) -> bool:
    """Whether it is only now that SQLite cannot read: another process sets its files up."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY
