"""A roll that words begin, beside FIELD=VALUE: one of the character's sheet, or plain dice.

    lockpicking 7    BLE+wind vs 2    strike Bo    4d6kh3 hidden

Words behind the roll's name fill in what it asks for, in that order, the last with all that are
left. A mark says whose value follows, where the system's form has one (`Field.said`). The first or
the last word may say who sees the roll. None is read so that is a word of a roll's name.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import Refused
from ...events.base import Visibility
from ...projections.tables import TableState
from ...rules.forms import CHARACTER, SHEET, Field, fields_of
from ...rules.ruleset import Rollable, Ruleset
from ..core.choices import begun, named, rollables, typed_field
from ..core.parse import shown
from .fields import read_fields, struct_fields

SEEN: Mapping[str, Visibility] = {"hidden": "gm", "gm": "gm", "blind": "blind", "self": "self"}
"""Who sees a roll, by the word that says it."""

PLUS = re.compile(r"\+(?!\d)")
"""The mark before a name; `+3` is a number."""


class Begun(NamedTuple):
    """What words begin: a roll, the words behind its name, those behind marks; who sees it."""

    roll: Rollable
    rest: Sequence[str]
    marked: Sequence[tuple[str, list[str]]]
    visibility: Visibility | None


def bare_words(ruleset: Ruleset, words: Sequence[str]) -> list[str]:
    """The words that are no FIELD=VALUE; where any text is read, those of no field it has."""
    if not typed_field(ruleset):
        return [word for word in words if "=" not in word]
    fields = tuple(f"{field.encode_name}=" for field in struct_fields(ruleset.Declaration))
    return [word for word in words if not word.startswith(fields)]


def read_words(state: TableState, seat: str, character: str, words: Sequence[str]) -> Begun:
    """What words begin. Raises Refused as `urim.engine.core.choices.begun`."""
    names = [each.name for each in rollables(state, seat, character)]
    own = {word.casefold() for name in names for word in name.split()}
    seen = [at for at in (-1, 0) if words[at].casefold() in SEEN.keys() - own][:1]
    visibility = SEEN[words[seen[0]].casefold()] if seen else None
    left = [word for at, word in enumerate(words) if seen not in ([at], [at - len(words)])]
    head, *marked = _marked(fields_of(state.game.ruleset.Declaration), left, own)
    found, rest = begun(state, seat, character, head[1]) if head[1] else (Rollable("", {}), ())
    return Begun(found, rest, marked, visibility)


def _marked(
    fields: Iterable[Field], words: Iterable[str], own: set[str]
) -> list[tuple[str, list[str]]]:
    """Words by the mark that they stand behind, the first ones behind none."""
    marks = {form.said for form in fields}
    found: list[tuple[str, list[str]]] = [("", [])]
    for word in words:
        if word.casefold() == "vs" and marks - own >= {"vs"}:
            found.append(("vs", []))
            continue
        whole = "+" not in marks or word.casefold() in own
        first, *more = [word] if whole else PLUS.split(word)
        found[-1][1].extend([first] if first or whole else [])
        found += [("+", [each] if each else []) for each in more]
    return found


def declared_by(
    state: TableState,
    seat: str,
    character: str,
    words: Sequence[str],
    body: Mapping[str, Any],
    with_ids: Callable[[Any], Any],
) -> dict[str, Any]:
    """The declaration that words begin, with the fields that are given besides; and who sees it.

    Characters go by name too (`with_ids`). Raises Refused as `read_words`, and "malformed" for what
    is given twice and for a word too many.
    """
    given = body["declaration"]
    found, rest, marked, visibility = read_words(state, seat, character, words)
    filled: dict[str, str] = {}
    for mark, behind in marked:
        taken = {*found.declaration, *given, *filled}
        field, value, left = _said(state, character, mark, behind, taken, with_ids)
        filled[field], rest = value, [*rest, *left]
    asks = [name for name in found.asks if name not in given.keys() | filled.keys()]
    if asks and len(rest) > len(asks):  # the last that is asked for takes all words that are left
        rest = [*rest[: len(asks) - 1], " ".join(rest[len(asks) - 1 :])]
    if len(rest) > len(asks):
        why = f"{shown(rest[len(asks)])} is one word too many behind {shown(found.name)}"
        raise Refused("malformed", why, allowed=[f"{name}=…" for name in asks] or ["FIELD=VALUE"])
    ratings = {rating.casefold(): rating for rating in state.sheet(character).attributes}
    rated = {form.name for form in fields_of(state.game.ruleset.Declaration) if form.picks == SHEET}
    for name, word in zip(asks, rest, strict=False):
        filled[name] = ratings.get(word.casefold(), word) if name in rated else word
    typed = (f"{name}={word}" for name, word in filled.items())
    more = given | with_ids(read_fields(typed, state.game.ruleset.Declaration))
    for name in found.declaration.keys() & given.keys():
        why = f"{name} is given twice: by {shown(found.name)} and by {name}="
        raise Refused("malformed", why, allowed=["one of them"])
    if visibility and body.get("visibility", visibility) != visibility:
        raise Refused("malformed", "--visibility and a word differ", allowed=["one of them"])
    seen = {"visibility": visibility} if visibility else {}
    return {"declaration": dict(found.declaration) | more, **seen}


def _said(
    state: TableState,
    character: str,
    mark: str,
    words: Sequence[str],
    taken: set[str],
    with_ids: Callable[[Any], Any],
) -> tuple[str, str, Sequence[str]]:
    """The field that words behind a mark fill in, its value, and the words behind that."""
    text, left = " ".join(words), list[str]()
    person = with_ids(text) in state.characters
    fields = [form for form in fields_of(state.game.ruleset.Declaration) if form.said == mark]
    fields = [form for form in fields if mark == "+" or (form.picks == CHARACTER) is person]
    free = [form for form in fields if form.name not in taken]
    if not free or not words:
        why = f"{shown(f'{mark} {text}')} says nothing more of this roll"
        raise Refused("malformed", why, allowed=[f"{form.name}=…" for form in free])
    if mark == "+":
        text, *left = words
    if free[0].picks == SHEET:
        ratings = state.sheet(character).attributes
        alike, behind = named(ratings, words)
        if len(alike) != 1:
            why = f"{shown(' '.join(words))} begins {'several' if alike else 'no'} ratings"
            raise Refused("unknown", why, allowed=alike or ratings)
        text, left = alike[0], [*behind]
    return free[0].name, text, left


def left_out(state: TableState, seat: str, declare: Any, words: Sequence[str]) -> list[str]:
    """What the roll that words begin asks for, and a declaration has not, as words to add."""
    found = read_words(state, seat, declare.character, words).roll
    return [f"{name}=…" for name in found.asks if name not in declare.declaration]
