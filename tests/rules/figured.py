"""What the scenarios of a system announced, its sums, and the numbers that no law looks at."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from tests import plays
from urim.engine.scenario import read_scenario
from urim.engine.testing.kit.figures import (
    faults_of_damage,
    faults_of_dice,
    faults_of_outcome,
)
from urim.projections.rollstate import RollState
from urim.rules.figures import Value, name_of
from urim.rules.ruleset import Outcome, Ruleset
from urim.rules.words import ENGLISH


@cache
def paths(system: str) -> list[Path]:
    """The scenarios of a system."""
    return [path for path in plays.files() if read_scenario(path).system == system]


def resolved(ruleset: Ruleset) -> Iterator[tuple[RollState, Outcome]]:
    """Every roll of the system's scenarios that has an outcome."""
    for path in paths(ruleset.name):
        for roll in plays.kept_of(path).play.aggregate.opened.rolls.values():
            if roll.roll.outcome is not None:
                yield roll, roll.roll.outcome


def faults(ruleset: Ruleset) -> Iterator[str]:
    """What the law finds wrong with them."""
    for roll, outcome in resolved(ruleset):
        yield from faults_of_outcome(ruleset, outcome)
        yield from faults_of_dice(ruleset, roll.roll, outcome)
        if roll.damage is not None:
            yield from faults_of_damage(ruleset, roll.damage, outcome)


def totals(ruleset: Ruleset) -> Counter[str]:
    """How many sums they have, by the name of the total."""
    found: Counter[str] = Counter()
    for roll, outcome in resolved(ruleset):
        sums = ruleset.sums(outcome)
        if roll.damage is not None:
            sums += ruleset.damage_sums(roll.damage)
        found.update(name_of(each.total) for each in sums)
    return found


def words(ruleset: Ruleset, sort: str) -> dict[str, str]:
    """Its English words of a sort, by name."""
    english = ruleset.words[ENGLISH].items()
    return {
        key.removeprefix(f"{sort}."): word for key, word in english if key.startswith(f"{sort}.")
    }


def reasons(ruleset: Ruleset) -> set[str]:
    """Why their degrees are what they are."""
    return {ruleset.reason(outcome) for _, outcome in resolved(ruleset)}


def unnoticed(ruleset: Ruleset) -> set[str]:
    """The names of numbers that could be one more in some outcome or damage, and no law sees it."""
    found: set[str] = set()
    for roll, outcome in resolved(ruleset):
        for key, figures in changed(outcome.figures):
            other = replace(outcome, figures=figures)
            law = (faults_of_outcome(ruleset, other), faults_of_dice(ruleset, roll.roll, other))
            if not any(why for each in law for why in each):
                found.add(name_of(key))
        damage = roll.damage
        for key, figures in changed(damage.figures if damage else {}):
            assert damage is not None
            if not [*faults_of_damage(ruleset, replace(damage, figures=figures), outcome)]:
                found.add(name_of(key))
    return found


def changed(figures: dict[str, Value]) -> Iterator[tuple[str, dict[str, Value]]]:
    """The figures with each number in turn made one more."""
    for key, value in figures.items():
        if type(value) is int:
            yield key, figures | {key: value + 1}
