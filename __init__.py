"""Urim: an event-sourced engine for dice rolls at the game table.

    from urim import Table

Nothing is imported until it is asked for: tools that import this folder under another name would
otherwise load every class twice.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine.table import CharacterHandle, RollHandle, Table
    from .errors import Damaged, Defect, Refused, UrimError

__version__ = "0.3.4"

__all__ = ["CharacterHandle", "Damaged", "Defect", "Refused", "RollHandle", "Table", "UrimError"]

_HOMES = {
    "CharacterHandle": ".engine.table",
    "RollHandle": ".engine.table",
    "Table": ".engine.table",
    "Damaged": ".errors",
    "Defect": ".errors",
    "Refused": ".errors",
    "UrimError": ".errors",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
