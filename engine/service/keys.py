"""The host's signing key: one Ed25519 key a host, kept beside the database, a name for each table.

The same private key signs the heads of every table, each under that table's origin as its name, so
that a signature for one table is never taken for another's.
"""

import secrets

from ...errors import Refused
from ...events.checkpoint import Checkpoint, Key, origin_of, public_key
from ...events.merkle import EMPTY_ROOT
from .files import SECRET_BYTES, TEXT_BYTES, as_text, secret_in
from .heads import HEADS
from .vault import Vault

KEY = "key"
"""The record of the key."""


class HostKey:
    """A host's private key, in the record `key` of a vault, 64 hex digits.

    The methods may block for a moment, and raise as `Vault`'s.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    @property
    def place(self) -> str:
        """Where it is kept, in words."""
        return self._vault.place(KEY)

    def find(self) -> bytes | None:
        """The private key, 32 bytes, or None. Raises Damaged for a record that holds no key."""
        return read_secret(self._vault, KEY, "private key")

    def make(self) -> bytes:
        """The private key; made and kept for good if there is none.

        Raises Refused("unreadable") where heads were signed with a key that is gone.
        """
        found = self.find()
        if found is None:
            if self._vault.names(HEADS):
                raise no_key(self.place)
            self._vault.write_new(KEY, as_text(secrets.token_bytes(SECRET_BYTES)))
            found = self.find()  # it may be another process's, which was first
        if found is None:
            raise no_key(self.place)
        return found


def read_secret(vault: Vault, name: str, what: str) -> bytes | None:
    """The 32 bytes that a record holds as 64 hex digits; None where there is none.

    Raises Damaged where it has something else, and as `Vault.read`.
    """
    text = vault.read(name, TEXT_BYTES)
    return None if text is None else secret_in(text, vault.place(name), what)


def no_key(place: str) -> Refused:
    """The refusal where heads were signed with a key that is not there any more."""
    why = f"{place} is missing, the key that heads were signed with"
    return Refused("unreadable", why, allowed=["the key that was there"])


def checked_host(host: str | None) -> str | None:
    """The host. Raises Refused("malformed") for one that can be in no origin."""
    Checkpoint(origin_of("", host), 0, EMPTY_ROOT)
    return host


def table_key(table: str, private: bytes, host: str | None = None) -> Key:
    """The key by which others verify a table's heads; its `vkey` is what to give them.

    Raises Refused("malformed") for a host that can be in no key's name.
    """
    return public_key(origin_of(table, host), private)
