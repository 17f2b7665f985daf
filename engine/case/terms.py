"""Which words of the game a case uses, and what they mean: the system's, and no others."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from ...projections.isolates import FSI, PDI
from ...projections.lexicon import Lexicon
from ...projections.tables import TableState


def terms_of(state: TableState, told: Any) -> tuple[tuple[str, str], ...]:
    """The explained words that are among the texts of these facts, in the system's order."""
    text = " ".join(_texts(to_builtins(told))).replace(FSI, "").replace(PDI, "")
    return tuple((name, means) for name, means in Lexicon(state).terms() if _used(name, text))


def charted(state: TableState, told: Any) -> Iterator[tuple[str, str]]:
    """The lines of the system's charts that are named in these facts, each with its number."""
    text = " ".join(_texts(to_builtins(told))).replace(FSI, "").replace(PDI, "")
    for chart in state.game.ruleset.charts:
        for line in chart.lines:
            if line.number is not None and _used(str(line.value), text):
                yield str(line.value), f"{line.number}, a line of “{chart.title}”"


def _used(name: str, text: str) -> bool:
    """Whether a word stands there, as one or as many."""
    return re.search(rf"(?<!\w){re.escape(name)}(?:s|es)?(?!\w)", text, re.IGNORECASE) is not None


def _texts(value: Any) -> list[str]:
    """Every text within."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, (dict, list, tuple))
    return [text for item in items for text in _texts(item)] if nested else []
