"""Table secrets, kept beside the log and never in it: one small file a table, its owner's alone.

A table secret is behind every fair throw and every request's HMAC. It is written before the table's
first entry, never changed, and in no export; an epoch has a secret of its own. The host's key and
the last signed heads are kept beside them. On systems without POSIX modes (Windows) the directory's
own rights protect it.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol

from ...errors import Refused, Unavailable
from ...events.throw import checked_table
from .files import Hold, alone, hold, make_directory, read_secret, set_aside, write_secret
from .heads import FileHeads, HeadStore, MemoryHeads
from .keys import FileKey, HostKey, MemoryKey

WITH_SECRET = ("fair", "manual")
"""The dice whose tables have a secret of their own; a fixture's follows from its seed."""

ENDING = ".secrets"
"""What the directory is called after the database's own name."""


class Secrets(Protocol):
    """Where a service keeps its tables' secrets. The methods may block for a moment."""

    @property
    def key(self) -> HostKey:
        """The key that signs the tables' heads."""
        ...

    @property
    def heads(self) -> HeadStore:
        """The last signed heads."""
        ...

    def find(self, table: str) -> bytes | None:
        """The table's secret, or None. Raises Refused("unreadable") where others may read it."""
        ...

    def keep(self, table: str, secret: bytes) -> Hold:
        """Keep a new table's secret for good. Raises Refused("taken") where there is one.

        Nobody takes it for one that was left as long as what this gives is held: until it is known
        whether the table was opened.
        """
        ...

    def left(self, table: str) -> Hold | None:
        """Hold a secret that is perhaps left of a table that was not opened, or is lost.

        None where it is gone by now, or where somebody is opening the table.
        """
        ...

    def set_aside(self, table: str) -> None:
        """Never use a table's secret again: call it while it is held as `left`."""
        ...

    def discard(self, table: str, secret: bytes) -> None:
        """Forget the secret of a table that was not opened after all, if it is still this one."""
        ...

    def find_epoch(self, table: str, epoch: int) -> bytes | None:
        """The table's secret since epoch `epoch`, counted from 1; as `find`."""
        ...

    def keep_epoch(self, table: str, epoch: int, secret: bytes) -> None:
        """Keep a secret for an epoch that is about to begin.

        One that is there for it, of an epoch that was lost or never begun, is set aside and never
        used again.
        """
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Begin an epoch alone. Raises Unavailable where another process is beginning one."""
        ...


class MemorySecrets:
    """Secrets that last as long as the process: for tests, and for a log in memory."""

    def __init__(self) -> None:
        self.key: HostKey = MemoryKey()
        self.heads: HeadStore = MemoryHeads()
        self._known: dict[str, bytes] = {}
        self._epochs: dict[tuple[str, int], bytes] = {}
        self._beginning = Lock()
        self._held: set[str] = set()
        self._holding = Lock()

    def find(self, table: str) -> bytes | None:
        return self._known.get(table)

    def keep(self, table: str, secret: bytes) -> Hold:
        with self._holding:
            if table in self._known:
                raise _taken(table, "the memory of this process")
            self._known[table] = secret
            return self._hold(table)

    def left(self, table: str) -> Hold | None:
        with self._holding:
            if table in self._held or table not in self._known:
                return None
            return self._hold(table)

    def set_aside(self, table: str) -> None:
        del self._known[table]

    def discard(self, table: str, secret: bytes) -> None:
        if self._known.get(table) == secret:
            del self._known[table]

    def find_epoch(self, table: str, epoch: int) -> bytes | None:
        return self._epochs.get((table, epoch))

    def keep_epoch(self, table: str, epoch: int, secret: bytes) -> None:
        self._epochs[table, epoch] = secret

    @contextmanager
    def alone(self) -> Generator[None]:
        if not self._beginning.acquire(blocking=False):
            raise Unavailable("another epoch is just beginning")
        try:
            yield
        finally:
            self._beginning.release()

    def _hold(self, table: str) -> Hold:
        self._held.add(table)
        return Hold(partial(self._held.discard, table))


class FileSecrets:
    """Secrets in a directory (mode 0700), one file a table (mode 0600), 64 hex digits each.

    The secret of table TABLE is in the file of that name, that of epoch N in `TABLE.epoch-N`; the
    host's key in `key`, the last signed heads in the directory `heads`. The directory is made with
    the first of them. A secret that no table has stays as `TABLE.aside`, and is never used.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        heads = FileHeads(directory / "heads")
        self.heads: HeadStore = heads
        self.key: HostKey = FileKey(directory, heads.directory)

    @classmethod
    def beside(cls, database: Path) -> "FileSecrets":
        """The secrets of a database's tables: the directory NAME.secrets beside it."""
        return cls(database.with_name(database.name + ENDING))

    def find(self, table: str) -> bytes | None:
        """See `Secrets.find`. Raises Damaged for a file that holds no secret."""
        return read_secret(self._path(table), "table secret")

    def keep(self, table: str, secret: bytes) -> Hold:
        """See `Secrets.keep`; on disk when this returns. Raises Unavailable where it cannot be."""
        path = self._path(table)
        make_directory(self.directory)
        held = write_secret(path, secret)
        if held is None:
            raise _taken(table, str(path))
        return held

    def left(self, table: str) -> Hold | None:
        """See `Secrets.left`."""
        return hold(self._path(table))

    def set_aside(self, table: str) -> None:
        """See `Secrets.set_aside`: it stays as `TABLE.aside`. Raises Unavailable."""
        path = self._path(table)
        set_aside(path, f"{path.name}.aside")

    def discard(self, table: str, secret: bytes) -> None:
        """See `Secrets.discard`."""
        if self.find(table) == secret:
            with suppress(OSError):
                self._path(table).unlink()

    def find_epoch(self, table: str, epoch: int) -> bytes | None:
        """See `Secrets.find_epoch`. Raises Damaged for a file that holds no secret."""
        return read_secret(self._path(table, f".epoch-{epoch}"), "table secret")

    def keep_epoch(self, table: str, epoch: int, secret: bytes) -> None:
        """See `Secrets.keep_epoch`; on disk when this returns. Raises Unavailable."""
        path = self._path(table, f".epoch-{epoch}")
        make_directory(self.directory)
        set_aside(path, f"{path.name}.aside")
        if not write_secret(path, secret):
            raise _taken(table, str(path))

    @contextmanager
    def alone(self) -> Generator[None]:
        """See `Secrets.alone`."""
        make_directory(self.directory)
        with alone(self.directory, wait=False):
            yield

    def _path(self, table: str, ending: str = "") -> Path:
        checked_table(table)  # a table's id is a file's name here
        return self.directory / f"{table}{ending}"


def no_secret(table: str) -> Refused:
    """The refusal of a command that needs a secret which is missing."""
    why = f"the secret of table {table!r} is not beside this log"
    return Refused("unreadable", why, allowed=["reading", "the directory it was kept in"])


def _taken(table: str, where: str) -> Refused:
    why = f"a secret of table {table!r} is kept in {where} already, but the log has no such table"
    return Refused("taken", why, allowed=["another id"])
