"""Between the rules' values and the log's: effects, outcomes, and the JSON of declarations."""

from typing import Any, cast

from msgspec import Struct, to_builtins

from ...events.base import JSON, Effect
from ...rules.ruleset import Damage, Outcome
from ...rules.ruleset import Effect as RuleEffect


def effects_of(effects: tuple[RuleEffect, ...]) -> tuple[Effect, ...]:
    """The rules' effects as the log writes them."""
    return tuple(Effect(item.character, item.track, item.delta) for item in effects)


def json_of(value: Struct) -> JSON:
    """A system's declaration or reaction as the JSON object that stands in its event."""
    return cast(JSON, to_builtins(value))


def said(announced: Outcome | Damage) -> JSON:
    """An outcome or damage as announced; its target and effects have fields of their own."""
    found: dict[str, Any] = to_builtins(announced)
    return {key: value for key, value in found.items() if key not in ("target", "effects")}
