"""Tables nobody thought up: legal, of any system, short once Hypothesis has shrunk them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.pips import PIPS
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import EnterCharacter, TakeSeat
from urim.engine.scenario import parse_scenario
from urim.engine.scenario.export import scenario_text
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.plugin import report
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.plugin.watch import watching
from urim.engine.testing.strategies import Story, Who, declarations, histories, tables
from urim.engine.testing.strategies import wishes as strategies_wishes
from urim.engine.testing.strategies.types import Words, json_of
from urim.engine.testing.strategies.wishes import Wishes
from urim.errors import Refused, pip_install
from urim.events.base import JSON
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.ruleset import Ruleset

every_system = pytest.mark.parametrize("system", BUILT_IN)
slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
few = settings(slow, max_examples=max(5, settings().max_examples // 5))


def shortest(system: str | Ruleset, wanted: Callable[[Story], bool], **given: Any) -> Story:
    """The shortest story of that kind that Hypothesis comes down to."""
    tries = settings(max_examples=200, database=None, derandomize=True)
    return find(histories(system, **given), wanted, settings=tries)


def asked(story: Story) -> list[str]:
    """What was asked after everybody sat down."""
    seating = (TakeSeat, EnterCharacter)
    return [type(c).__name__ for _, c in story.commands if not isinstance(c, seating)]


# --- legal ----------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@every_system
@pytest.mark.prove
@few
@given(data=st.data())
def test_a_declaration_is_accepted(system: str, data: st.DataObject) -> None:
    wish = data.draw(declarations(system))
    table = FixtureTable(system)
    ann = table.character("Ann")
    table.character("Bert")
    table.declare(ann, **wish)


@pytest.mark.sampled(1)
@every_system
@pytest.mark.prove
@few
@given(data=st.data())
def test_a_table_comes_back_from_its_bytes(system: str, data: st.DataObject) -> None:
    table = data.draw(tables(system))
    again = Aggregate(table.aggregate.environment)
    again.load(table.entries)
    assert again.state == table.state
    assert again.frontier.root() == table.aggregate.frontier.root()


@pytest.mark.sampled(1)
@every_system
@pytest.mark.prove
@few
@given(data=st.data())
def test_the_same_commands_make_the_same_table(system: str, data: st.DataObject) -> None:
    story = data.draw(histories(system))
    faces = [each for each in story.table.events if hasattr(each, "proof")]
    again = FixtureTable(system)
    for event in faces:
        again.script.queue += [die.face for die in getattr(event, "dice", ())]
    for seat, command in story.commands:
        again.submit(seat, command)
    assert again.entries == story.table.entries


@pytest.mark.sampled(2)
@every_system
@pytest.mark.prove
@few
@given(data=st.data())
def test_a_story_goes_into_a_scenario_that_plays(system: str, data: st.DataObject) -> None:
    table = data.draw(tables(system))
    played = plays.kept(parse_scenario(scenario_text(table.entries))).play
    assert played.failures == ()
    assert dict(played.aggregate.opened.tracks) == dict(table.state.tracks)


@few
@given(story=histories("scarterra", ended=True, voids=False))
def test_a_story_may_be_brought_to_its_end(story: Story) -> None:
    assert {roll.state for roll in story.table.state.rolls.values()} <= {"resolved", "damaged"}


@few
@given(table=tables(PIPS, characters=[Who({"skill": 3}), Who()], followers={"again": [{}]}))
def test_a_system_that_is_not_installed_has_tables_too(table: FixtureTable) -> None:
    assert table.state.game.ruleset is PIPS
    assert len(table.state.rolls) >= 1


WISHES: list[JSON] = [{"trait": "Body", "rd": 4}, {"trait": "Body", "opponent": "c2"}]


@few
@given(
    table=tables(
        "sagatafl",
        characters=[Who({"Body": 3}), Who({"Body": 1})],
        declarations=WISHES,
        reactions=[{"rating": 2}],
        amendments=[{"rd": 5}],
        options=[{"no_dice": "one"}],
        rolls=2,
    )
)
def test_what_the_caller_names_is_what_is_played(table: FixtureTable) -> None:
    assert table.state.game.options.no_dice == "one"
    assert len(table.state.rolls) <= 2
    for roll in table.state.rolls.values():
        assert roll.roll.declaration.trait == "Body"
        assert {reaction.rating for _, reaction in roll.roll.reactions if reaction} <= {2}


@few
@given(wish=declarations("sagatafl", characters=[Who({"Body": 3})], like=WISHES[:1]))
def test_a_declaration_may_vary_those_it_shall_be_like(wish: JSON) -> None:
    assert {"trait", "rd"} <= wish.keys()
    assert not {"sheet_rating", "safe"} & wish.keys()


# --- short ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_story_of_a_fumble_is_a_declaration_a_throw_and_an_outcome() -> None:
    story = shortest(
        "sagatafl",
        lambda story: any(
            roll.roll.outcome and "fumble" in roll.roll.outcome.degree
            for roll in story.table.state.rolls.values()
        ),
        declarations=[{"rating": 2}, {"rating": 3}],
    )
    assert asked(story) == ["Declare", "RollDice", "Resolve"]


@pytest.mark.sampled(0, rest=0)
def test_a_story_of_a_follower_is_two_declarations() -> None:
    wishes = [{"dots": 1}, {"dots": 2}]
    story = shortest(
        "scarterra", lambda story: bool(story.table.state.following), declarations=wishes
    )
    assert asked(story) == ["Declare", "RollDice", "Resolve", "Declare"]


@pytest.mark.slow
def test_a_story_is_told_as_it_happened() -> None:
    story = shortest("majesty", lambda story: bool(story.table.state.rolls[1].roll.hands))
    head, *lines = repr(story).splitlines()
    assert head == repr(story.table)
    assert "throws the dice (scripted): d1" in lines[-1]


@pytest.mark.sampled(0, rest=0)
def test_a_broken_rule_is_found_and_its_shortest_story_noted() -> None:
    def outcome(roll: Any) -> Any:
        found = PIPS.outcome(roll)
        return replace(found, degree="") if found.margin == -3 else found

    broken, wishes = replace(PIPS, outcome=outcome), [{"dice": 2}, {"dice": 3}]

    @settings(database=None, derandomize=True, max_examples=200)
    @given(table=tables(broken, declarations=wishes))
    def law(table: FixtureTable) -> None:
        outcomes = [roll.roll.outcome for roll in table.state.rolls.values()]
        assert all(found is None or found.degree for found in outcomes)

    with watching() as watch, pytest.raises(AssertionError) as failure:
        law()
    [(_, story), _] = report.sections(watch)
    assert story.endswith("margin -3.")
    noted = "\n".join(failure.value.__notes__)
    assert "margin -3" in noted
    assert noted.count("declares") <= 2
    assert noted.count("throws main") <= 2


# --- how they are made ----------------------------------------------------------------------------


def test_no_table_that_is_only_tried_is_reported() -> None:
    with watching() as watch:
        Wishes(PIPS, [Who()])
        assert not watch.reported


def test_a_system_whose_rules_accept_nothing_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def settle(*_: Any) -> Any:
        raise Refused("malformed", "never")

    monkeypatch.setattr(strategies_wishes, "LOOKS", 40)
    wishes = Wishes(replace(PIPS, settle=settle), [Who()])
    with pytest.raises(Refused, match="of 40 declarations of Pips none was legal"):
        wishes.drawn(Luck("any"))


@pytest.mark.sampled(2)
@every_system
def test_json_of_a_struct_has_its_fields_and_comes_back_the_same(system: str) -> None:
    rules = ruleset_named(system)
    words = Words(names=("c1",), letters=("א", "ב"))
    seen: set[str] = set()
    for number in range(200):
        made = json_of(rules.Declaration, words, Luck(str(number)), rules.settled)
        assert made == json_of(rules.Declaration, words, Luck(str(number)), rules.settled)
        seen |= made.keys()
    fields = set(rules.Declaration.__struct_encode_fields__)
    assert seen == fields - set(rules.settled)


def test_without_hypothesis_the_error_names_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import urim.engine.testing.strategies"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"which is not installed: {pip_install('testing')}" in done.stderr.splitlines()[-1]
