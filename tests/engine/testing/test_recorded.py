"""Evenings that tests played are kept, and decided again by the rules as they are."""

import pytest

from tests.engine.testing.conftest import Tried

pytest_plugins = ("pytester",)

PLAYED = """
@pytest.mark.urim("sagatafl", seed="7")
def test_a_lock(urim_table):
    ruth = urim_table.character("Ruth", attributes={"Lockpicking": 5})
    roll = urim_table.declare(ruth, trait="Lockpicking", rd=7)
    roll.roll()
    roll.resolve()
"""

DECIDED = """
from msgspec.structs import replace
from urim.engine.testing.recorded import urim_recorded
from urim.rules import ruleset_named

BOOK = ruleset_named("sagatafl")

def more(roll):
    found = BOOK.outcome(roll)
    return replace(found, margin=found.margin + 1)

test_the_same = urim_recorded("evenings/*.urim.jsonl")
test_changed = urim_recorded("evenings/*.urim.jsonl", replace(BOOK, outcome=more))
"""


def test_an_evening_that_a_test_played_is_kept_and_comes_out_the_same(tried: Tried) -> None:
    tried(PLAYED, "--urim-record", "evenings").assert_outcomes(passed=1)
    result = tried(DECIDED, "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*test_the_same[[]*a_lock*PASSED*",
            "*a_lock-1.urim.jsonl: roll 1, entry *, roll-resolved/1: outcome.margin was *, is *",
        ]
    )


def test_what_only_its_roller_saw_is_decided_again_too(tried: Tried) -> None:
    alone = PLAYED.replace("rd=7)", 'rd=7, visibility="self")')
    tried(alone, "--urim-record", "evenings").assert_outcomes(passed=1)
    tried(DECIDED.partition("test_changed")[0]).assert_outcomes(passed=1)


def test_no_evening_is_a_failure_that_says_where_it_looked(tried: Tried) -> None:
    result = tried(DECIDED)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*urim_recorded: no file in * fits 'evenings/[*].urim.jsonl'*"])


def test_what_is_no_command_is_not_kept(tried: Tried) -> None:
    fact = """
from urim.events.table import SeatTaken

@pytest.mark.urim("sagatafl")
def test_a_fact(urim_table):
    urim_table.append(SeatTaken(by="narrator", seat="p7", role="player"))
"""
    tried(fact, "--urim-record", "evenings").assert_outcomes(passed=1)
    tried(DECIDED).assert_outcomes(errors=1)


def test_what_is_no_log_and_what_is_of_rules_not_here_fails(
    tried: Tried, pytester: pytest.Pytester
) -> None:
    text = """
from msgspec.structs import replace
from urim.rules import ruleset_named

HOUSE = replace(ruleset_named("sagatafl"), name="house")

@pytest.mark.urim(HOUSE, seed="7")
def test_a_lock(urim_table):
    ruth = urim_table.character("Ruth", attributes={"Lockpicking": 5})
    urim_table.declare(ruth, trait="Lockpicking", rd=7)
"""
    tried(text, "--urim-record", "evenings").assert_outcomes(passed=1)
    (pytester.path / "evenings" / "x.urim.jsonl").write_text("no log", encoding="utf-8")
    result = tried(DECIDED.partition("test_changed")[0])
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*not decided from entry 0 on: *house*", "*x.urim.jsonl: *line 1*"],
    )
