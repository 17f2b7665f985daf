"""A system as it was in an earlier version, so that a log is decided by the rules it was played by.

A version counts what corrections changed. Each is a reading that says what the rule gave `before`
it came, so an earlier version is the newest one with those values.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from msgspec.structs import replace

from ..errors import Refused
from .readings import readings_of
from .ruleset import Damage, Outcome, Ruleset

T = TypeVar("T", Outcome, Damage)


def later(ruleset: Ruleset, version: int) -> Mapping[str, Any]:
    """The readings that came after a version of a system, each with what was so before it."""
    every = readings_of(ruleset.Options)
    return {reading.name: reading.before for reading in every if reading.since > version}


@cache
def as_of(ruleset: Ruleset, version: int) -> Ruleset:
    """The system in an earlier version, of which no outcome names a later reading.

    Raises Refused("unknown") for a version that is not known here.
    """
    if not 1 <= version <= ruleset.version:
        raise Refused(
            "unknown",
            f"{ruleset.name}, version {version}, is not known here: this is {ruleset.version}",
            allowed=[f"{ruleset.name}, version 1 to {ruleset.version}"],
        )
    names = frozenset(later(ruleset, version))
    outcome, damage = _without(ruleset.outcome, names), _without(ruleset.damage, names)
    return replace(ruleset, version=version, outcome=outcome, damage=damage)


def _without(given: Callable[..., T], names: frozenset[str]) -> Callable[..., T]:
    """What gives outcomes or damage, without these among the readings that decided."""
    if not names:
        return given

    def found(*asked: Any) -> T:
        result = given(*asked)
        return replace(result, readings=tuple(r for r in result.readings if r not in names))

    return found
