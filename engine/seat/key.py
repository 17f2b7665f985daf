"""A seat's key: what signs the requests of its player's seats, in a file of the player's own.

One key a host, unless the player wants to be known elsewhere by the same one: the host then knows
its player again, and nobody else does. The file has mode 0600, in a directory of mode 0700, 64 hex
digits; it is made once, and never written over.
"""

import secrets
from base64 import b64encode
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ...errors import Defect, Refused
from ...events.checkpoint import HOST
from ..service.files import (
    SECRET_BYTES,
    make_directory,
    read_secret,
    state_directory,
    write_secret,
)
from .signing import NO_SIGNERS, Signers

NAME_BYTES = 200
"""Bytes of a host as a file's name, at most."""


class SeatKey:
    """A private key of 32 bytes. Raises Refused("malformed") for one of another length."""

    def __init__(self, private: bytes) -> None:
        if len(private) != SECRET_BYTES:
            why = f"a private key of {len(private)} bytes"
            raise Refused("malformed", why, allowed=[f"{SECRET_BYTES} bytes"])
        self._key = Ed25519PrivateKey.from_private_bytes(private)

    @property
    def public(self) -> str:
        """The public key in base64, as `take-seat` holds it."""
        return b64encode(self._key.public_key().public_bytes_raw()).decode("ascii")

    def sign(self, message: bytes) -> bytes:
        """The signature of a message, 64 bytes; see `urim.events.asked.signed`."""
        return self._key.sign(message)


def keys_directory() -> Path:
    """The directory of the user's keys of seats."""
    return state_directory() / "keys"


def key_file(host: str = HOST) -> Path:
    """The file of the user's key for a host, as it is called in the origin of its logs.

    Raises Refused("malformed") for a host that can be no file's name.
    """
    name = quote(host, safe="")
    if not name or name.startswith(".") or len(name) > NAME_BYTES:
        raise Refused("malformed", f"not a host: {host[:80]!r}", allowed=["a host's name"])
    return keys_directory() / name


def find_key(path: Path) -> SeatKey | None:
    """The key in a file; None where there is none.

    Raises Damaged where the file holds none; Refused("unreadable") where others may read it.
    """
    private = read_secret(path, "private key")
    return None if private is None else SeatKey(private)


def make_key(path: Path) -> SeatKey:
    """A new key, kept in a new file, on disk when this returns.

    Raises Refused("taken") where there is a file already, which stays as it is; Unavailable where
    nothing can be written.
    """
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    make_directory(path.parent)
    if write_secret(path, secrets.token_bytes(SECRET_BYTES)) is None:
        raise Refused("taken", f"{path} is there already", allowed=["that key", "another host"])
    found = find_key(path)
    if found is None:
        raise Defect(f"{path} is gone")
    return found


def signers_for(host: str) -> Signers:
    """What signs with the user's key for a host; nothing where there is none. Raises as it is read.

    So a seat signs with this key where it took it, and as before where it has none.
    """
    key = find_key(key_file(host))
    return NO_SIGNERS if key is None else MappingProxyType({key.public: key.sign})
