"""Table secrets, kept beside the log and never in it: a small record each, its owner's alone.

A table secret is behind every fair throw and every request's HMAC. It is written before the table's
first entry, never changed, and in no export; an epoch has a secret of its own. The host's key and
the last signed heads are kept beside them. On systems without POSIX modes (Windows) the directory's
own rights protect it.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol

from ...errors import Refused, Unavailable
from ...events.throw import checked_table
from .files import Hold, as_text
from .heads import HeadStore, KeptHeads, MemoryHeads
from .keys import HostKey, KeptKey, MemoryKey, read_secret
from .vault import Folder, Vault

WITH_SECRET = ("fair", "manual")
"""The dice whose tables have a secret of their own; a fixture's follows from its seed."""

ENDING = ".secrets"
"""What the directory is called after the database's own name."""

SHARES = "shares"
"""The folder of the chains of shares."""


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

    def find_chain(self, anchor: str) -> bytes | None:
        """The last link of a chain of shares that was drawn at the shell, by its anchor; or None.

        Both are 32 bytes, the anchor as 64 hex digits.
        """
        ...

    def keep_chain(self, anchor: str, last: bytes) -> None:
        """Keep the last link of a chain for good."""
        ...

    def close(self) -> None:
        """Let go of what reading and writing need. Nothing more is asked after that."""
        ...


class MemorySecrets:
    """Secrets that last as long as the process: for tests, and for a log in memory."""

    def __init__(self) -> None:
        self.key: HostKey = MemoryKey()
        self.heads: HeadStore = MemoryHeads()
        self._known: dict[str, bytes] = {}
        self._epochs: dict[tuple[str, int], bytes] = {}
        self._chains: dict[str, bytes] = {}
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

    def find_chain(self, anchor: str) -> bytes | None:
        return self._chains.get(anchor)

    def keep_chain(self, anchor: str, last: bytes) -> None:
        self._chains[anchor] = last

    def close(self) -> None:
        return

    def _hold(self, table: str) -> Hold:
        self._held.add(table)
        return Hold(partial(self._held.discard, table))


class KeptSecrets:
    """Secrets that last, as records of a vault, 64 hex digits each.

    The secret of table TABLE is the record of that name, that of epoch N is `TABLE.epoch-N`; the
    host's key is `key`, the last signed heads are in the folder `heads`, chains of shares in
    `shares`. A secret that no table has stays as `TABLE.aside`, and is never used.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.heads: HeadStore = KeptHeads(vault)
        self.key: HostKey = KeptKey(vault)

    def find(self, table: str) -> bytes | None:
        """See `Secrets.find`. Raises Damaged for a record that holds no secret."""
        return read_secret(self.vault, _name(table), "table secret")

    def keep(self, table: str, secret: bytes) -> Hold:
        """See `Secrets.keep`. Raises Unavailable where it cannot be."""
        name = _name(table)
        held = self.vault.write_new(name, as_text(secret))
        if held is None:
            raise _taken(table, self.vault.place(name))
        return held

    def left(self, table: str) -> Hold | None:
        """See `Secrets.left`."""
        return self.vault.hold(_name(table))

    def set_aside(self, table: str) -> None:
        """See `Secrets.set_aside`: it stays as `TABLE.aside`. Raises Unavailable."""
        name = _name(table)
        self.vault.set_aside(name, f"{name}.aside")

    def discard(self, table: str, secret: bytes) -> None:
        """See `Secrets.discard`."""
        if self.find(table) == secret:
            self.vault.remove(_name(table))

    def find_epoch(self, table: str, epoch: int) -> bytes | None:
        """See `Secrets.find_epoch`. Raises Damaged for a record that holds no secret."""
        return read_secret(self.vault, _name(table, f".epoch-{epoch}"), "table secret")

    def keep_epoch(self, table: str, epoch: int, secret: bytes) -> None:
        """See `Secrets.keep_epoch`. Raises Unavailable."""
        name = _name(table, f".epoch-{epoch}")
        self.vault.set_aside(name, f"{name}.aside")
        if not self.vault.write_new(name, as_text(secret)):
            raise _taken(table, self.vault.place(name))

    def alone(self) -> AbstractContextManager[None]:
        """See `Secrets.alone`."""
        return self.vault.alone(wait=False)

    def find_chain(self, anchor: str) -> bytes | None:
        """See `Secrets.find_chain`. Raises Damaged for a record that holds none."""
        return read_secret(self.vault, f"{SHARES}/{anchor}", "chain of shares")

    def keep_chain(self, anchor: str, last: bytes) -> None:
        """See `Secrets.keep_chain`. Raises Unavailable."""
        self.vault.write_new(f"{SHARES}/{anchor}", as_text(last))

    def close(self) -> None:
        """See `Secrets.close`."""
        self.vault.close()


class FileSecrets(KeptSecrets):
    """Secrets in a directory (mode 0700), one file a record (mode 0600); see `KeptSecrets`.

    The directory is made with the first of them.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__(Folder(directory))
        self.directory = directory

    @classmethod
    def beside(cls, database: Path) -> "FileSecrets":
        """The secrets of a database's tables: the directory NAME.secrets beside it."""
        return cls(database.with_name(database.name + ENDING))


def _name(table: str, ending: str = "") -> str:
    checked_table(table)  # a table's id is a file's name in a directory
    return f"{table}{ending}"


def no_secret(table: str) -> Refused:
    """The refusal of a command that needs a secret which is missing."""
    why = f"the secret of table {table!r} is not beside this log"
    return Refused("unreadable", why, allowed=["reading", "the directory it was kept in"])


def _taken(table: str, where: str) -> Refused:
    why = f"a secret of table {table!r} is kept in {where} already, but the log has no such table"
    return Refused("taken", why, allowed=["another id"])
