"""What must hold of the vectors of seats with a key: what is signed, keys, signatures."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.vectors.compared import Comparison, outcome
from tests.vectors.form import Signature, Signed, Vectors
from urim.errors import Refused
from urim.events.asked import Asked, Seen, signed
from urim.events.keys import checked_key, checked_signature, verifies


def what_is_signed(vectors: Vectors) -> Iterator[Comparison]:
    """The string, the key, that signing it once more gives the same, and that it is good."""
    for n, it in enumerate(vectors.seats.signed):
        where = f"seats.signed[{n}]"
        yield f"{where}.text", it.text.encode().hex(), outcome(text_of, it)
        private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(it.private_key))
        public = private.public_key().public_bytes_raw()
        yield f"{where}.key", it.key, b64encode(public).decode()
        yield f"{where}.sig", it.sig, b64encode(private.sign(it.text.encode())).decode()
        case = Signature("", it.key, it.sig, it.text.encode().hex(), True)
        yield f"{where}.sig verified", True, is_good(case)


def keys(vectors: Vectors) -> Iterator[Comparison]:
    """Which keys a seat may have."""
    for n, it in enumerate(vectors.seats.keys):
        yield f"seats.keys[{n}].good", it.good, not_refused(checked_key, it.key)


def signatures(vectors: Vectors) -> Iterator[Comparison]:
    """Which signatures are good."""
    for n, it in enumerate(vectors.seats.signatures):
        yield f"seats.signatures[{n}].good", it.good, is_good(it)


def text_of(it: Signed) -> bytes:
    """The bytes that the seat signs."""
    return signed(it.origin, it.seat, Asked(it.request, it.body, Seen(it.size, it.root)))


def is_good(it: Signature) -> bool:
    """Whether key and signature are of their form, and the signature fits the message."""
    try:
        key, signature = checked_key(it.key), checked_signature(it.signature)
        message = bytes.fromhex(it.message)
    except (Refused, ValueError):
        return False
    return verifies(key, signature, message)


def not_refused(read: Callable[[str], object], text: str) -> bool:
    """Whether a text can be read."""
    try:
        read(text)
    except Refused:
        return False
    return True


GROUPS: Mapping[str, Callable[[Vectors], Iterator[Comparison]]] = {
    "signed requests": what_is_signed,
    "keys": keys,
    "signatures": signatures,
}
"""Every group of keys by its name."""
