"""A roll that words begin, beside FIELD=VALUE: one of the character's sheet, or plain dice."""

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import Refused
from ...projections.tables import TableState
from ...rules.ruleset import Ruleset
from ..core.choices import begun, typed_field
from ..core.parse import shown
from .fields import read_fields, struct_fields


def bare_words(ruleset: Ruleset, words: Sequence[str]) -> list[str]:
    """The words that are no FIELD=VALUE; where any text is read, those of no field it has."""
    if not typed_field(ruleset):
        return [word for word in words if "=" not in word]
    fields = tuple(f"{field.encode_name}=" for field in struct_fields(ruleset.Declaration))
    return [word for word in words if not word.startswith(fields)]


def declared_by(
    state: TableState,
    seat: str,
    character: str,
    words: Sequence[str],
    given: dict[str, Any],
    with_ids: Callable[[Any], dict[str, Any]],
) -> dict[str, Any]:
    """The declaration that words begin, with the fields that are given besides.

    Words behind the roll's name fill in what it asks for, in that order, the last with all that are
    left; characters by name too (`with_ids`). Raises Refused as
    `urim.engine.core.choices.begun`, and "malformed" for a field of both and for a word too many.
    """
    found, rest = begun(state, seat, character, words)
    asks = [name for name in found.asks if name not in given]
    if asks and len(rest) > len(asks):  # the last that is asked for takes all words that are left
        rest = [*rest[: len(asks) - 1], " ".join(rest[len(asks) - 1 :])]
    if len(rest) > len(asks):
        why = f"{shown(rest[len(asks)])} is one word too many behind {shown(found.name)}"
        raise Refused("malformed", why, allowed=[f"{name}=…" for name in asks] or ["FIELD=VALUE"])
    filled = [f"{name}={word}" for name, word in zip(asks, rest, strict=False)]
    more = given | with_ids(read_fields(filled, state.game.ruleset.Declaration))
    for name in found.declaration.keys() & given.keys():
        why = f"{name} is given twice: by {shown(found.name)} and by {name}="
        raise Refused("malformed", why, allowed=["one of them"])
    return dict(found.declaration) | more


def left_out(state: TableState, seat: str, declare: Any, words: Sequence[str]) -> list[str]:
    """What the roll that words begin asks for, and a declaration has not, as words to add."""
    found, _ = begun(state, seat, declare.character, words)
    return [f"{name}=…" for name in found.asks if name not in declare.declaration]
