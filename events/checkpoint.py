r"""The head of a log, signed: a note that proves what the log held when it was signed.

C2SP signed-note and tlog-checkpoint, Ed25519 (RFC 8032) alone, the key named like the log's origin:

    ORIGIN\nSIZE\nBASE64(root)\n\n— ORIGIN BASE64(key id[4] || signature)\n
    key id  SHA-256(name || "\n" || 0x01 || public key)[:4]
    vkey    NAME+hex(key id)+BASE64(0x01 || public key)

Only this form is read, to the byte: what two readers could understand in two ways is refused.
Extension lines are refused with it, because nobody could audit them.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from ..errors import Damaged, Refused
from .keys import KEY_BYTES, from_base64, verifies, weakness

ED25519 = b"\x01"
"""The signature type of Ed25519 in key ids and vkeys."""

ID_BYTES, ROOT_BYTES = 4, 32

HOST = "urim.local"
"""The host in an origin where there is none."""

NOTE_BYTES = 64 * 1024
"""The longest note that is read."""

SIGNATURES = 64
"""The most signature lines of a note."""

MOST = (1 << 63) - 1
"""The largest tree, as in every other implementation of checkpoints."""

# No spaces and no plus, by signed-note; no control characters, and nothing but UTF-8.
_NAME = re.compile(r"[^\s+\x00-\x20\x7f\ud800-\udfff]+")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_SIGNATURE = re.compile(rf"— ({_NAME.pattern}) (\S+)")


def origin_of(table: str, host: str | None = None) -> str:
    """The origin of a table's log, which is the name of its key too: `HOST/t/TABLE`."""
    return f"{host or HOST}/t/{table}"


