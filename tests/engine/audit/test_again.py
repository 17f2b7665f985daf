"""A log decided again by changed rules: each roll that differs is named, and no other."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conformance import suite
from urim.engine.audit.again import again
from urim.engine.bundle.read import Bundle
from urim.errors import Refused
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.events.roll import RollResolved
from urim.events.ruling import RollAmended
from urim.rules import ruleset_named
from urim.rules.figures import name_of
from urim.rules.ruleset import Outcome, Roll, Ruleset

SYSTEMS = ("milhamah", "sagatafl", "majesty", "scarterra", "age_of_magic")


def entries_of(bundle: bytes) -> list[Entry]:
    return [line.entry for line in Bundle(io.BytesIO(bundle))]


def logs(system: str) -> Iterator[list[Entry]]:
    """The whole tables of a system among the files of the suite, nothing of them hidden."""
    for name, case in suite.of_kind("tale", "evening", "play").items():
        header, *_ = case.bundle.split(b"\n", 1)
        if b'"scope":"table"' in header and f'"system":"{system}"'.encode() in header:
            entries = entries_of(case.bundle)
            if all(entry.payload is not None for entry in entries):
                assert again(entries).otherwise == (), name
                yield entries


def announced(entries: list[Entry]) -> dict[int, dict[str, Any]]:
    """What each roll's first outcome announced, by the roll's number."""
    found: dict[int, dict[str, Any]] = {}
    for entry in entries:
        event = recorded(entry).event
        if isinstance(event, (RollResolved, RollAmended)) and event.outcome:
            found.setdefault(event.roll, dict(event.outcome["figures"]))
    return found


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + {int: 1, str: "x"}[type(value)] if not isinstance(value, list) else [*value, "x"]


def corrected(ruleset: Ruleset, key: str) -> Ruleset:
    """The rules with another value of one figure."""

    def outcome(roll: Roll) -> Outcome:
        found = ruleset.outcome(roll)
        if key not in found.figures:
            return found
        return replace(found, figures={**found.figures, key: other(found.figures[key])})

    return replace(ruleset, outcome=outcome)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_corrected_figure_is_named_in_each_roll_that_has_it(system: str) -> None:
    tried: set[str] = set()
    for entries in logs(system):
        outcomes = announced(entries)
        for key in sorted({key for each in outcomes.values() for key in each} - tried):
            tried.add(key)
            ruleset = corrected(ruleset_named(system), key)
            found = again(entries, lambda _, known=ruleset: known)  # type: ignore[misc]
            named = {each.roll: [field.path for field in each.fields] for each in found.otherwise}
            having = [roll for roll, figures in outcomes.items() if key in figures]
            assert named == {roll: [f"outcome.figures.{key}"] for roll in having}, key
            heading = ruleset.figures[name_of(key)].heading
            assert all(heading in each.headings for each in found.otherwise if heading), key
    assert len(tried) >= 5, tried


def test_a_reading_that_the_system_does_not_know_is_refused() -> None:
    entries = next(logs("milhamah"))
    with pytest.raises(Refused, match="tie is 'roller': no such field") as refused:
        again(entries, readings={"tie": "roller"})
    assert "supply" in refused.value.allowed
    with pytest.raises(Refused, match="counter is 7"):
        again(entries, readings={"counter": 7})


def test_rules_that_are_not_known_here_are_said() -> None:
    def none(name: str) -> Ruleset:
        raise Refused("unknown", f"no system called {name!r}")

    entries = next(logs("majesty"))
    found = again(entries, none)
    assert (found.decided, found.otherwise) == (0, ())
    assert "no system called 'majesty'" in found.unchecked[0][1]
