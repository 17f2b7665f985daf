"""The game systems that are installed: the built-in ones, and any that others registered.

Another distribution adds its own by an entry point of the group `urim.rules` that names a Ruleset.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import Refused
from .readings import readings_of
from .ruleset import Ruleset

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BUILT_IN = ("milhamah", "sagatafl", "majesty", "scarterra", "age_of_magic", "plain")
"""The systems that come with Urim, by module."""

GROUP = "urim.rules"
"""The entry point group by which other distributions add their systems."""


@cache
def ruleset_named(name: str) -> Ruleset:
    """The system of that name.

    Raises Refused("unknown") where none is installed, or what is installed cannot be loaded.
    """
    if name in BUILT_IN:
        return _checked(import_module(f".{name}", __name__).RULESET, name)
    for entry in _registered():
        if entry.name == name:
            return _loaded(entry)
    raise Refused("unknown", f"no system called {name!r}", allowed=ruleset_names())


def ruleset_names() -> tuple[str, ...]:
    """Every installed system's name, the built-in ones first."""
    others = sorted({entry.name for entry in _registered()})
    return (*BUILT_IN, *(name for name in others if name not in BUILT_IN))


def ruleset_from(name: str, module: str) -> Ruleset:
    """The system of that name, the RULESET of a module that can be imported.

    Raises Refused("unknown") where it cannot be loaded, or is none of that name.
    """
    from importlib.metadata import EntryPoint  # noqa: PLC0415  as below

    return _loaded(EntryPoint(name, f"{module}:RULESET", GROUP))


def _registered() -> "Iterable[EntryPoint]":
    """The systems of other distributions. A table of a built-in one starts without looking."""
    from importlib.metadata import entry_points  # noqa: PLC0415  it takes longer than any system

    return entry_points(group=GROUP)


def _loaded(entry: "EntryPoint") -> Ruleset:
    """The system of an entry point, which is somebody else's code: anything may be wrong with it.

    Its readings and their defaults are asked for, because every table and every list needs them.
    """
    try:
        found = _checked(entry.load(), entry.name)
        found.Options()
        readings_of(found.Options)
    except Refused:
        raise
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise Refused(
            "unknown", f"{entry.name!r} cannot be loaded from {entry.value}: {why}"
        ) from error
    return found


def _checked(found: object, name: str) -> Ruleset:
    if not isinstance(found, Ruleset) or found.name != name:
        other = f", but {found.name!r}" if isinstance(found, Ruleset) else ""
        why = f"what is registered as {name!r} is no Ruleset of that name{other}"
        raise Refused("unknown", why)
    return found
