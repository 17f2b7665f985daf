"""A roll that words begin, beside FIELD=VALUE: one of the character's sheet, or plain dice."""

from collections.abc import Sequence
from typing import Any

from ...errors import Refused
from ...projections.tables import TableState
from ...rules.ruleset import Ruleset
from ..core.choices import begun, typed_field
from ..core.parse import shown
from .fields import struct_fields


def bare_words(ruleset: Ruleset, words: Sequence[str]) -> list[str]:
    """The words that are no FIELD=VALUE; where any text is read, those of no field it has."""
    if not typed_field(ruleset):
        return [word for word in words if "=" not in word]
    fields = tuple(f"{field.encode_name}=" for field in struct_fields(ruleset.Declaration))
    return [word for word in words if not word.startswith(fields)]


def declared_by(
    state: TableState, seat: str, character: str, words: str, given: dict[str, Any]
) -> dict[str, Any]:
    """The declaration that words begin, with the fields that are given besides.

    Raises Refused as `urim.engine.core.choices.begun`, and "malformed" for a field of both.
    """
    found = begun(state, seat, character, words)
    for name in found.keys() & given.keys():
        why = f"{name} is given twice: by {shown(words)} and by {name}="
        raise Refused("malformed", why, allowed=["one of them"])
    return found | given
