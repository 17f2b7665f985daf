"""Every scenario plays as it says, replays from its bytes, and notices what comes out otherwise."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert

from tests import plays
from urim.engine.core.commands import Declare, RollCommand, Void, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.scenario import Played, read_scenario
from urim.projections.rulings import latest_ruling
from urim.rules import ruleset_named
from urim.rules.milhamah.letters import KINDS
from urim.rules.readings import Reading, readings_of

FILES = plays.files()
SYSTEMS = sorted(folder.parent.name for folder in plays.SCENARIOS.glob("*/readings"))
"""The systems that bring a scenario for every value of every reading."""

every_file = pytest.mark.parametrize("path", FILES, ids=plays.name_of)


def test_the_scenarios_were_found() -> None:
    assert len(FILES) > 50
    assert "milhamah" in SYSTEMS


@every_file
def test_a_scenario_plays_as_it_says(path: Path) -> None:
    """It says enough, too: a number, and the state after every step about a roll."""
    play = plays.kept_of(path).play
    assert [str(failure) for failure in play.failures] == []
    expected = plays.expectations(read_scenario(path))
    assert any(type(value) in (int, list) for value in expected.values()), "no number is expected"
    silent = [
        step.number
        for step in play.steps
        if about_a_roll(step) and "state" not in step.step.get("expect", {})
    ]
    assert silent == []
    for before, step in pairwise(play.steps):
        if step.refused is not None:
            assert step.entries == ()
            assert step.state == before.state


def about_a_roll(step: Played) -> bool:
    """Whether a step is about a roll that is there; a declaration is, unless it is refused."""
    if isinstance(step.command, RollCommand):
        return step.command.roll in step.state.rolls
    return isinstance(step.command, Declare) and step.refused is None


@pytest.mark.sampled(20, rest=20)
@every_file
def test_a_scenario_notices_whatever_comes_out_otherwise(path: Path) -> None:
    scenario = read_scenario(path)
    failures = plays.kept(plays.wrong(scenario)).play.failures
    noticed = [(failure.step, failure.what) for failure in failures]
    assert sorted(noticed) == sorted(plays.expectations(scenario))


@pytest.mark.sampled(131)
@every_file
def test_a_scenario_is_what_its_log_says(path: Path) -> None:
    done = plays.kept_of(path)
    table = done.play.aggregate
    assert done.log == tuple(table.entries)
    fresh = plays.loaded(done.play, done.log)
    assert fresh.state == table.state
    assert plays.picture(fresh.state) == plays.picture(table.state)
    assert fresh.frontier.root() == table.frontier.root()
    assert fresh.entries == table.entries
    assert fresh.records == table.records


@pytest.mark.sampled(15, rest=15)
@every_file
@pytest.mark.prove
@settings(max_examples=settings().max_examples // 5)  # of each file, and there are many
@given(cuts=st.sets(st.integers(1, 60), max_size=5))
def test_a_log_in_parts_is_the_same_table(path: Path, cuts: set[int]) -> None:
    done = plays.kept_of(path)
    ends = pairwise([0, *sorted(cuts), max(len(done.log), *cuts, 0)])
    fresh = plays.loaded(done.play, *(done.log[start:stop] for start, stop in ends))
    assert plays.picture(fresh.state) == plays.picture(done.play.aggregate.state)
    assert fresh.frontier.root() == done.play.aggregate.frontier.root()


@pytest.mark.sampled(132)
@every_file
def test_a_roll_can_be_voided_late_and_is_over_then(path: Path) -> None:
    done = plays.kept_of(path)
    late, number = next(
        (step.state, roll.number)
        for step in reversed(done.play.steps)
        for roll in sorted(step.state.rolls.values(), key=lambda roll: roll.number)
        if roll.state != "voided" and not roll.hidden
    )
    table = plays.loaded(done.play, done.log[: late.size])
    table.submit(
        NARRATOR,
        worded(Void(number, against=latest_ruling(late.rolls[number])), "It never happened."),
    )
    after = table.opened
    assert after.rolls[number].state == "voided"
    assert all(after.rolls[each].state == "voided" for each in after.following.get(number, ()))
    possible = {move.trigger for move in moves(after, NARRATOR, number) if move.legal}
    assert not possible


# --- readings -------------------------------------------------------------------------------------


def pairs(system: str) -> list[tuple[str, Reading, Any]]:
    """Every value of every reading of a system that is not the default."""
    options = ruleset_named(system).Options
    return [(system, found, value) for found in readings_of(options) for value in found.others]


PAIRS = [pair for system in SYSTEMS for pair in pairs(system)]
every_value = pytest.mark.parametrize(
    ("system", "reading", "value"),
    PAIRS,
    ids=[f"{system}-{found.name}={value}" for system, found, value in PAIRS],
)


def scenarios_of(system: str, reading: Reading) -> dict[Path, Any]:
    """The scenarios of a reading, found by their names, and the value each is played with."""
    kind = ruleset_named(system).Options
    names = [other.name for other in readings_of(kind)]
    folder = plays.SCENARIOS / system / "readings"
    named = [path for path in folder.glob("*.toml") if reading_of(path, names) == reading.name]
    read = ((path, convert(read_scenario(path).options, kind)) for path in named)
    return {path: getattr(options, reading.name) for path, options in read}


def reading_of(path: Path, names: list[str]) -> str:
    """The reading that a file is called after: NAME.toml, NAME-VALUE.toml."""
    stem = path.stem.replace("-", "_")
    found = [name for name in names if f"{stem}_".startswith(f"{name}_")]
    return max(found, key=len, default="")


@cache
def both(path: Path, reading: str) -> tuple[plays.Result, plays.Result]:
    """The result of a scenario with its value of a reading, and with the default."""
    scenario = read_scenario(path)
    return plays.result(scenario), plays.result(plays.without(scenario, reading))


@pytest.mark.sampled(31)
@every_value
def test_each_value_of_a_reading_comes_out_otherwise(
    system: str, reading: Reading, value: Any
) -> None:
    files = [path for path, found in scenarios_of(system, reading).items() if found == value]
    assert len(files) == 1, f"{len(files)} scenarios with {reading.name} = {value!r}"
    with_value, by_default = both(files[0], reading.name)
    assert with_value.stopped is None
    seen = (with_value.refused, with_value.rolls, with_value.tracks)
    assert seen != (by_default.refused, by_default.rolls, by_default.tracks)


TURNS_BEFORE = {"pocket_lapses"}
"""Readings that an earlier turn lists, which used up what the one that differs would need."""


@every_value
def test_an_outcome_lists_the_reading_that_changed_it(
    system: str, reading: Reading, value: Any
) -> None:
    for path, found in scenarios_of(system, reading).items():
        with_value, by_default = both(path, reading.name)
        if found != value or with_value.refused != by_default.refused:
            continue  # another step was possible: it is not the outcome that differs
        if reading.name in TURNS_BEFORE:
            for result in (with_value, by_default):
                assert any(reading.name in names for names in result.readings.values())
            continue
        changed = [
            number for number, roll in with_value.rolls.items() if roll != by_default.rolls[number]
        ]
        for number in changed:
            assert reading.name in with_value.readings[number]
            assert reading.name in by_default.readings[number]


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_scenario_of_a_reading_is_left_over(system: str) -> None:
    known = {path for _, reading, _ in pairs(system) for path in scenarios_of(system, reading)}
    folder = plays.SCENARIOS / system / "readings"
    assert set(folder.glob("*.toml")) == known
    assert len(known) == len(pairs(system))


# --- data that was inferred -----------------------------------------------------------------------


@pytest.mark.sampled(52)
@pytest.mark.parametrize(
    "path", sorted((plays.SCENARIOS / "milhamah").rglob("*.toml")), ids=plays.name_of
)
def test_no_scenario_depends_on_inferred_faces(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = dict.fromkeys(KINDS, ("אב", "גד", "הו", "זח", "טי", "כ*"))
    monkeypatch.setattr("urim.rules.milhamah.options.PAIRS", other)
    assert [str(failure) for failure in plays.kept(read_scenario(path)).play.failures] == []
