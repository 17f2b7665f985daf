"""The plugin: tables for tests, debts that fail them, and what a failing test reports."""

import re
from pathlib import Path

import pytest

from tests import plays
from tests.engine.testing.conftest import Tried
from urim.engine.testing import golden, plugin
from urim.engine.testing.plugin.tables import FixtureTable

pytest_plugins = ("pytester",)

# --- tables ---------------------------------------------------------------------------------------


@pytest.mark.urim("milhamah", seed=7, options={"cipher_dice": 2}, id="anothertable", level="server")
def test_a_marker_describes_the_table(urim_table: FixtureTable) -> None:
    state = urim_table.state
    assert (state.id, state.source, state.level) == ("anothertable", "seeded:7", "server")
    assert state.game.options.cipher_dice == 2


@pytest.mark.urim("milhamah", seed="7")
class TestMarkers:
    @pytest.mark.urim(dice="manual")
    def test_the_nearest_markers_words_count(self, urim_table: FixtureTable) -> None:
        assert urim_table.state.source == "manual"
        assert urim_table.state.game.ruleset.name == "milhamah"

    @pytest.mark.urim(system="scarterra")
    def test_the_other_words_are_kept(self, urim_table: FixtureTable) -> None:
        assert urim_table.state.source == "seeded:7"
        assert urim_table.state.game.ruleset.name == "scarterra"


@pytest.mark.parametrize("system", ["milhamah", "sagatafl", "majesty", "scarterra", "age_of_magic"])
def test_a_table_of_any_system_is_made(system: str, urim_tables: type[FixtureTable]) -> None:
    scripted, seeded = urim_tables(system), urim_tables(system, seed="7")
    assert (scripted.state.source, seeded.state.source) == ("scripted", "seeded:7")
    assert repr(scripted) == f"<{system} table fixture0: 0 rolls, 1 entry>"


def test_what_no_table_can_be_made_of_is_said_without_a_traceback(tried: Tried) -> None:
    result = tried(
        """
@pytest.mark.urim(system="chess")
def test_a(urim_table): pass

@pytest.mark.urim(colour="red")
def test_b(urim_table): pass

@pytest.mark.urim(seed="7", dice="fair")
def test_c(urim_table): pass

@pytest.mark.urim("sagatafl", "7")
def test_d(urim_table): pass
"""
    )
    result.assert_outcomes(errors=4)
    output = result.stdout.str()
    assert "no system called 'chess'" in output
    assert "unexpected keyword argument 'colour'" in output
    assert "seed '7' and dice 'fair' are both named" in output
    assert "not urim('sagatafl', '7')" in output
    assert "Traceback" not in output and "plugin.py" not in output


def test_pytest_lists_the_marker_the_option_and_the_fixtures(pytester: pytest.Pytester) -> None:
    assert "@pytest.mark.urim(system, *, seed=None" in pytester.runpytest("--markers").stdout.str()
    assert "--urim-update" in pytester.runpytest("--help").stdout.str()
    assert "urim_table" in pytester.runpytest("--fixtures").stdout.str()


def test_the_option_of_the_plugin_is_the_one_that_golden_logs_name() -> None:
    assert plugin.UPDATE == golden.UPDATE


# --- what fails a test ----------------------------------------------------------------------------


def test_a_test_that_leaves_faces_over_fails_and_names_them(tried: Tried) -> None:
    result = tried(
        """
def test_left(urim_table):
    roll = declared(urim_table)
    urim_table.dice("7 8 9 10 11")
    roll.roll()

def test_none_left(urim_tables):
    table = urim_tables("sagatafl")
    table.dice("7 8 9")
    declared(table).roll()
"""
    )
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["*faces left over: 10 11; the last throw was roll 1, throw 0 (p1: d1 d2 d3)"]
    )