class Checkpoint(Struct, frozen=True):
    """The head of the log `origin`: its first `size` leaves have this `root`, 32 bytes.

    Raises Refused("malformed") or Refused("out-of-range") for what no note can carry.
    """

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        _named(self.origin)
        if not 0 <= self.size <= MOST:
            raise Refused("out-of-range", f"size is {self.size}", allowed=[f"0 to {MOST}"])
        if len(self.root) != ROOT_BYTES:
            raise Refused("malformed", f"a root of {len(self.root)} bytes", allowed=["32 bytes"])

    @property
    def text(self) -> bytes:
        """The bytes that are signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode('ascii')}\n".encode()


class Key(Struct, frozen=True):
    """A public key, 32 bytes, under its name.

    Raises Refused("malformed") for a name that is empty, has a space or a plus, or other key bytes.
    """

    name: str
    public: bytes

    def __post_init__(self) -> None:
        _named(self.name)
        if len(self.public) != KEY_BYTES:
            raise Refused("malformed", f"a key of {len(self.public)} bytes", allowed=["32 bytes"])

    @property
    def id(self) -> bytes:
        """The 4 bytes by which signature lines name the key, together with its name."""
        return key_id(self.name, self.public)

    @property
    def vkey(self) -> str:
        """The key as people exchange it: one line, `NAME+hex(key id)+BASE64(0x01 || key)`."""
        encoded = b64encode(ED25519 + self.public).decode("ascii")
        return f"{self.name}+{self.id.hex()}+{encoded}"


def key_id(name: str, public: bytes) -> bytes:
    """The 4 bytes that represent a named key: no secret, and no protection against collisions."""
    return sha256(name.encode() + b"\n" + ED25519 + public).digest()[:ID_BYTES]


def read_key(vkey: str) -> Key:
    """The key that a vkey line gives.

    Raises Damaged as `formed_key`, and where nobody may have such a key (`weakness`).
    """
    key = formed_key(vkey)
    why = weakness(key.public)
    if why is not None:
        raise Damaged(f"the key of {key.name[:200]} cannot be used: {why}")
    return key


def formed_key(vkey: str) -> Key:
    """The key that a vkey line gives, one that nobody may have too: no signature of it is good.

    Raises Damaged when it is not of the exact form, not Ed25519, or its key id is another's.
    """
    name, _, rest = vkey.partition("+")
    id, _, encoded = rest.partition("+")
    body = _from_base64("the key", encoded)
    if not _NAME.fullmatch(name) or body[:1] != ED25519 or len(body) != 1 + KEY_BYTES:
        raise Damaged(f"not a vkey of an Ed25519 key: {vkey[:200]!r}")
    key = Key(name, body[1:])
    if id != key.id.hex():
        raise Damaged(
            f"the vkey of {name} says key id {id[:20]!r}, but the key's is {key.id.hex()}"
        )
    return key


def public_key(name: str, private: bytes) -> Key:
    """What verifies the signatures of a private key of 32 bytes.

    Raises Refused("malformed") for a name or a private key not of its form.
    """
    return Key(name, _private(private).public_key().public_bytes_raw())


def sign(checkpoint: Checkpoint, private: bytes) -> bytes:
    """The checkpoint as a note, signed with a private key of 32 bytes under its origin's name.

    The same checkpoint and key give the same note (RFC 8032, 5.1.6). Raises Refused("malformed")
    for a private key of another length.
    """
    return PrivateKey(private).sign(checkpoint)


class PrivateKey:
    """A private key of 32 bytes, read once to sign many checkpoints.

    Raises Refused("malformed") for one of another length.
    """

    def __init__(self, private: bytes) -> None:
        self._key = _private(private)
        self._public = self._key.public_key().public_bytes_raw()

    def key(self, name: str) -> Key:
        """What verifies its signatures under that name. Raises as `public_key`."""
        return Key(name, self._public)

    def sign(self, checkpoint: Checkpoint) -> bytes:
        """As the function `sign` with this key."""
        text = checkpoint.text
        id = key_id(checkpoint.origin, self._public)
        signature = b64encode(id + self._key.sign(text)).decode("ascii")
        return text + f"\n— {checkpoint.origin} {signature}\n".encode()


def read(note: bytes, keys: Iterable[Key]) -> Checkpoint:
    """The checkpoint that a note carries, if a key named like its origin has signed it.

    Signatures by other keys than these are passed over. Raises Damaged when the note is not of the
    exact form, when the signature of one of these keys fails, or when none of them has signed.
    """
    text, lines = _split(note)
    checkpoint = _body(text)
    known: dict[tuple[str, bytes], list[Key]] = {}
    for key in keys:
        known.setdefault((key.name, key.id), []).append(key)
    signers = set[str]()
    for line in lines:
        name, id, signature = _signature(line)
        for key in known.get((name, id), ()):
            _verify(key, signature, text)
            signers.add(name)
    if checkpoint.origin not in signers:
        raise Damaged(f"no key that is trusted for {checkpoint.origin} has signed the checkpoint")
    return checkpoint


def _split(note: bytes) -> tuple[bytes, list[str]]:
    """The signed bytes, and the signature lines after the last blank line."""
    if len(note) > NOTE_BYTES:
        raise Damaged(f"a note of {len(note)} bytes, more than {NOTE_BYTES}")
    try:
        whole = note.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Damaged(f"a note that is not UTF-8: {error.reason}") from error
    text, blank, signatures = whole.rpartition("\n\n")
    if not blank or not signatures.endswith("\n"):
        raise Damaged("a note without a blank line and signature lines after it")
    lines = signatures[:-1].split("\n")
    if len(lines) > SIGNATURES:
        raise Damaged(f"a note with {len(lines)} signature lines, more than {SIGNATURES}")
    return f"{text}\n".encode(), lines


def _body(text: bytes) -> Checkpoint:
    lines = text.decode("utf-8")[:-1].split("\n")
    if len(lines) != len(("origin", "size", "root")):
        raise Damaged(f"a checkpoint of {len(lines)} lines instead of origin, size and root")
    origin, size, root = *lines[:2], _from_base64("the root", lines[2])
    if not _NAME.fullmatch(origin):
        raise Damaged(f"an origin that is empty or has a space or a plus: {origin[:200]!r}")
    if not _SIZE.fullmatch(size) or int(size) > MOST:
        raise Damaged(f"not the size of a tree: {size[:40]!r}")
    if len(root) != ROOT_BYTES:
        raise Damaged(f"a root of {len(root)} bytes instead of 32")
    return Checkpoint(origin, int(size), root)


def _signature(line: str) -> tuple[str, bytes, bytes]:
    """Name, key id and signature of a signature line, of whatever algorithm."""
    found = _SIGNATURE.fullmatch(line)
    if found is None:
        raise Damaged(f"not a signature line: {line[:200]!r}")
    body = _from_base64("the signature", found[2])
    if len(body) <= ID_BYTES:
        raise Damaged(f"a signature of {len(body)} bytes, key id included")
    return found[1], body[:ID_BYTES], body[ID_BYTES:]


def _verify(key: Key, signature: bytes, text: bytes) -> None:
    if not verifies(key.public, signature, text):
        raise Damaged(f"the signature of {key.name}+{key.id.hex()} does not fit the note")


def _from_base64(what: str, text: str) -> bytes:
    """See `from_base64`."""
    body = from_base64(text)
    if body is None:
        raise Damaged(f"{what} is not base64 in its canonical form: {text[:200]!r}")
    return body


def _private(private: bytes) -> Ed25519PrivateKey:
    if len(private) != KEY_BYTES:
        raise Refused("malformed", f"a private key of {len(private)} bytes", allowed=["32 bytes"])
    return Ed25519PrivateKey.from_private_bytes(private)


def _named(name: str) -> None:
    if not _NAME.fullmatch(name):
        allowed = ["text without spaces, control characters or plus"]
        raise Refused("malformed", f"not the name of a log or key: {name!r}", allowed=allowed)
