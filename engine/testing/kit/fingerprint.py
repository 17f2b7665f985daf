"""Bytes that tell any two values of a system apart, and cost little to make."""

from collections.abc import Mapping
from typing import Any

from msgspec.msgpack import Encoder


def _other(value: Any) -> Any:
    """What msgspec does not know: maps by their items, anything else by what it says of itself."""
    if isinstance(value, Mapping):
        return sorted(map(repr, value.items()))
    return repr(value)


_encode = Encoder(enc_hook=_other).encode


def fingerprint(value: Any) -> bytes:
    """Bytes that differ where the values do."""
    return _encode(value)