def test_a_test_that_is_short_of_faces_fails_and_names_the_throw(tried: Tried) -> None:
    result = tried(
        """
def test_short(urim_table):
    roll = declared(urim_table)
    urim_table.dice("7 8")
    roll.roll()
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*roll 1, throw 0 (p1: d1 d2 d3): 2 faces given, d3 has none*"])


def test_a_when_without_its_then_fails(tried: Tried) -> None:
    result = tried(
        """
def test_it(urim_table):
    declared(urim_table)
    given(urim_table).when("p1", c.Resolve(1))
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*`then` is missing, nothing was checked"])


def test_a_debt_does_not_hide_the_failure_itself_nor_pass_to_the_next_test(tried: Tried) -> None:
    result = tried(
        """
def test_wrong(urim_table):
    urim_table.dice("7")
    assert 1 + 1 == 3

def test_skipped(urim_table):
    urim_table.dice("7")
    pytest.skip("no luck")

def test_right(urim_table): pass
"""
    )
    result.assert_outcomes(failed=1, skipped=1, passed=1)
    assert "left over" not in result.stdout.str()


# --- scenarios as tests ---------------------------------------------------------------------------

DUEL = plays.SCENARIOS / "milhamah" / "counter.toml"


def wrong(text: str) -> str:
    """A scenario whose outcomes are expected otherwise."""
    return re.sub(r"margin = -?\d+", "margin = 99", text)


def test_a_scenario_file_is_a_test(pytester: pytest.Pytester) -> None:
    text = DUEL.read_text("utf-8")
    for name, content in (
        ("right.urim.toml", text),
        ("wrong.urim.toml", wrong(text)),
        ("broken.urim.toml", "title ="),
        ("other.toml", "title ="),
    ):
        (pytester.path / name).write_text(content, encoding="utf-8")
    result = pytester.runpytest("-v")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*broken.urim.toml is not TOML*",
            "wrong.urim.toml: step *: margin should be 99, is *",
            "*urim table fixture0: its history*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "a scenario that reproduces it" not in result.stdout.str()


def test_a_scenario_file_is_played_from_a_test(pytester: pytest.Pytester) -> None:
    text = DUEL.read_text("utf-8")
    (pytester.path / "right.toml").write_text(text, encoding="utf-8")
    (pytester.path / "wrong.toml").write_text(wrong(text), encoding="utf-8")
    pytester.makepyfile(
        """
import asyncio

def test_right(urim_scenario):
    assert len(urim_scenario("right.toml").aggregate.opened.rolls) == 3

def test_right_within_a_loop(urim_scenario):
    async def within():
        return urim_scenario("right.toml")
    asyncio.run(within())

def test_wrong(urim_scenario):
    urim_scenario("wrong.toml")
"""
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["E *step *: margin should be 99*"])


# --- options and company --------------------------------------------------------------------------


@pytest.mark.slow
def test_golden_logs_are_compared_and_written_anew(
    tried: Tried, pytester: pytest.Pytester
) -> None:  # fmt: skip
    text = """
@pytest.mark.parametrize("rd", [6, 8])
@pytest.mark.urim(seed="7")
def test_it(urim_table, urim_golden, rd):
    declared(urim_table).roll()
    urim_golden(urim_table)

class TestMore:
    @pytest.mark.urim(seed="8")
    def test_it(self, urim_table, urim_golden):
        urim_golden(urim_table)
"""
    tried(text).assert_outcomes(failed=3)
    tried(text, "--urim-update", "-n", "2").assert_outcomes(passed=3)
    tried(text).assert_outcomes(passed=3)
    names = sorted(path.name for path in Path(pytester.path).rglob("golden/*/*.json"))
    assert names == ["TestMore.test_it.json", "test_it[6].json", "test_it[8].json"]
    tried(text.replace('"7"', '"9"')).assert_outcomes(failed=2, passed=1)


def test_without_the_plugin_other_tests_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    (pytester.path / "some.urim.toml").write_text("title =", encoding="utf-8")
    pytester.runpytest("-p", "no:urim").assert_outcomes(passed=1)


def test_the_plugin_is_registered_once_by_its_entry_point(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.get_plugin("urim") is plugin


def test_a_start_of_pytest_loads_no_engine(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
import sys

def test_it():
    ours = {name for name in sys.modules if name.startswith("urim.") and "testing" not in name}
    assert ours == {"urim.engine", "urim.errors"}
"""
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
