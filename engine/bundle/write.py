"""A table's log, or one roll of it, written as a bundle that anybody can audit.

The form is that of docs/bundle.md. What a reader may not see must be withheld before: an entry is
written as it is given.
"""

import json
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events.base import JSON
from ...events.checkpoint import Key, read
from ...events.codec import recorded
from ...events.entry import Entry
from ...events.line import entry_line
from ...events.table import TableOpened
from ..core.aggregate import Aggregate
from .about import Shown, about, as_given, shown_to
from .read import FORMAT, LINE, WHOLE, Scope


def bundle_of(
    aggregate: Aggregate, seat: str, note: bytes, keys: Sequence[Key], roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle of a table in memory, as the seat ("" for nobody) may see it.

    `note` and the rest are as `write_bundle` takes them, and it raises the same. What one roll
    needs costs what is in its bundle, however long the log is.
    """
    return chosen(shown_to(aggregate, seat), note, keys, roll).lines()


def write_bundle(
    entries: Sequence[Entry], note: bytes, keys: Sequence[Key], roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle: the log's entries, or those that `roll` needs, from its first on.

    `note` is a checkpoint signed with one of `keys`; entries beyond its size are left out (an
    audit needs the entry that names what was erased, so sign the log as it is now). Raises,
    before the first line: Damaged when the note proves nothing about these entries, or the first
    does not open a table; Refused("unknown") for a roll that is not there or cannot be seen,
    "too-long" where what proves it is longer than a line.
    """
    return chosen(as_given(entries, whole=roll is None), note, keys, roll).lines()


class Chosen(Struct, frozen=True):
    """What a bundle holds of a log: `entries`, as the log has them, before they are written.

    `header` and `end` are its first and its last line.
    They stay what they are however the log goes on, and may be written in another thread.
    """

    log: Shown
    header: bytes
    entries: Sequence[Entry]
    end: bytes

    def lines(self) -> Iterator[bytes]:
        """The lines of the bundle."""
        yield self.header
        for entry in self.entries:
            yield entry_line(self.log.seen(entry))
        yield self.end


def chosen(log: Shown, note: bytes, keys: Sequence[Key], roll: int | None = None) -> Chosen:
    """What a bundle of the log holds; it raises as `write_bundle`."""
    checkpoint = read(note, keys)
    if checkpoint.size > log.size:
        raise Damaged(f"the checkpoint is of {checkpoint.size} entries, the log has {log.size}")
    log = replace(log, size=checkpoint.size)
    if not log.size or log.tree.root(log.size) != checkpoint.root:
        raise Damaged(f"the checkpoint over {checkpoint.size} entries is of another log")
    opened = recorded(log.seen(log.entries[0])).event
    if not isinstance(opened, TableOpened):
        raise Damaged("it does not open a table", seq=0)
    header = header_line(note, keys, opened, roll)
    if roll is None:
        return Chosen(log, header, log.entries[: log.size], end_line(log.size))
    seqs = about(log, roll)
    end = end_line(len(seqs), log.tree.multiproof(seqs, log.size))
    if len(end) > LINE:
        why = f"what proves roll {roll} is longer than the {LINE} bytes of a line"
        raise Refused("too-long", why, allowed=[WHOLE])
    return Chosen(log, header, tuple(log.entries[seq] for seq in seqs), end)


# --- single lines ---------------------------------------------------------------------------------


def header_line(
    note: bytes, keys: Sequence[Key], opened: TableOpened, roll: int | None = None
) -> bytes:
    """A bundle's first line. Raises Damaged for a note that none of the keys has signed."""
    checkpoint = read(note, keys)
    scope: Scope = "table" if roll is None else "roll"
    return _written(
        {
            "format": FORMAT,
            "scope": scope,
            **({} if roll is None else {"roll": roll}),
            "origin": checkpoint.origin,
            "keys": [key.vkey for key in keys],
            "size": checkpoint.size,
            "checkpoint": note.decode("utf-8"),
            "system": opened.ruleset,
            "version": opened.version,
            "options": opened.options,
        }
    )


def end_line(count: int, proof: Sequence[bytes] | None = None) -> bytes:
    """A bundle's last line, after `count` entries; in scope `roll` with their multiproof."""
    proved = {} if proof is None else {"proof": [node.hex() for node in proof]}
    return _written({"end": FORMAT, "count": count, **proved})


def _written(found: JSON) -> bytes:
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode()
