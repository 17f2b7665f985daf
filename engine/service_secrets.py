"""Table secrets, kept beside the log and never in it: one small file a table, its owner's alone.

A table secret is behind every fair throw and every request's HMAC. It is written before the table's
first entry, never changed, and in no export. On systems without POSIX modes (Windows) the
directory's own rights protect it.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ..errors import Damaged, Refused, Unavailable
from ..events.throw import checked_table

SECRET_BYTES = 32

ENDING = ".secrets"
"""What the directory is called after the database's own name."""

OTHERS = 0o077
"""The rights of anybody but the owner."""


class Secrets(Protocol):
    """Where a service keeps its tables' secrets. The methods may block; they are short."""

    def find(self, table: str) -> bytes | None:
        """The table's secret, or None. Raises Refused("unreadable") where others may read it."""
        ...

    def keep(self, table: str, secret: bytes) -> None:
        """Keep a new table's secret for good. Raises Refused("taken") where there is one."""
        ...

    def discard(self, table: str, secret: bytes) -> None:
        """Forget the secret of a table that was not opened after all, if it is still this one."""
        ...


class MemorySecrets:
    """Secrets that last as long as the process: for tests, and for a log in memory."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def find(self, table: str) -> bytes | None:
        return self._known.get(table)

    def keep(self, table: str, secret: bytes) -> None:
        if table in self._known:
            raise _taken(table, "the memory of this process")
        self._known[table] = secret

    def discard(self, table: str, secret: bytes) -> None:
        if self._known.get(table) == secret:
            del self._known[table]


class FileSecrets:
    """Secrets in a directory (mode 0700), one file a table (mode 0600), 64 hex digits each.

    The directory is made with the first secret.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @classmethod
    def beside(cls, database: Path) -> "FileSecrets":
        """The secrets of a database's tables: the directory NAME.secrets beside it."""
        return cls(database.with_name(database.name + ENDING))

    def find(self, table: str) -> bytes | None:
        """See `Secrets.find`. Raises Damaged for a file that holds no secret."""
        path = self._path(table)
        try:
            # Not through a link: whoever may write the directory must not choose the file.
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error
        with os.fdopen(handle, "rb") as file:
            _private(path, os.fstat(file.fileno()))
            _private(self.directory, self.directory.stat())
            text = file.read(2 * SECRET_BYTES + 2)
        try:
            secret = bytes.fromhex(text.decode("ascii"))
        except ValueError as error:
            raise Damaged(f"{path} holds no table secret") from error
        if len(secret) != SECRET_BYTES:
            raise Damaged(f"{path} holds no table secret")
        return secret

    def keep(self, table: str, secret: bytes) -> None:
        """See `Secrets.keep`; on disk when this returns. Raises Unavailable where it cannot be."""
        path = self._path(table)
        unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        try:
            self.directory.mkdir(mode=0o700, exist_ok=True)
            _private(self.directory, self.directory.stat())
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(f"{secret.hex()}\n".encode("ascii"))
                file.flush()
                os.fsync(file.fileno())
            # A link appears whole or not at all, and never over another's.
            os.link(unfinished, path)
            _sync(self.directory)
            _sync(self.directory.parent)
        except FileExistsError as error:
            raise _taken(table, str(path)) from error
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {error.strerror}") from error
        finally:
            unfinished.unlink(missing_ok=True)

    def discard(self, table: str, secret: bytes) -> None:
        """See `Secrets.discard`."""
        if self.find(table) == secret:
            with suppress(OSError):
                self._path(table).unlink()

    def _path(self, table: str) -> Path:
        checked_table(table)  # a table's id is a file's name here
        return self.directory / table


def _taken(table: str, where: str) -> Refused:
    why = f"a secret of table {table!r} is kept in {where} already, but the log has no such table"
    return Refused("taken", why, allowed=["another id"])


def _unreadable(path: Path, error: OSError) -> Refused:
    return Refused("unreadable", f"{path} cannot be read: {error.strerror}")


def _private(path: Path, status: os.stat_result) -> None:
    """Refuse what others than its owner may read or write, or what is somebody else's."""
    if os.name == "nt":
        return
    mode = status.st_mode & 0o777
    if mode & OTHERS:
        fitting = "700" if path.is_dir() else "600"
        why = f"{path} is open to others than its owner: its mode is {mode:o}"
        raise Refused("unreadable", why, allowed=[f"mode {fitting}"])
    if status.st_uid not in (os.geteuid(), 0):
        raise Refused("unreadable", f"{path} belongs to another user", allowed=["a file of yours"])


def _sync(directory: Path) -> None:
    """Make the names in a directory last, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
