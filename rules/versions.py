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
from .ruleset import Damage, Outcome, Roll, Ruleset

T = TypeVar("T", Outcome, Damage)


def later(ruleset: Ruleset, version: int) -> Mapping[str, Any]:
    """The readings that came after a version of a system, each with what was so before it."""
    every = readings_of(ruleset.Options)
    return {reading.name: reading.before for reading in every if reading.since > version}


def unknown(ruleset: Ruleset, version: int) -> frozenset[str]:
    """The names of the readings that a version of a system did not have."""
    every = readings_of(ruleset.Options)
    return frozenset(each.name for each in every if each.since > version and not each.default_only)


@cache
def as_of(ruleset: Ruleset, version: int) -> Ruleset:
    """The system in an earlier version.

    No outcome names a later reading, but where the table was given the new way of it. Raises
    Refused("unknown") for a version that is not known here.
    """
    if not 1 <= version <= ruleset.version:
        raise Refused(
            "unknown",
            f"{ruleset.name} is of version {ruleset.version} here, not {version}",
            allowed=[f"{ruleset.name}, version 1 to {ruleset.version}"],
        )
    if version == ruleset.version:
        return ruleset
    names = unknown(ruleset, version)
    before = {name: value for name, value in later(ruleset, version).items() if name in names}
    outcome, damage = _without(ruleset.outcome, before), _without(ruleset.damage, before)
    return replace(ruleset, version=version, outcome=outcome, damage=damage)


def _without(given: Callable[..., T], before: Mapping[str, Any]) -> Callable[..., T]:
    """What gives outcomes or damage, without those readings that have the value of before."""

    def found(roll: Roll, *asked: Any) -> T:
        result, options = given(roll, *asked), roll.options
        old = {name for name, value in before.items() if getattr(options, name) == value}
        return replace(result, readings=tuple(r for r in result.readings if r not in old))

    return found
