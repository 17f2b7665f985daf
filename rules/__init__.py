"""The game systems that are installed: the built-in ones, and any that others registered.

Another distribution adds its own by an entry point of the group `urim.rules` that names a Ruleset.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ..errors import Refused
from .ruleset import Ruleset

BUILT_IN = ("milhamah", "sagatafl", "majesty", "scarterra", "age_of_magic", "plain")
"""The systems that come with Urim, by module."""

GROUP = "urim.rules"
"""The entry point group by which other distributions add their systems."""


@cache
def ruleset_named(name: str) -> Ruleset:
    """The system of that name. Raises Refused("unknown") where none is installed."""
    if name in BUILT_IN:
        return _checked(import_module(f".{name}", __name__).RULESET, name)
    for entry in entry_points(group=GROUP, name=name):
        return _checked(entry.load(), name)
    raise Refused("unknown", f"no system called {name!r}", allowed=ruleset_names())


def ruleset_names() -> tuple[str, ...]:
    """Every installed system's name, the built-in ones first."""
    others = sorted(entry.name for entry in entry_points(group=GROUP))
    return (*BUILT_IN, *(name for name in others if name not in BUILT_IN))


def _checked(found: object, name: str) -> Ruleset:
    if not isinstance(found, Ruleset) or found.name != name:
        raise Refused("unknown", f"what is registered as {name!r} is no Ruleset of that name")
    return found
