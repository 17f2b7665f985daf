"""Table secrets, kept beside the log and never in it: a small record each, its owner's alone.

A table secret is behind every fair throw and every request's HMAC. It is written before the table's
first entry, never changed, and in no export; an epoch has a secret of its own. The host's key and
the last signed heads are kept beside them. On systems without POSIX modes (Windows) the directory's
own rights protect it.
"""

from contextlib import AbstractContextManager
from pathlib import Path

from ...errors import Refused
from ...events.throw import checked_table
from .files import Hold, as_text
from .heads import HeadStore
from .keys import HostKey, read_secret
from .vault import Folder, Memory, Vault

WITH_SECRET = ("fair", "manual")
"""The dice whose tables have a secret of their own; a fixture's follows from its seed."""

ENDING = ".secrets"
"""What the directory is called after the database's own name."""

SHARES = "shares"
"""The folder of the chains of shares."""


class Secrets:
    """Where a service keeps its tables' secrets: records of a vault, 64 hex digits each.

    The secret of table TABLE is the record of that name, that of epoch N is `TABLE.epoch-N`; the
    host's key is `key`, the last signed heads are in the folder `heads`, chains of shares in
    `shares`. A secret that no table has stays as `TABLE.aside`, and is never used.

    The methods may block for a moment, and raise as `Vault`'s; Damaged for a record that holds no
    secret.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.heads = HeadStore(vault)
        self.key = HostKey(vault)

    def find(self, table: str) -> bytes | None:
        """The table's secret, or None."""
        return read_secret(self.vault, _name(table), "table secret")

    def keep(self, table: str, secret: bytes) -> Hold:
        """Keep a new table's secret for good. Raises Refused("taken") where there is one.

        Nobody takes it for one that was left as long as what this gives is held: until it is known
        whether the table was opened.
        """
        return self._kept(table, _name(table), secret)

    def left(self, table: str) -> Hold | None:
        """Hold a secret that is perhaps left of a table that was not opened, or is lost.

        None where it is gone by now, or where somebody is opening the table.
        """
        return self.vault.hold(_name(table))

    def set_aside(self, table: str) -> None:
        """Never use a table's secret again: call it while it is held as `left`."""
        name = _name(table)
        self.vault.set_aside(name, f"{name}.aside")

    def discard(self, table: str, secret: bytes) -> None:
        """Forget the secret of a table that was not opened after all, if it is still this one."""
        if self.find(table) == secret:
            self.vault.remove(_name(table))

    def find_epoch(self, table: str, epoch: int) -> bytes | None:
        """The table's secret since epoch `epoch`, counted from 1; as `find`."""
        return read_secret(self.vault, _name(table, f".epoch-{epoch}"), "table secret")

    def keep_epoch(self, table: str, epoch: int, secret: bytes) -> None:
        """Keep a secret for an epoch that is about to begin.

        One that is there for it, of an epoch that was lost or never begun, is set aside and never
        used again.
        """
        name = _name(table, f".epoch-{epoch}")
        self.vault.set_aside(name, f"{name}.aside")
        self._kept(table, name, secret)

    def alone(self) -> AbstractContextManager[None]:
        """Begin an epoch alone. Raises Unavailable where another process is beginning one."""
        return self.vault.alone(wait=False)

    def find_chain(self, anchor: str) -> bytes | None:
        """The last link of a chain of shares that was drawn at the shell, by its anchor; or None.

        Both are 32 bytes, the anchor as 64 hex digits.
        """
        return read_secret(self.vault, f"{SHARES}/{anchor}", "chain of shares")

    def keep_chain(self, anchor: str, last: bytes) -> None:
        """Keep the last link of a chain for good."""
        self.vault.write_new(f"{SHARES}/{anchor}", as_text(last))

    def close(self) -> None:
        """Let go of what reading and writing need. Nothing more is asked after that."""
        self.vault.close()

    def _kept(self, table: str, name: str, secret: bytes) -> Hold:
        held = self.vault.write_new(name, as_text(secret))
        if held is None:
            where = self.vault.place(name)
            why = f"a secret of table {table!r} is kept in {where} already"
            why = f"{why}, but the log has no such table"
            raise Refused("taken", why, allowed=["another id"])
        return held


class MemorySecrets(Secrets):
    """Secrets that last as long as the process: for tests, and for a log in memory."""

    def __init__(self) -> None:
        super().__init__(Memory())


class FileSecrets(Secrets):
    """Secrets in a directory (mode 0700), one file a record (mode 0600); see `Secrets`.

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
