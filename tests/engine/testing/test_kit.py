"""The ruleset kit passes a sound system and names the law that a broken one breaks."""

import asyncio
from collections.abc import Callable
from itertools import count as counting
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from msgspec.structs import replace

from tests.engine.helpers import pips
from tests.engine.helpers.broken_pips import BROKEN
from tests.engine.helpers.pips import PIPS
from urim.engine.scenario import Scenario, parse_scenario, play
from urim.engine.testing.kit import LAWS, LawBroken, Report, Who, check, story
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.watched import FUNCTIONS, watched
from urim.errors import Refused
from urim.events.log.memory import MemoryLog
from urim.projections import tables
from urim.rules.ruleset import Die, Hand, Outcome, Roll, Ruleset

WISHES: list[dict[str, Any]] = [
    {"dice": 3},
    {"dice": 5, "target": 20, "helper": "c2", "rounds": 2},
    {"dice": 2, "target": 3, "victim": "c1"},
    {"target": 8, "victim": "c2", "helper": "c1"},
]


def tried(ruleset: Ruleset, **others: Any) -> Report:
    """The kit on the tests' own system, or on one made from it."""
    given: dict[str, Any] = {
        "characters": [Who({"skill": 3}), Who({"skill": 1}, {"breath": 3})],
        "declarations": WISHES,
        "reactions": [{"dice": 2}],
        "followers": {"again": [{}]},
        "amendments": [{"target": 4}, {"target": 15}],
        "count": 10,
        "patience": 20,
        **others,
    }
    return check(ruleset, **given)


def broken_law(ruleset: Ruleset, **others: Any) -> str:
    """The law that the kit finds broken."""
    with pytest.raises(LawBroken) as failure:
        tried(ruleset, **others)
    assert failure.value.law in LAWS
    return failure.value.law


@pytest.mark.prove
def test_a_sound_system_keeps_every_law(count: int, seed: int) -> None:
    report = tried(PIPS, count=count, seed=f"pips-{seed}")

    assert report.histories >= count
    assert report.degrees == {"success", "failure"}
    assert report.links == {"again"}
    assert report.amended
    assert report.voided
    assert {trigger for _, trigger in report.taken} == {
        *("react", "roll", "freeze", "reroll", "adjust"),
        *("resolve", "apply_damage", "declare"),
    }


def test_what_a_system_raises_is_told_with_its_line() -> None:
    _, failing = BROKEN["an outcome that fails"]
    line = failing.outcome.__code__.co_firstlineno + 2  # pyright: ignore[reportFunctionMemberAccess]
    with pytest.raises(LawBroken) as failure:
        tried(failing)
    assert failure.value.why.endswith(f", at helpers/broken_pips.py:{line} in failing")


@pytest.mark.slow
def test_a_third_partys_test_is_one_call() -> None:
    check(
        PIPS,
        characters=[Who({"skill": 2}), Who({"skill": 1})],
        declarations=[{}, {"victim": "c2", "target": 3}, {"helper": "c2"}],
        followers={"again": [{}]},
    )


@pytest.mark.slow
def test_the_same_seed_plays_the_same_histories() -> None:
    assert tried(PIPS, count=5) == tried(PIPS, count=5)
    assert tried(PIPS, count=5) != tried(PIPS, count=5, seed="another")


def test_an_outcome_that_the_caller_counts_otherwise_is_found() -> None:
    assert broken_law(PIPS, recount=lambda roll: {"total": -1}) == "recount"
    assert broken_law(PIPS, recount=lambda roll: {"no such figure": 0}) == "recount"


def test_a_trigger_that_the_ruleset_does_not_name_is_found() -> None:
    fewer = tuple(trigger for trigger in PIPS.triggers if trigger != "freeze")
    assert broken_law(replace(PIPS, triggers=fewer)) == "offers"


@pytest.mark.slow
def test_a_trigger_that_is_named_and_never_offered_is_found() -> None:
    assert broken_law(replace(PIPS, triggers=(*PIPS.triggers, "flavour"))) == "reaches"


def test_a_declaration_that_nobody_can_make_is_found() -> None:
    assert broken_law(PIPS, declarations=[{"dice": 3}, {"dice": 99}]) == "reaches"


def test_a_link_that_no_declaration_is_given_for_is_found() -> None:
    assert broken_law(PIPS, followers={}) == "reaches"


def test_a_failure_tells_the_story_that_led_there() -> None:
    with pytest.raises(LawBroken) as failure:
        tried(PIPS, recount=lambda roll: {"total": -1})

    assert "seed kit-" in failure.value.story[0]
    assert "Resolve" in failure.value.story[-1]
    assert failure.value.story[-1] in str(failure.value)


def test_a_voided_roll_that_still_counts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "REOPENING", ())
    assert broken_law(PIPS) == "voids"


UNPLAYED = ("record", "version", "frozen", "derived", "options", "readings")
"""Laws about the record, and about what no history shows: no story leads there."""

SHORT = 14
"""Lines of a shortest story, at most: its seed, the table, seats and characters, and the moves."""


