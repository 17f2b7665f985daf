"""A signed head as a log keeps it: of one size one root, for good."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from ...errors import Damaged, Refused
from ..checkpoint import NOTE_BYTES
from ..merkle import HASH_BYTES, Frontier


class Head(Struct, frozen=True):
    """What the `note` signs of a table: its first `size` entries have this `root`.

    The log keeps the note as it is; whether its signature holds is its readers' business. Raises
    Refused("out-of-range") for a size below 1, Refused("malformed") for a root that is not 32
    bytes, Refused("too-long") for a note of more than 64 KiB.
    """

    size: int
    root: bytes
    note: bytes

    def __post_init__(self) -> None:
        if self.size < 1:
            raise Refused("out-of-range", f"a head of size {self.size}", allowed=["1 or more"])
        if len(self.root) != HASH_BYTES:
            why = f"a root of {len(self.root)} bytes"
            raise Refused("malformed", why, allowed=[f"{HASH_BYTES} bytes"])
        if len(self.note) > NOTE_BYTES:
            why = f"a note of {len(self.note)} bytes"
            raise Refused("too-long", why, allowed=[f"at most {NOTE_BYTES}"])


def check_heads(after: int, limit: int | None = None) -> None:
    """Raises Refused("out-of-range") for an `after` below 0 or a `limit` below 0."""
    if after < 0:
        raise Refused("out-of-range", f"after is {after}", allowed=["0 or more"])
    if limit is not None and limit < 0:
        raise Refused("out-of-range", f"limit is {limit}", allowed=["0 or more", "None"])


def same_head(head: Head, earlier: Head | None, table: str, size: int) -> Head | None:
    """The head kept earlier, if any, where this one may be kept at a table of `size` entries.

    Raises Refused as `EventLog.keep_head` does.
    """
    if head.size > size:
        why = f"a head of size {head.size}, but table {table!r} has {size} entries"
        raise Refused("out-of-range", why, allowed=[f"1 to {size}"] if size else ())
    if earlier is not None and earlier.root != head.root:
        why = f"a head of size {head.size} of table {table!r} is kept, with another root"
        raise Refused("taken", why)
    return earlier


def check_signed(
    table: str, heads: Iterable[Head], leaves: Callable[[int, int], Iterable[bytes]]
) -> None:
    """Hold a table's entries against its heads, by ascending size.

    `leaves` gives those of the entries from one to before another. Raises Damaged, naming the first
    entry that may be meant, for the first head they do not fit; its signature is not looked at.
    """
    tree = Frontier()
    for head in heads:
        known, tree = tree.size, tree.extend(leaves(tree.size, head.size))
        if (tree.size, tree.root()) != (head.size, head.root):
            why = f"table {table}: entries {known} to {head.size - 1} are not those signed for"
            raise Damaged(why, seq=known)
