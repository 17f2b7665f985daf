"""The last signed head of every table, kept a second time outside its log.

It shows that a log went back: restored from a backup, or without its latest commits.
"""

import re
from base64 import b64decode

from ...errors import Damaged, Refused
from ...events.checkpoint import NOTE_BYTES, Checkpoint
from ...events.throw import checked_table
from .vault import Vault

HEADS = "heads"
"""The folder of the heads."""


class HeadStore:
    """Tables' last signed heads, in the folder `heads` of a vault: a record a table, the note.

    What an epoch superseded stays as `TABLE.before-epoch-N`; what was no note by then, as
    `TABLE.damaged-epoch-N`. The methods may block for a moment, and raise as `Vault`'s.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def place(self, table: str) -> str:
        """Where a table's head is kept, in words."""
        return self._vault.place(_name(table))

    def tables(self) -> tuple[str, ...]:
        """The tables of which a head is kept, whether the log has them or not."""
        names = self._vault.names(HEADS) if self._vault.there() else ()
        return tuple(name for name in names if re.fullmatch(r"[a-z0-9]{8,32}", name, re.ASCII))

    def find(self, table: str) -> bytes | None:
        """The note of the table's last signed head, or None."""
        return self._vault.read(_name(table), NOTE_BYTES + 1)

    def keep(self, table: str, note: bytes) -> None:
        """Keep this note for good, unless one of a larger size is kept: a later one came first.

        Raises Damaged where the one that is kept has another root for the same size.
        """
        with self._vault.alone(_name(table), wait=True):
            if is_later(table, note, self.find(table)):
                self._vault.write_over(_name(table), note)

    def supersede(self, table: str, epoch: int, note: bytes | None) -> None:
        """Set the kept note aside as evidence, and keep `note` instead: epoch `epoch` begins."""
        name = _name(table)
        with self._vault.alone(name, wait=True):
            kept = self.find(table)
            what = "before" if kept is None or is_note(kept) else "damaged"
            self._vault.set_aside(name, f"{name}.{what}-epoch-{epoch}")
            if note is not None:
                self._vault.write_over(name, note)

    def floor(self, table: str) -> int:
        """The largest size of all notes set aside; 0 for none. No size up to it is signed again.

        Raises Damaged for a record that holds no note.
        """
        aside = re.compile(re.escape(table) + r"\.before-epoch-\d+(\.\d+)?")
        names = self._vault.names(HEADS, f"{table}.before-epoch-")
        found = (f"{HEADS}/{name}" for name in names if aside.fullmatch(name))
        notes = (self._vault.read(name, NOTE_BYTES + 1) for name in found)
        return max((read_unverified(note).size for note in notes if note is not None), default=0)


def _name(table: str) -> str:
    checked_table(table)  # a table's id is a file's name in a directory
    return f"{HEADS}/{table}"


def is_later(table: str, note: bytes, kept: bytes | None) -> bool:
    """Whether a note is of a larger size than the one kept. Raises as `HeadStore.keep` does."""
    if kept is None:
        return True
    new, old = read_unverified(note), read_unverified(kept)
    if new.size == old.size and new.root != old.root:
        raise two_roots(table, new.size)
    return new.size > old.size


def two_roots(table: str, size: int) -> Damaged:
    """The error for a second root of one size: signed, it would prove that a log was rewritten."""
    why = f"table {table!r} has another root for its first {size} entries than was signed before"
    return Damaged(why)


def read_unverified(note: bytes) -> Checkpoint:
    """The checkpoint in a note, no matter who signed it. Raises Damaged where there is none."""
    try:
        origin, size, root, _ = note.decode("utf-8").split("\n", 3)
        found = Checkpoint(origin, int(size), b64decode(root, validate=True))
    except (ValueError, Refused) as error:
        raise Damaged("a signed head that is no note") from error
    if not note.startswith(found.text + b"\n"):
        raise Damaged("a signed head that is no note")
    return found


def is_note(note: bytes) -> bool:
    """Whether these bytes are a note, no matter who signed it."""
    try:
        read_unverified(note)
    except Damaged:
        return False
    return True
