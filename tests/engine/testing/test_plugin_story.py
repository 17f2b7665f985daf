"""What a failing test tells: the history of its tables, and scenarios that come to the same."""

import tomllib

import pytest

from tests import plays
from tests.engine.helpers.pips import PIPS
from tests.engine.testing.conftest import Tried
from urim.engine.core.commands import Note
from urim.engine.scenario import parse_scenario
from urim.engine.testing.plugin import tables as plugin_story
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.plugin.watch import Watch

pytest_plugins = ("pytester",)

FAILING = """
def test_it(urim_table):
    roll = declared(urim_table)
    roll.roll(faces=[7, 2, 9])
    with pytest.raises(Refused):
        roll.freeze("d1")
    assert roll.resolve().margin == 3

def test_refused(urim_table):
    roll = declared(urim_table)
    roll.resolve()
"""


def scenarios_in(said: str) -> list[str]:
    """The scenarios that pytest printed."""
    found: list[str] = []
    for part in said.split("a scenario that comes to the same")[1:]:
        lines = part.splitlines()[1:]
        end = next(at for at, line in enumerate(lines) if line.startswith(("___", "===")))
        found.append("\n".join(lines[:end]))
    return found


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_a_failing_test_tells_its_history_and_a_scenario(
    tried: Tried, options: tuple[str, ...]
) -> None:
    result = tried(FAILING, *options)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*urim table fixture0: its history*", "*Roll 1: *declares*", "*throws initiator*"]
    )
    scenario, after_refusal = scenarios_in(result.stdout.str())
    [roll] = plays.kept(parse_scenario(scenario)).play.aggregate.opened.rolls.values()
    assert roll.roll.outcome is not None
    assert roll.roll.outcome.margin == 2
    step = tomllib.loads(after_refusal)["step"][-1]
    assert step == {"do": "resolve", "refused": "wrong-state"}
    assert plays.kept(parse_scenario(after_refusal)).play.failures == ()


def test_a_passing_test_tells_nothing(tried: Tried) -> None:
    result = tried("def test_it(urim_table): declared(urim_table)", "-rA")
    result.assert_outcomes(passed=1)
    assert "history" not in result.stdout.str()


def test_the_latest_tables_are_told_of(tried: Tried) -> None:
    result = tried(
        """
def test_it(urim_tables):
    for number in range(9):
        urim_tables("sagatafl", id=f"table00{number}")
    assert False
"""
    )
    said = result.stdout.str()
    told = [number for number in range(9) if f"urim table table00{number}: its history" in said]
    assert told == [6, 7, 8]


def test_a_long_history_is_cut_at_its_beginning() -> None:
    table = FixtureTable("sagatafl")
    for number in range(1, 300):
        table.submit("narrator", Note(0, str(number)))
    lines = plugin_story.story_of(table).splitlines()
    assert lines[0] == f"      ({300 - plugin_story.LINES} lines before)"
    assert len(lines) == 1 + plugin_story.LINES


def test_where_no_scenario_can_be_written_that_is_said() -> None:
    table = FixtureTable(PIPS)
    watch = Watch()
    watch.tellers.append(table)
    (_, story), (_, scenario) = plugin_story.sections(watch)
    assert "Table fixture0 opens" in story
    assert scenario.startswith("(there is none: no system called 'pips'")
