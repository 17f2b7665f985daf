"""One SQLite file: connections that wait, sync and forget as a log needs, and its errors in words.

Nothing here opens the file but SQLite: closing any other handle on it would drop the locks that
every connection of the process holds (POSIX), so not even its first bytes are looked at. The file
NAME-shm has such locks too, and is looked at only while this process has no connection.
"""

import errno
import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Literal
from urllib.parse import quote
from weakref import WeakKeyDictionary

from msgspec import Struct

from ....errors import Damaged, Defect, Refused, Unavailable, UrimError
from .wal import lost

OLDEST_SQLITE = (3, 37, 0)
"""The first SQLite with STRICT tables."""


FAILING = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What the system says of a disk that is full or fails."""

# The binding decodes what SQLite complains of, and a damaged file's names may be no text.
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What a statement raises that the file or the disk is to blame for."""


class Connection(sqlite3.Connection):
    """A connection that is known until it is closed."""

    def close(self) -> None:
        """Close it; see `sqlite3.Connection`."""
        super().close()
        with _alone:
            _opened.pop(self, None)


_opened: WeakKeyDictionary[Connection, Path] = WeakKeyDictionary()
_alone = Lock()


class Place(Struct, frozen=True):
    """Where a log is kept and how hard to try.

    `busy` is how many seconds to wait for another process's lock. `synchronous` is SQLite's
    setting; anything but FULL loses acknowledged commits when the power fails, and is there for the
    tests that show this. `checkpoint` is after how many pages the write-ahead log is written back.
    `what` is what belongs there, in words; `right` what the user must be allowed to do with it.
    With `left`, what is left of a damaged write-ahead log is read, in a copy; see `check_left`.
    """

    path: Path
    busy: float = 30.0
    synchronous: str = "FULL"
    checkpoint: int = 1000
    what: str = "a log's file"
    right: Literal["write", "read"] = "write"
    left: bool = False

    def connect(self, *, reading: bool = False, mode: str | None = None) -> sqlite3.Connection:
        """A connection that any thread may use, one at a time; it never begins on its own.

        One for `reading` changes no row, but SQLite keeps its files beside the log's for it, unless
        `mode` is another one of SQLite's. Raises sqlite3.Error; `in_words` turns it into an error
        of Urim.
        """
        mode = mode or ("rw" if reading else "rwc")
        path = self.path.resolve()
        connection = sqlite3.connect(
            f"file:{quote(os.fspath(path))}?mode={mode}",
            uri=True,
            timeout=self.busy,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
        )
        with _alone:  # SQLite opens its files with the first statement
            _opened[connection] = path
        # A flipped bit in a text must name its entry, not fail the statement that reads it.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        settings = [
            ("synchronous", self.synchronous),
            # fsync alone leaves the data in the drive's cache on macOS; elsewhere this is nothing.
            ("fullfsync", "ON"),
            ("wal_autocheckpoint", str(self.checkpoint)),
            # What is erased is overwritten, not only released.
            ("secure_delete", "ON"),
            ("cell_size_check", "ON"),
            ("trusted_schema", "OFF"),
            ("query_only", "ON" if reading else "OFF"),
        ]
        try:
            for name, value in settings:
                connection.execute(f"PRAGMA {name} = {value}").fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def make(self) -> None:
        """Make an empty file for its owner alone, if none is there; SQLite's own files follow it.

        Where that cannot be, SQLite makes it or says why not.
        """
        path = self.path.resolve()
        if path.exists():
            return
        unfinished = path.with_name(f"{path.name}.{token_hex(8)}.new")
        with suppress(OSError):
            # Closed before it has its name: a handle that is closed drops the locks on its file.
            os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            try:
                os.link(unfinished, path)
            finally:
                unfinished.unlink()

    def check(self) -> None:
        """Refuse what shows before SQLite is asked.

        Raises Refused("unreadable") for a directory or a file in no directory, Unavailable for an
        SQLite that is too old.
        """
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            oldest = ".".join(map(str, OLDEST_SQLITE))
            raise Unavailable(f"SQLite {sqlite3.sqlite_version} is older than {oldest}")
        if self.path.is_dir():
            raise Refused("unreadable", f"{self.path} is a directory", allowed=["a file"])
        if not self.path.parent.is_dir():
            why = f"{self.path} is in no directory"
            raise Refused("unreadable", why, allowed=["a file in a directory that exists"])

    def check_left(self) -> None:
        """Refuse a write-ahead log of which SQLite would drop commits, before it is asked.

        A file that this process has open was looked at then. Raises Damaged, with what can be done,
        and OSError.
        """
        if self.left:
            return
        path = self.path.resolve()
        wal, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
        with _alone:
            found = None if path in _opened.values() else lost(wal, index)
        if found is not None:
            cut = f"cut it to {found.keeps} bytes and remove" if found.keeps else "remove it and"
            raise Damaged(
                f"{wal} {found.why}. Copy it, {path.name} and {index.name} away before any program "
                f"opens them, and restore a backup; or {cut} {index.name}, and lose the rest"
            )

    @contextmanager
    def in_words(self) -> Generator[None]:
        """Turn what SQLite and the system raise within into errors of Urim, naming the path."""
        try:
            yield
        except OSError as error:
            why = f"{self.path} cannot be used: {error.strerror}"
            if error.errno in FAILING:
                raise Unavailable(why) from error
            raise Refused("unreadable", why, allowed=[self._usable]) from error
        except FAULTS as error:
            raise self.worded(error) from error

    @property
    def _usable(self) -> str:
        return f"a file that this user may {self.right}"

    def worded(self, error: Exception) -> UrimError:
        """An error of SQLite as one of Urim, by whose fault it was."""
        code = getattr(error, "sqlite_errorcode", 0)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        path = self.path
        match code & 0xFF:
            case sqlite3.SQLITE_NOTADB:
                why = f"{path} is no SQLite database"
                return Refused("unreadable", why, allowed=[self.what, "a new file"])
            case _ if code == sqlite3.SQLITE_READONLY_DBMOVED:
                return Unavailable(f"{path} was moved or deleted while it was open")
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                why = f"{path} can be read but not written"
                return Refused("unreadable", why, allowed=["a file that this user may write"])
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_AUTH:
                why = f"{path} cannot be opened here"
                return Refused("unreadable", why, allowed=[f"{self._usable}, in a directory too"])
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
                return Unavailable(f"{path} was locked by another process for {self.busy:g} s")
            case sqlite3.SQLITE_FULL:
                return Unavailable(f"there is no space left for {path}")
            case sqlite3.SQLITE_IOERR:
                return Unavailable(f"the disk failed under {path} ({name})")
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR:
                return Damaged(f"{path} is damaged: {error}")
            case _ if isinstance(error, UnicodeDecodeError):
                return Damaged(f"{path} is damaged: it has names that are no text")
            case _:
                return Defect(f"{path}: {name}: {error}")


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo the transaction, unless SQLite has done so itself, as it does when the disk is full."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def is_lock(error: Exception) -> bool:
    """Whether another connection held what was needed."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_failed_sync(error: Exception) -> bool:
    """Whether the system could not confirm that what was written is on the disk."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code in (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)


def sync_directory(path: Path) -> None:
    """Make the names in a file's directory last, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
