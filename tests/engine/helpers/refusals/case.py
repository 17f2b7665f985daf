"""What a refusal is tested by: the table, who asks for what, and every part of the answer."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.json import encode

from urim.engine.core.commands import Command, Worded
from urim.engine.core.parse import TAGS

Asked: TypeAlias = Command | Worded | bytes | Mapping[str, Any]
"""A command, or one with its text; the bytes that a client sends; or a scenario's step, which names
its own seat."""


def body(do: str, **fields: Any) -> bytes:
    """A command as a client sends it, whatever its fields are; of its version now."""
    return encode({"do": TAGS.get(do, f"{do}/1"), **fields})


class Case(Struct, frozen=True):
    """One refusal.

    `name` says what is refused, `at` how far the table is (`refusal_setups`). `says` is a part of
    the reason and names the value; `allows` is one item of what would be allowed, "" if nothing is.
    """

    name: str
    at: str
    seat: str
    asked: Asked
    code: str
    says: str
    allows: str = ""


class File(Struct, frozen=True):
    """A refusal of a scenario: `lines` are TOML behind the head that every such case shares."""

    name: str
    lines: str
    code: str
    says: str
    allows: str = ""
