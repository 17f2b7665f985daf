"""Bytes that tell any two values of a system apart, and cost little to make."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec.msgpack import Encoder


class _Lasting:
    """A map that can be hashed, so that it never changes; equal to itself alone."""

    def __init__(self, value: Mapping[Any, Any]) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lasting) and self.value is other.value


def _other(value: Any) -> Any:
    """What msgspec does not know: maps by their items, anything else by what it says of itself."""
    if not isinstance(value, Mapping):
        return repr(value)
    try:
        hash(value)
    except TypeError:
        return _items(value)
    return _lasting(_Lasting(value))


def _items(value: Mapping[Any, Any]) -> list[str]:
    return sorted(map(repr, value.items()))


@lru_cache(maxsize=16)
def _lasting(value: _Lasting) -> list[str]:
    """Written once: plain dice have half a million faces."""
    return _items(value.value)


_encode = Encoder(enc_hook=_other).encode


def fingerprint(value: Any) -> bytes:
    """Bytes that differ where the values do."""
    return _encode(value)
