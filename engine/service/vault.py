"""Small named records, each kept whole or not at all: where secrets, keys and signed heads are.

A record's name is a table's id with an ending, or has a folder before it: `heads/TABLE`. What a
vault promises is the same in a directory, in a database and in memory;
`urim.engine.service.secrets` says what the records are.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol, runtime_checkable

from ...errors import Unavailable
from . import files
from .files import Hold


class Vault(Protocol):
    """Where records are kept. The methods may block for a moment.

    All of them raise Refused("unreadable") for what others may use or what this process may not,
    Damaged for what is not what was written, Unavailable where nothing can be read or written now.
    """

    @property
    def shown(self) -> str:
        """Where it is, in words."""
        ...

    def there(self) -> bool:
        """Whether there is a place for records yet: it is made with the first of them."""
        ...

    def place(self, name: str) -> str:
        """Where a record is, in words."""
        ...

    def read(self, name: str, most: int) -> bytes | None:
        """What a record holds, at most its first `most` bytes; None where there is none."""
        ...

    def names(self, folder: str = "", stem: str = "") -> tuple[str, ...]:
        """The names in a folder that begin so, sorted, without the folder."""
        ...

    def write_new(self, name: str, content: bytes) -> Hold | None:
        """Keep a new record for good; held, so that nobody takes it for one that was left.

        None, and nothing done, where there is one of that name.
        """
        ...

    def write_over(self, name: str, content: bytes) -> None:
        """Put this in the place of what a record holds, for good, or as a new one."""
        ...

    def remove(self, name: str) -> None:
        """Forget a record, if it is there and that can be done."""
        ...

    def set_aside(self, name: str, other: str) -> None:
        """Give a record another name: `other`, or the first free of `other.2` and so on.

        Nothing where there is none.
        """
        ...

    def hold(self, name: str) -> Hold | None:
        """Hold a record; None where somebody else does, or where it is gone."""
        ...

    def alone(self, name: str = "", *, wait: bool) -> AbstractContextManager[None]:
        """Be the only one who is so at a record; or at none, as who begins an epoch.

        Raises Unavailable where another is, and `wait` is False or that takes too long.
        """
        ...

    def close(self) -> None:
        """Let go of what reading and writing need; holds and records stay."""
        ...


@runtime_checkable
class Encrypted(Protocol):
    """A vault whose records are encrypted under the key in a file."""

    def rotate(self, key: Path) -> int:
        """Encrypt all records under the key in another file, all or none; how many they are.

        Who has the old key reads and writes none of them afterwards: it is refused. The file is
        made where it is not there. Raises Refused("unreadable") where there are no records yet,
        where they are under that key already, and as reading them does.
        """
        ...


class Folder:
    """A `Vault` in a directory (mode 0700), one file a record (mode 0600).

    The directory is made with the first record, and one within it for each folder.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._made: set[Path] = set()

    @property
    def shown(self) -> str:
        return str(self.directory)

    def there(self) -> bool:
        return self.directory.is_dir()

    def place(self, name: str) -> str:
        return str(self.directory / name)

    def read(self, name: str, most: int) -> bytes | None:
        return files.read(self.directory / name, most)

    def names(self, folder: str = "", stem: str = "") -> tuple[str, ...]:
        place = self.directory / folder
        if not place.is_dir():
            return ()
        found = (path for path in place.iterdir() if not path.is_dir())
        return tuple(sorted(path.name for path in found if path.name.startswith(stem)))

    def write_new(self, name: str, content: bytes) -> Hold | None:
        return files.write_new(self._path(name), content)

    def write_over(self, name: str, content: bytes) -> None:
        files.write_over(self._path(name), content)

    def remove(self, name: str) -> None:
        with suppress(OSError):
            (self.directory / name).unlink()

    def set_aside(self, name: str, other: str) -> None:
        files.set_aside(self.directory / name, other.rpartition("/")[2])

    def hold(self, name: str) -> Hold | None:
        return files.hold(self.directory / name)

    @contextmanager
    def alone(self, name: str = "", *, wait: bool) -> Generator[None]:
        with files.alone(self._path(name or "-").parent, wait=wait):  # all of its folder, then
            yield

    def close(self) -> None:
        return

    def _path(self, name: str) -> Path:
        """The file of a record that is about to be written, its directory made."""
        path = self.directory / name
        if path.parent not in self._made:
            files.make_directory(self.directory)
            if path.parent != self.directory:
                files.make_directory(path.parent)
                # Of a folder's files many are written: it is not looked at before each.
                self._made.add(path.parent)
        return path


class Memory:
    """A `Vault` that lasts as long as the process: for tests, and for a log in memory."""

    shown = "the memory of this process"

    def __init__(self) -> None:
        self._records: dict[str, bytes] = {}
        self._held: set[str] = set()
        self._one_step = Lock()
        self._alone: dict[str, Lock] = {}

    def there(self) -> bool:
        return bool(self._records)

    def place(self, name: str) -> str:
        return f"{name} in {self.shown}"

    def read(self, name: str, most: int) -> bytes | None:
        found = self._records.get(name)
        return None if found is None else found[:most]

    def names(self, folder: str = "", stem: str = "") -> tuple[str, ...]:
        parted = (name.rpartition("/") for name in [*self._records])
        return tuple(sorted(own for at, _, own in parted if at == folder and own.startswith(stem)))

    def write_new(self, name: str, content: bytes) -> Hold | None:
        with self._one_step:
            if name in self._records:
                return None
            self._records[name] = content
            return self._hold(name)

    def write_over(self, name: str, content: bytes) -> None:
        self._records[name] = content

    def remove(self, name: str) -> None:
        self._records.pop(name, None)

    def set_aside(self, name: str, other: str) -> None:
        with self._one_step:
            free, turn = other, 1
            while free in self._records:
                turn += 1
                free = f"{other}.{turn}"
            if name in self._records:
                self._records[free] = self._records.pop(name)

    def hold(self, name: str) -> Hold | None:
        with self._one_step:
            return self._hold(name) if name in self._records and name not in self._held else None

    @contextmanager
    def alone(self, name: str = "", *, wait: bool) -> Generator[None]:
        lock = self._alone.setdefault(name.rpartition("/")[0], Lock())
        if not lock.acquire(blocking=wait):
            raise Unavailable(f"{self.shown} is in use by another task")
        try:
            yield
        finally:
            lock.release()

    def close(self) -> None:
        return

    def _hold(self, name: str) -> Hold:
        self._held.add(name)
        return Hold(partial(self._held.discard, name))
