"""Plays scenarios for tests: as their files say, with something changed, and what they came to."""

import asyncio
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from immutables import Map
from msgspec import Struct, structs
from msgspec.json import Encoder

from tests.tree import ROOT
from urim.engine.core.aggregate import Aggregate
from urim.engine.scenario import Play, Scenario, play, read_scenario
from urim.errors import CODES, Refused
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.projections.tables import TableState

SCENARIOS = ROOT / "tests" / "scenarios"
DEMOS = ROOT / "engine" / "scenario" / "stories"

Place: TypeAlias = tuple[int, str]
"""Where something is expected: the step, 0 for the end, and of what."""


class Kept(Struct, frozen=True):
    """A play together with the log it was played on."""

    play: Play
    log: tuple[Entry, ...]


def files() -> list[Path]:
    """Every scenario of the tree, the demonstrations last."""
    return [*sorted(SCENARIOS.rglob("*.toml")), *sorted(DEMOS.glob("*.toml"))]


def name_of(path: Path) -> str:
    """What a test calls a scenario."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def kept(scenario: Scenario, log: MemoryLog | None = None) -> Kept:
    """Play a scenario on a log in memory, a new one unless one is given."""
    log = log or MemoryLog()
    done = asyncio.run(play(scenario, log))
    return Kept(done, entries_of(log, done.aggregate.opened.id))


def entries_of(log: MemoryLog, table: str) -> tuple[Entry, ...]:
    """Everything that a log holds of a table."""
    return asyncio.run(log.read(table))


@cache
def kept_of(path: Path) -> Kept:
    """The play of a file, once for all tests that look at it."""
    return kept(read_scenario(path))


def _plain(value: Any) -> Any:
    if isinstance(value, Map):
        return {str(key): item for key, item in value.items()}
    kind = value if hasattr(value, "__qualname__") else type(value)
    return (
        f"{kind.__module__}.{kind.__qualname__}"  # functions, classes, face tables made by a rule
    )


_encoder = Encoder(enc_hook=_plain, order="deterministic")


def picture(state: TableState | None) -> bytes:
    """A table's whole state as bytes: equal states have equal ones."""
    return _encoder.encode(state)


def loaded(done: Play, *parts: tuple[Entry, ...]) -> Aggregate:
    """A fresh aggregate that took over these parts of a log, one after the other."""
    fresh = Aggregate(done.aggregate.environment)
    for part in parts:
        fresh.load(part)
    return fresh


# --- what is expected, turned into what is not ----------------------------------------------------


def expectations(scenario: Scenario) -> dict[Place, Any]:
    """Everything that a scenario expects, refusals included, by place."""
    found: dict[Place, Any] = {}
    for number, step in enumerate(scenario.steps, 1):
        found |= {(number, name): value for name, value in step.get("expect", {}).items()}
        if "refused" in step:
            found[number, "refused"] = step["refused"]
    for who, expected in scenario.expect.items():
        found |= {(0, f"{who}: {name}"): value for name, value in expected.items()}
    return found


def turned(value: Any) -> Any:
    """Another value of the same kind: a number by one, anything else just not the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, list):
        return [*value[:-1], turned(value[-1])] if value else [0]
    if isinstance(value, dict):
        return {**value, "more": 1}
    if value in CODES:
        return next(code for code in CODES if code != value)
    return f"{value}!"


def wrong(scenario: Scenario) -> Scenario:
    """The same scenario with every expectation turned into one that cannot hold."""
    steps = tuple(_wrong_step(step) for step in scenario.steps)
    expect = {who: _all_turned(values) for who, values in scenario.expect.items()}
    return structs.replace(scenario, steps=steps, expect=expect)


def _wrong_step(step: Mapping[str, Any]) -> dict[str, Any]:
    after = dict(step)
    if "expect" in after:
        after["expect"] = _all_turned(after["expect"])
    if "refused" in after:
        after["refused"] = turned(after["refused"])
    return after


def _all_turned(expected: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _turned(name, value) for name, value in expected.items()}


def _turned(name: str, value: Any) -> Any:
    if name == "state":  # another one that there is; "frozen" is a code too
        return "declared" if value == "voided" else "voided"
    return turned(value)


# --- the same steps under another option ----------------------------------------------------------


class Result(Struct, frozen=True):
    """What a play came to.

    `stopped` is the refusal that ended it early; else: what each step was refused with, each roll's
    degree, margin and damage by number, and every character's tracks.
    """

    stopped: str | None = None
    refused: tuple[str | None, ...] = ()
    rolls: Mapping[int, tuple[Any, ...]] = {}
    readings: Mapping[int, frozenset[str]] = {}
    tracks: Mapping[str, Mapping[str, int]] = {}


def without(scenario: Scenario, option: str) -> Scenario:
    """The same scenario with one option left at its default."""
    options = {name: value for name, value in scenario.options.items() if name != option}
    return structs.replace(scenario, options=options)


def result(scenario: Scenario) -> Result:
    """What a scenario comes to, whether or not it is what it expects."""
    try:
        done = kept(scenario).play
    except Refused as error:
        return Result(stopped=str(error))
    state = done.aggregate.opened
    rolls = {roll.number: roll for roll in state.rolls.values()}
    announced = {
        number: tuple(item for item in (roll.roll.outcome, roll.damage) if item is not None)
        for number, roll in rolls.items()
    }
    return Result(
        refused=tuple(step.refused.code if step.refused else None for step in done.steps),
        rolls={
            number: (rolls[number].state, *(_said(item) for item in items))
            for number, items in announced.items()
        },
        readings={
            number: frozenset(name for item in items for name in item.readings)
            for number, items in announced.items()
        },
        tracks={who: dict(values) for who, values in state.tracks.items()},
    )


def _said(announced: Any) -> tuple[Any, ...]:
    names = ("degree", "margin", "amount", "effects")
    return tuple(getattr(announced, name, None) for name in names)
