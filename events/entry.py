r"""An event sealed for the log: everybody may hold the entry, not everybody its payload.

digest    SHA-256("urim/1 payload\n" || salt || payload)
entry     "urim/1 entry\n" SEQ "\n" UNIX_MS "\n" CLASS "\n" hex(digest) "\n"
leaf      SHA-256(0x00 || entry)                                                    RFC 6962, 2.1
"""

from hashlib import sha256
from typing import Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Damaged

SALT_BYTES = 32
DIGEST_BYTES = 32

EntryClass: TypeAlias = Literal["open", "hidden", "text", "hidden-text"]
"""Whether every seat may have the payload, or only those who may see the roll; and whether it is a
text, which alone can be erased."""

CLASSES: tuple[EntryClass, ...] = get_args(EntryClass)

TEXTS: tuple[EntryClass, ...] = ("text", "hidden-text")
"""The classes of texts."""

HIDDEN: tuple[EntryClass, ...] = ("hidden", "hidden-text")
"""The classes of entries that not every seat may have."""


class Entry(Struct, frozen=True, gc=False):
    """One line of a table's log.

    `seq` counts from 0 without gaps; `at` is in milliseconds since 1970-01-01 UTC and never goes
    back. `commit` is the sequence of the first entry of its commit; it is not hashed, and known of
    withheld entries too. `salt` (32 bytes) and `payload` (UTF-8 JSON) are None where they are
    withheld or erased. `digest` and `leaf` are 32 bytes each.
    """

    seq: int
    at: int
    kind: EntryClass
    digest: bytes
    leaf: bytes
    commit: int
    salt: bytes | None = None
    payload: bytes | None = None


def digest_of(salt: bytes, payload: bytes) -> bytes:
    """The 32 bytes that represent a payload in its entry; the salt keeps it from being guessed."""
    return sha256(b"urim/1 payload\n" + salt + payload).digest()


def entry_bytes(seq: int, at: int, kind: EntryClass, digest: bytes) -> bytes:
    """The bytes of an entry that the tree is built over."""
    return f"urim/1 entry\n{seq}\n{at}\n{kind}\n{digest.hex()}\n".encode("ascii")


def leaf_of(entry: bytes) -> bytes:
    """The RFC 6962 leaf hash of an entry's bytes."""
    return sha256(b"\x00" + entry).digest()


def seal(
    seq: int, at: int, kind: EntryClass, salt: bytes, payload: bytes, commit: int | None = None
) -> Entry:
    """Seal an encoded event under its place, time and class; by default a commit of its own."""
    digest = digest_of(salt, payload)
    leaf = leaf_of(entry_bytes(seq, at, kind, digest))
    return Entry(seq, at, kind, digest, leaf, seq if commit is None else commit, salt, payload)


def withhold(entry: Entry) -> Entry:
    """The entry without what only some may see; its leaf is the same."""
    return replace(entry, salt=None, payload=None)


def verify(entry: Entry) -> None:
    """Check an entry against itself.

    Raises Damaged, naming the entry, when a field is not of its form, its leaf does not match its
    fields, or its payload, where there is one, does not match its digest.
    """
    formed = 0 <= entry.commit <= entry.seq and entry.at >= 0 and entry.kind in CLASSES
    if not formed or len(entry.digest) != DIGEST_BYTES:
        raise Damaged("a field of the entry is not of its form", seq=entry.seq)
    if leaf_of(entry_bytes(entry.seq, entry.at, entry.kind, entry.digest)) != entry.leaf:
        raise Damaged("the leaf does not match the entry", seq=entry.seq)
    if (entry.salt is None) != (entry.payload is None):
        raise Damaged("salt and payload must be there, or missing, together", seq=entry.seq)
    if entry.salt is None or entry.payload is None:
        return
    if len(entry.salt) != SALT_BYTES or digest_of(entry.salt, entry.payload) != entry.digest:
        raise Damaged("the payload does not match its digest", seq=entry.seq)


def verify_kept(entry: Entry) -> None:
    """Check an entry of a log, where nobody withholds anything, against itself.

    Raises Damaged as `verify`, and for what is no text and has no payload.
    """
    verify(entry)
    if entry.payload is None and entry.kind not in TEXTS:
        raise Damaged("its payload is missing, and it is no text", seq=entry.seq)
