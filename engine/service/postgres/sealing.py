"""Encryption of records under a key in a file: AES-256-GCM, bound to the record's name."""

import hmac
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ....errors import Damaged, Refused
from ..files import SECRET_BYTES, make_directory, read_secret, write_secret
from .rows import Sealed

NONCE_BYTES = 12

PROVING = b"urim/1 secrets\n"
"""What the proof of a key is the HMAC of."""

WAY_OUT = "the key file of the machine that wrote it"


class Sealing:
    """The key in a file: 64 hex digits, for its owner alone. It is read once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.agreed = False
        self._key: bytes | None = None

    def made(self) -> bytes:
        """The proof of the key, which is made where there is none: for the very first record.

        Raises Unavailable where it cannot be written, Refused("unreadable") where others may read
        it, Damaged where the file holds none.
        """
        if self._read() is None:
            make_directory(self.path.parent, parents=True)
            write_secret(self.path, secrets.token_bytes(SECRET_BYTES))
        key = self._read()  # it may be another process's, which was first
        if key is None:
            raise Refused("unreadable", f"there is no {self.path}", allowed=[WAY_OUT])
        return _proof(key)

    def agree(self, proof: bytes, place: str) -> None:
        """Hold the key against the proof of all records there. Raises Refused("unreadable")."""
        self._must_be(proof, place)
        self.agreed = True

    def sealed(self, content: bytes, name: str) -> Sealed:
        """A record encrypted, once the key is agreed or made."""
        nonce, key = secrets.token_bytes(NONCE_BYTES), self._key or b""
        encrypted = AESGCM(key).encrypt(nonce, content, name.encode())
        return Sealed(nonce + encrypted, _proof(key))

    def opened(self, found: Sealed, name: str, place: str) -> bytes:
        """A record decrypted.

        Raises Refused("unreadable"), naming its place, where it is encrypted under another key, and
        Damaged where it is not what was written.
        """
        key = self._must_be(found.proof, place)
        nonce, content = found.content[:NONCE_BYTES], found.content[NONCE_BYTES:]
        try:
            return AESGCM(key).decrypt(nonce, content, name.encode())
        except (InvalidTag, ValueError) as error:
            raise Damaged(f"{place} is not what was written") from error

    def _must_be(self, proof: bytes, place: str) -> bytes:
        """The key, where it is the one of this proof."""
        key = self._read()
        need = f"{place} needs the key of all that is there"
        if key is None:
            raise Refused("unreadable", f"{need}: there is no {self.path}", allowed=[WAY_OUT])
        if not hmac.compare_digest(_proof(key), proof):
            raise Refused("unreadable", f"{need}: {self.path} has another", allowed=[WAY_OUT])
        return key

    def _read(self) -> bytes | None:
        if self._key is None:
            self._key = read_secret(self.path, "key")
        return self._key


def _proof(key: bytes) -> bytes:
    return hmac.digest(key, PROVING, "sha256")