@pytest.mark.sampled(8, rest=40)
@pytest.mark.parametrize(("law", "ruleset"), BROKEN.values(), ids=BROKEN)
def test_a_broken_system_is_given_the_law_it_breaks_and_a_short_story_that_plays(
    law: str, ruleset: Ruleset
) -> None:
    with pytest.raises(LawBroken) as failure:
        tried(ruleset)

    broken = failure.value
    assert broken.law == law
    if law in UNPLAYED or (law == "words" and not broken.story):  # a word that no outcome has
        return
    assert len(broken.story) <= min(SHORT, broken.lines)
    if broken.scenario is None:
        assert law in FORGETFUL
        return
    assert broken.scenario in str(broken)
    scenario = parse_scenario(broken.scenario)
    assert scenario.system == "pips"
    found = ending(scenario, ruleset)
    assert found == "plays" or law in ENDINGS[found], found


def ending(scenario: Scenario, ruleset: Ruleset) -> str:
    """How a scenario of the system ends: it plays, it is refused, something else is raised."""
    try:
        played = asyncio.run(play(scenario, MemoryLog(), rulesets=lambda name: ruleset))
    except Refused:
        return "refused"
    except Exception:  # noqa: BLE001 - a broken system may raise anything
        return "raises"
    return "differs" if played.failures else "plays"


ENDINGS = {
    "refused": ("goes-on",),
    "raises": ("raises", "answers", "evolves"),
    "differs": ("pure", "leaves", "replays"),
}
"""How the scenario of a broken law may end instead of playing: by that law alone."""

FORGETFUL = ("pure", "leaves", "replays")
"""Laws of systems that answer otherwise each time: a scenario of them expects what was once."""


def test_a_story_of_many_rolls_is_reduced_to_the_roll_that_matters() -> None:
    def third(roll: Roll) -> Outcome:
        found = pips.outcome(roll)
        return replace(found, readings=()) if roll.declaration.rounds == 2 else found

    with pytest.raises(LawBroken) as failure:
        tried(replace(PIPS, outcome=third), count=40)
    assert failure.value.lines > 20
    assert sum("Declare(" in line for line in failure.value.story) == 1


def test_a_story_without_its_options_is_shorter() -> None:
    with pytest.raises(LawBroken) as failure:
        tried(BROKEN["a stranger"][1], options=[{"tie": "lose", "nudge": 2}])
    assert failure.value.story[0].endswith("options {}")


def test_a_system_that_forgets_keeps_the_story_in_which_it_was_seen() -> None:
    asked = counting()

    def once(roll: Roll) -> Outcome:
        found = pips.outcome(roll)
        return replace(found, margin=99) if next(asked) == 12 else found

    with pytest.raises(LawBroken) as failure:
        tried(replace(PIPS, outcome=once))
    assert len(failure.value.story) == failure.value.lines


def test_time_is_up_for_a_shorter_story(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "SECONDS", -1.0)
    with pytest.raises(LawBroken) as failure:
        tried(BROKEN["a stranger"][1])
    assert len(failure.value.story) == failure.value.lines
    assert failure.value.scenario is not None


# --- the contract ---------------------------------------------------------------------------------


def test_the_docstring_of_a_ruleset_says_when_each_function_is_asked() -> None:
    words = Ruleset.__doc__ or ""
    functions = [
        name
        for name, kind in get_type_hints(Ruleset).items()
        if any(get_origin(each) is Callable for each in (kind, *get_args(kind)))
    ]
    assert len(functions) == 20
    for name in functions:
        assert f"\n    {name:13}" in words


def test_every_function_that_is_given_values_is_watched() -> None:
    # left out, they are not asked
    every = replace(PIPS, score=PIPS.scored, reach=lambda roll, hand: ())
    sound = watched(every)
    for name in FUNCTIONS:
        assert getattr(sound, name) is not getattr(every, name)
    unwatched = {"faces", "tracks", "spelling"}
    functions = {name for name in every.__struct_fields__ if callable(getattr(every, name))}
    kinds = {"Declaration", "Reaction", "Options"}
    assert functions - kinds == unwatched | set(FUNCTIONS)


def test_every_law_has_been_seen_broken() -> None:
    # "forms" and "rollables": test_kit_forms
    elsewhere = {"forms", "rollables", "reaches", "voids", "recount"}
    assert {law for law, _ in BROKEN.values()} | elsewhere == set(LAWS)


def test_dice_taken_over_are_folded_like_thrown_ones() -> None:
    parent = pips.Declaration()
    hand = Hand("main", "c1", (Die("d1", "d6", (2,), 2, 5),))
    roll = Roll(options=pips.Options(), character="c1", declaration=parent, hands=(hand,))
    _, dice = pips.follow(pips.Declaration(), "again", roll)
    assert [(die.id, die.face, die.thrown) for die in dice] == [("d1", 5, (5,))]


# --- luck -----------------------------------------------------------------------------------------


def test_luck_repeats_for_a_seed_and_differs_for_another() -> None:
    def draws(seed: str) -> list[int]:
        luck = Luck(seed)
        return [luck.below(1000) for _ in range(20)]

    assert draws("a") == draws("a") != draws("b")


def test_luck_reaches_every_number_below_and_no_other() -> None:
    luck = Luck("a")
    assert {luck.below(5) for _ in range(200)} == set(range(5))
    assert {luck.one_of("abc") for _ in range(100)} == set("abc")


def test_luck_draws_each_item_once() -> None:
    luck = Luck("a")
    assert sorted(luck.shuffled(range(9))) == list(range(9))
    assert len(set(luck.some_of(range(9), 4))) == 4
