"""Ed25519 as every reader here takes it: which keys are refused, and which signatures are good.

RFC 8032 without the cofactor, as OpenSSL, Go and BoringSSL verify: S < L, and the encoding of
[S]B - [k]A equals R byte for byte. Beside that a key is refused whose y is not reduced, and a key
of small order: under such a key one constant signature fits many messages.
"""

from base64 import b64decode, b64encode
from binascii import Error
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ..errors import Refused

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

PRIME: Final = 2**255 - 19
"""p: coordinates are numbers below it."""

_TOP: Final = 1 << 255
_ORDER_8: Final = (
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
)

SMALL: Final = frozenset({0, 1, PRIME - 1, *(int.from_bytes(y, "little") for y in _ORDER_8)})
"""The y of every point of small order: order 4, 1 and 2, and twice order 8."""


def weakness(key: bytes) -> str | None:
    """Why nobody may have this key of 32 bytes, in words; None for one that may be had.

    Its top bit, the sign of x, makes no difference.
    """
    y = int.from_bytes(key, "little") & ~_TOP
    if y >= PRIME:
        return "its y is not below 2^255 - 19"
    return "it is of small order" if y in SMALL else None


def verifies(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature of 64 bytes is good, by a key of 32 bytes that may be had."""
    if weakness(key) is not None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def checked_key(text: str) -> bytes:
    """The public key in this base64, 32 bytes.

    Raises Refused("malformed") for another form, and for a key that nobody may have.
    """
    key = _checked("key", text, KEY_BYTES)
    why = weakness(key)
    if why is not None:
        refused = f"the key {text!r} cannot be used: {why}"
        raise Refused("malformed", refused, allowed=["a key made for this"])
    return key


def checked_signature(text: str) -> bytes:
    """The signature in this base64, 64 bytes. Raises Refused("malformed") for another form."""
    return _checked("signature", text, SIGNATURE_BYTES)


def from_base64(text: str) -> bytes | None:
    """RFC 4648, section 4, in its one canonical form: padded, no stray bits, nothing else."""
    try:
        body = b64decode(text, validate=True)
    except (Error, ValueError):
        return None
    return body if b64encode(body).decode("ascii") == text else None


def _checked(what: str, text: str, length: int) -> bytes:
    found = from_base64(text)
    if found is None or len(found) != length:
        why = f"the {what} {text[:200]!r} is not of its form"
        raise Refused("malformed", why, allowed=[f"base64 of {length} bytes, with its padding"])
    return found
