"""A roll that was argued about is a test after one command: exported, it comes out as it did."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import plays
from tests.engine.helpers.cli_runs import objects, urim
from urim.engine.scenario import parse_scenario
from urim.engine.scenario.export import scenario_text
from urim.engine.testing.plugin.scenario import perform
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.strategies import tables
from urim.events.base import Face
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
from urim.rules import BUILT_IN

pytest_plugins = ("pytester",)

ARGUED = {
    "milhamah counter": ("milhamah/counter.toml", 2, ("counter",)),
    "milhamah seeded": ("milhamah/seeded.toml", 1, ()),
    "sagatafl opposed": ("sagatafl/opposed.toml", 2, ()),
    "majesty adjusted": ("majesty/adjusted-by-the-other.toml", 1, ()),
    "scarterra soak": ("scarterra/soak.toml", 2, ("soak",)),
    "scarterra again": ("scarterra/trying-again.toml", 2, ("again",)),
    "age of magic soak": ("age_of_magic/soak.toml", 3, ("damage", "soak")),
    "age of magic fair": ("age_of_magic/fair.toml", 1, ()),
}
"""A scenario, one of its rolls, and the links by which others of its chain follow."""


def faces(roll: RollState) -> list[tuple[str, tuple[Face, ...], Face]]:
    """Every die of a roll: what it fell on, and what it shows."""
    return [(die.id, die.thrown, die.face) for hand in roll.roll.hands for die in hand.dice]


def came_to(roll: RollState) -> tuple[Any, ...]:
    """Everything that a roll came to, dice and effects included."""
    return (roll.state, roll.roll.outcome, roll.damage, roll.roll.choices, faces(roll))


def all_came_to(state: TableState) -> Mapping[int, Any]:
    """What each roll of a table came to, by number."""
    rolls = sorted(state.rolls.values(), key=lambda roll: roll.number)
    return {roll.number: came_to(roll) for roll in rolls}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("file", "roll", "links"), ARGUED.values(), ids=ARGUED)
def test_a_roll_of_a_log_becomes_a_test_by_one_command(
    file: str, roll: int, links: tuple[str, ...], pytester: pytest.Pytester
) -> None:
    db, test = pytester.path / "night.db", pytester.path / "argued.urim.toml"
    assert urim("run", str(plays.SCENARIOS / file), "--log", str(db)).exit_code == 0
    [table] = objects(urim("tables", str(db), "--json").stdout)
    words = ("export", str(db), table["table"], "--roll", str(roll), "--format", "scenario")
    test.write_text(urim(*words).stdout, encoding="utf-8")
    pytester.runpytest("-p", "no:cacheprovider", test.name).assert_outcomes(passed=1)

    then = plays.kept_of(plays.SCENARIOS / file).play.aggregate.opened
    played = perform(test)
    now = played.aggregate.opened
    assert now.source == "scripted"
    assert {each.roll.link for each in now.rolls.values()} - {None} >= set(links)
    if then.source != "fair":  # played again, fair dice fall otherwise
        argued = came_to(then.rolls[roll])
        assert [each for each in all_came_to(now).values() if each == argued]


@pytest.mark.parametrize(("file", "roll", "links"), ARGUED.values(), ids=ARGUED)
def test_the_test_fails_once_the_rules_come_to_something_else(
    file: str, roll: int, links: tuple[str, ...], tmp_path: Path
) -> None:
    log = plays.kept_of(plays.SCENARIOS / file).log
    scenario = parse_scenario(scenario_text(log, roll))
    assert plays.expectations(scenario)
    with pytest.raises(AssertionError, match="should be"):
        perform(plays.wrong(scenario))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", BUILT_IN)
@pytest.mark.prove
@settings(max_examples=max(5, settings().max_examples // 5))
@given(data=st.data())
def test_any_roll_of_any_table_comes_out_as_it_did(system: str, data: st.DataObject) -> None:
    table: FixtureTable = data.draw(tables(system))
    then = all_came_to(table.state)
    for number in then:
        now = all_came_to(
            perform(parse_scenario(scenario_text(table.entries, number))).aggregate.opened
        )
        assert then[number] in now.values()
