"""How values, names and dice stand in a line of text: letters and names isolated, ids as names.

Names, roots and faces may be written from right to left; each stands in Unicode isolates
(FSI … PDI), so that numbers and names beside it read in the right order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..events.base import JSON, Effect, Laid, Thrown
from .tables import TableState

FSI, PDI = "\u2068", "\u2069"
NBSP = "\u00a0"
"""Keeps a die and its face on one line."""


def isolated(text: object) -> str:
    """The text between isolates, so that its direction is its own."""
    return f"{FSI}{text}{PDI}"


def figures_told(figures: Mapping[str, object]) -> str:
    """Figures of an outcome or of damage, by name."""
    return ", ".join(f"{spaced(name)} {_counted(value)}" for name, value in figures.items())


def _counted(value: Any) -> str:
    """A figure; two numbers are what a track was before a blow and after it."""
    match value:
        case [int(before), int(after)]:
            return f"{before} → {after}"
        case _:
            return value_told(value)


def spaced(name: str) -> str:
    """A field's name, or one that a player gave, in words."""
    return apart(name.replace("_", " "))


def apart(word: str) -> str:
    """The word, isolated where it may be written from right to left."""
    return word if word.isascii() else isolated(word)


def value_told(value: Any) -> str:
    """Any JSON value in words."""
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not None}
        return "; ".join(f"{spaced(str(key))} {value_told(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(value_told, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return isolated(value) if isinstance(value, str) else str(value)


def declaration_told(state: TableState, json: JSON) -> str:
    """What a declaration says: fields in order, without those that say nothing, ids as names."""
    said = {key: value for key, value in json.items() if value not in (None, False, 0, "", [], {})}
    named = {key: _named(state, value) for key, value in said.items()}
    return ", ".join(f"{spaced(key)} {value_told(value)}" for key, value in named.items())


def _named(state: TableState, value: Any) -> Any:
    if isinstance(value, list):
        return [_named(state, item) for item in value]
    if isinstance(value, dict):
        return {key: _named(state, item) for key, item in value.items()}
    known = isinstance(value, str) and value in state.characters
    return state.name_of(value) if known else value


def name_told(state: TableState, id: str) -> str:
    """What to call a character or a seat."""
    return isolated(state.name_of(id))


def dice_told(dice: Iterable[Thrown | Laid]) -> str:
    """Dice and their faces."""
    return ", ".join(f"{item.die}{NBSP}{isolated(item.face)}" for item in dice) or "no dice"


def effects_told(state: TableState, effects: tuple[Effect, ...]) -> str:
    """What was spent or gained, in brackets; nothing where there is nothing."""
    said = (
        f"{name_told(state, item.character)} {apart(item.track)} {item.delta:+d}"
        for item in effects
    )
    text = ", ".join(said)
    return f" ({text})" if text else ""


def outcome_told(state: TableState, outcome: JSON) -> str:
    """Degree and margin of an outcome."""
    return f"{outcome['degree']}, margin {outcome['margin']} {state.game.ruleset.unit}".rstrip()
