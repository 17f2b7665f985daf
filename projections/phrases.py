"""What events hold, in words: fields and their values, dice, effects, outcomes, numbers."""

from collections.abc import Iterable
from typing import Any

from ..events.base import JSON, AdjustedDie, Effect, Thrown
from ..rules.ruleset import Outcome
from ..rules.words import spaced as unmarked
from .isolates import apart, isolated
from .lexicon import Lexicon, name_text
from .tables import TableState
from .wording import rating_text

NBSP = "\u00a0"
"""Keeps a die and its face on one line."""


def counted_out(one: str, several: str, numbers: Iterable[int]) -> str:
    """`roll 6`, `rolls 6, 7 and 9`."""
    *first, last = map(str, numbers)
    return f"{several} {', '.join(first)} and {last}" if first else f"{one} {last}"


def shown(state: TableState, value: Any) -> str:
    """A field's value, and a word for none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in (None, "", [], {}) else value_text(named(state, value))


def spaced(name: str) -> str:
    """A field's name, or one that a player gave, in words."""
    return apart(unmarked(name))


def value_text(value: Any) -> str:
    """Any JSON value in words."""
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not None}
        return "; ".join(f"{spaced(str(key))} {value_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(value_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rating_text(value)
    return isolated(value) if isinstance(value, str) else str(value)


def declaration_text(state: TableState, json: JSON, *, mark: str = "") -> str:
    """A declaration: its fields in order, ids as names; no empty ones, none that settling fills.

    `mark` stands behind each name.
    """
    settled = state.game.ruleset.settled
    given = {
        key: value
        for key, value in json.items()
        if value not in (None, False, 0, "", [], {}) and key not in settled
    }
    called = {key: named(state, value) for key, value in given.items()}
    return ", ".join(f"{spaced(key)}{mark} {value_text(value)}" for key, value in called.items())


def named(state: TableState, value: Any) -> Any:
    """A value, the ids of characters in it as their names."""
    if isinstance(value, list):
        return [named(state, item) for item in value]
    if isinstance(value, dict):
        return {key: named(state, item) for key, item in value.items()}
    known = isinstance(value, str) and value in state.characters
    return state.name_of(value) if known else value


def dice_text(dice: Iterable[Thrown | AdjustedDie]) -> str:
    """Dice and their faces."""
    return ", ".join(f"{item.die}{NBSP}{isolated(item.face)}" for item in dice) or "no dice"


def effects_text(state: TableState, effects: tuple[Effect, ...]) -> str:
    """What was spent, gained or set, in brackets; nothing where there is nothing."""
    changes = (
        f"{name_text(state, item.character)} {apart(item.track)} "
        f"{f'{item.delta:+d}' if item.to is None else f'set to {item.to}'}"
        for item in effects
    )
    text = ", ".join(changes)
    return f" ({text})" if text else ""


def outcome_text(state: TableState, outcome: JSON) -> str:
    """An outcome's degree, and what came out."""
    found = Outcome(outcome["degree"], outcome["margin"], outcome["figures"])
    head, text = Lexicon(state).announced(found)
    return f"{head}, {text}" if text else head
