"""What a failing test reports: the history of its tables, and scenarios that reproduce them."""

import tomllib

import pytest

from tests import plays
from tests.engine.helpers.pips import PIPS
from tests.engine.testing.conftest import Tried
from urim.engine.core.commands import AnchorShares
from urim.engine.scenario import parse_scenario
from urim.engine.testing.plugin import report
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.plugin.watch import Watch
from urim.events.table import SeatTaken

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


def scenarios_in(output: str) -> list[str]:
    """The scenarios that pytest printed."""
    found: list[str] = []
    for part in output.split("a scenario that reproduces it")[1:]:
        lines = part.splitlines()[1:]
        end = next(at for at, line in enumerate(lines) if line.startswith(("___", "===")))
        found.append("\n".join(lines[:end]))
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_a_failing_test_reports_its_history_and_a_scenario(
    tried: Tried, options: tuple[str, ...]
) -> None:
    result = tried(FAILING, *options)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*urim table fixture0: its history*", "*Roll 1: *declares*", "*throws the dice*"]
    )
    scenario, after_refusal = scenarios_in(result.stdout.str())
    [roll] = plays.kept(parse_scenario(scenario)).play.aggregate.opened.rolls.values()
    assert roll.roll.outcome is not None
    assert roll.roll.outcome.margin == 2
    step = tomllib.loads(after_refusal)["step"][-1]
    assert step == {"do": "resolve", "refused": "wrong-state"}
    assert plays.kept(parse_scenario(after_refusal)).play.failures == ()


def test_a_passing_test_reports_nothing(tried: Tried) -> None:
    result = tried("def test_it(urim_table): declared(urim_table)", "-rA")
    result.assert_outcomes(passed=1)
    assert "history" not in result.stdout.str()


def test_the_latest_tables_are_reported(tried: Tried) -> None:
    result = tried(
        """
def test_it(urim_tables):
    for number in range(9):
        urim_tables("sagatafl", id=f"table00{number}")
    assert False
"""
    )
    output = result.stdout.str()
    shown = [number for number in range(9) if f"table00{number}: its history" in output]
    assert shown == [6, 7, 8]


def test_a_long_history_is_cut_at_its_beginning() -> None:
    table = FixtureTable("sagatafl")
    for number in range(1, 300):
        table.submit("narrator", AnchorShares(f"{number:064x}"))
    lines = report.story_of(table).splitlines()
    assert lines[0] == f"      ({300 - report.LINES} lines before)"
    assert len(lines) == 1 + report.LINES


def test_a_system_that_is_not_installed_has_a_scenario_too() -> None:
    table = FixtureTable(PIPS)
    watch = Watch()
    watch.reported.append(table)
    (_, story), (_, scenario) = report.sections(watch)
    assert "Table fixture0 opens" in story
    assert 'system = "pips"' in scenario


def test_where_no_scenario_can_be_written_the_report_says_why() -> None:
    table = FixtureTable(PIPS)
    table.append(SeatTaken("narrator", "p1", "player"))  # nobody asked for it
    watch = Watch()
    watch.reported.append(table)
    (_, story), (_, scenario) = report.sections(watch)
    assert "p1" in story
    assert scenario.startswith("(there is none: ")
