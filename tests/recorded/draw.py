"""Evenings to keep: the few, of scenarios and of the kit, in which everything of a system happens.

What is to happen is read from the systems themselves, so what a system gets anew is wanted here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, convert

from tests import plays
from tests.engine.helpers.tables.trials import GIVEN, trial_of
from urim.engine.audit.again import TRIGGERS
from urim.engine.core.aggregate import Aggregate
from urim.engine.testing.kit.play import History
from urim.engine.testing.kit.trial import Report
from urim.engine.testing.plugin import RECORDED
from urim.events import roll as rolled
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
from urim.rules import ruleset_named
from urim.rules.figures import name_of
from urim.rules.readings import Reading, readings_of
from urim.rules.ruleset import Outcome, Ruleset
from urim.rules.words import ENGLISH

HERE = Path(__file__).parent

DRAWN = "drawn"
"""The name of what the kit draws."""

HISTORIES = 1_500
"""Histories of the kit that are drawn for a system, at most."""


class Thing(NamedTuple):
    """Something that happens at tables of a system, as in ("majesty", "degree", "positive")."""

    system: str
    sort: str
    name: str


Things: TypeAlias = frozenset[Thing]


class Drawn(Struct, frozen=True):
    """An evening that may be kept."""

    name: str
    aggregate: Aggregate
    things: Things

    @property
    def size(self) -> int:
        """How many entries it has."""
        return len(self.aggregate.entries)


SYSTEMS: Mapping[str, Ruleset] = MappingProxyType({name: ruleset_named(name) for name in GIVEN})

REFUSES = "a refusal leaves no event"
NOT_ANNOUNCED = "an outcome is announced once everybody has thrown"

NEVER: Mapping[Thing, str] = MappingProxyType(
    {
        Thing("milhamah", "reading", "cipher_dice = 0"): REFUSES,
        Thing("milhamah", "reading", "difficulty_step = 0"): REFUSES,
        Thing("milhamah", "reading", "no_dice = 'refused'"): REFUSES,
        Thing("milhamah", "reading", "botch_rewards = 'one'"): "it takes a choice away",
        Thing("sagatafl", "reading", "no_dice = 'refused'"): REFUSES,
        Thing("age_of_magic", "reading", "push_floor = 'refuse'"): REFUSES,
        Thing("age_of_magic", "reading", "overdraw_dice = 0"): REFUSES,
        Thing("scarterra", "reading", "actions_by = 'turn'"): REFUSES,
        Thing("scarterra", "figure", "waiting_for"): NOT_ANNOUNCED,
        Thing("scarterra", "reason", "waiting"): NOT_ANNOUNCED,
        Thing("scarterra", "reason", "too_long"): "more rounds than an evening should have",
    }
)
"""What no evening can have, and why."""


# --- what is wanted -------------------------------------------------------------------------------


def wanted(ruleset: Ruleset) -> Things:
    """All that happens at tables of a system: of its triggers, readings, figures and words."""
    words = [key.split(".") for key in ruleset.words[ENGLISH]]
    found: list[tuple[str, str]] = [("figure", name) for name in ruleset.figures]
    found += [("trigger", trigger) for trigger in ruleset.triggers if trigger != "declare"]
    found += [(sort, name) for sort, name, *_ in words if sort in ("degree", "reason")]
    for reading in readings_of(ruleset.Options):
        values = (reading.default, *reading.others)
        found += [("reading", valued(reading, value)) for value in values]
    return frozenset(Thing(ruleset.name, *each) for each in found)


def valued(reading: Reading, value: Any) -> str:
    """A reading with one of its values."""
    return f"{reading.name} = {value!r}"


# --- what happens ---------------------------------------------------------------------------------


def things_of(state: TableState) -> Things:
    """All that happened at a table."""
    ruleset, found = state.game.ruleset, set[tuple[str, str]]()
    for roll in state.rolls.values():
        found.update(_of_events(roll))
        found.update(_of_figures(ruleset, roll))
        if roll.follows:
            found.add(("link", roll.follows[1]))
    for reading in readings_of(ruleset.Options):
        # Where none of its values is ever listed, it decides what is offered, or how tracks begin.
        value = getattr(state.game.options, reading.name)
        if reading.name in SILENT and state.rolls:
            found.add(("reading", valued(reading, value)))
    return frozenset(Thing(ruleset.name, *each) for each in found)


SILENT = frozenset({"players_know_hebrew", "soak_start"})
"""Readings that no outcome lists: of what a narrator may say, of a track as somebody begins."""


def _of_events(roll: RollState) -> Iterator[tuple[str, str]]:
    for record in roll.trail:
        yield "event", type(record.event).__name__
        if type(record.event) in TRIGGERS:
            yield "trigger", TRIGGERS[type(record.event)]


def _of_figures(ruleset: Ruleset, roll: RollState) -> Iterator[tuple[str, str]]:
    """What outcomes and damage have, as they were announced."""
    for record in roll.trail:
        event = record.event
        if isinstance(event, rolled.RollResolved):
            given = event.outcome
            outcome = convert(given, Outcome)
            yield "degree", outcome.degree
            yield "reason", ruleset.reason(outcome)
        elif isinstance(event, rolled.DamageApplied):
            given = event.damage
        else:
            continue
        names = map(name_of, (*given, *given["figures"]))  # the margin is beside them
        yield from (("figure", name) for name in names if name in ruleset.figures)
        for reading in readings_of(ruleset.Options):
            if reading.name in given["readings"]:
                yield "reading", valued(reading, getattr(roll.roll.options, reading.name))


# --- evenings that may be kept --------------------------------------------------------------------


def scenarios(system: str) -> Iterator[Drawn]:
    """Each scenario of a system, played."""
    for path in plays.files():
        table = plays.kept_of(path).play.aggregate
        if table.opened.game.ruleset.name == system:
            yield Drawn(path.stem, table, things_of(table.opened))


def file_of(each: Drawn, brings: Things) -> Path:
    """A new file for an evening: its system, and the scenario that it is, or what it brings."""
    thing = max(brings)
    name = f"{thing.sort}-{thing.name}" if each.name == DRAWN else each.name
    name = re.sub(r"[^a-z0-9]+", "-", f"{thing.system}-{name}".lower()).strip("-")
    files = (HERE / f"{name}{more}{RECORDED}" for more in ("", *(f"-{n}" for n in range(2, 100))))
    return next(file for file in files if not file.exists())


class Short(History):
    """A history of few moves."""

    rolls = 2
    moves = 12


def histories(system: str) -> Iterator[Drawn]:
    """Histories of the kit, each value of each reading in its turn."""
    trial = trial_of(system)
    options = [dict(given) for given in trial.options]
    for reading in trial.readings:
        options += [{**trial.options[0], reading.name: value} for value in reading.others]
    for number in range(HISTORIES):
        given = options[number % len(options)]
        history = Short(trial, f"recorded-{system}-{number}", given, Report())
        for _ in history.play():
            pass
        yield Drawn(DRAWN, history.aggregate, things_of(history.state))


def drawn(system: str, kept: Things) -> Iterator[tuple[Drawn, Things]]:
    """The fewest evenings, roughly, that bring what those that are kept lack; each with what.

    What is wanted, and whatever else the evenings that are drawn for it show.
    """
    needed = set(wanted(SYSTEMS[system]) - kept - NEVER.keys())
    pool: list[Drawn] = []
    for each in chain(scenarios(system), histories(system)) if needed else ():
        pool.append(each)
        needed -= each.things
        if not needed and each.name == DRAWN:
            break
    yield from chosen(pool, frozenset().union(*(each.things for each in pool)) - kept)


def chosen(pool: Iterable[Drawn], missing: Things) -> Iterator[tuple[Drawn, Things]]:
    """Evenings that bring what is missing: next is always the one that brings most for its size."""
    left = list(pool)
    while missing:
        best = max(left, key=lambda each: len(each.things & missing) / each.size)
        yield best, best.things & missing
        missing -= best.things
        left.remove(best)
