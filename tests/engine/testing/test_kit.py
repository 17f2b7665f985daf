"""The ruleset kit passes a sound system and names the law that a broken one breaks."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers import pips
from tests.engine.helpers.broken_pips import BROKEN
from tests.engine.helpers.pips import PIPS
from urim.engine.testing.kit import LAWS, LawBroken, Report, Who, check
from urim.engine.testing.kit.luck import Luck
from urim.projections import tables
from urim.rules.ruleset import Die, Hand, Roll, Ruleset

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


def test_a_third_partys_test_is_one_call() -> None:
    check(
        PIPS,
        characters=[Who({"skill": 2}), Who({"skill": 1})],
        declarations=[{}, {"victim": "c2", "target": 3}, {"helper": "c2"}],
        followers={"again": [{}]},
    )


def test_the_same_seed_plays_the_same_histories() -> None:
    assert tried(PIPS, count=5) == tried(PIPS, count=5)
    assert tried(PIPS, count=5) != tried(PIPS, count=5, seed="another")


def test_an_outcome_that_the_caller_counts_otherwise_is_found() -> None:
    assert broken_law(PIPS, recount=lambda roll: {"total": -1}) == "recount"
    assert broken_law(PIPS, recount=lambda roll: {"no such figure": 0}) == "recount"


def test_a_trigger_that_the_ruleset_does_not_name_is_found() -> None:
    fewer = tuple(trigger for trigger in PIPS.triggers if trigger != "freeze")
    assert broken_law(replace(PIPS, triggers=fewer)) == "offers"


def test_a_trigger_that_is_named_and_never_offered_is_found() -> None:
    assert broken_law(replace(PIPS, triggers=(*PIPS.triggers, "flavour"))) == "reaches"


def test_a_declaration_that_nobody_can_make_is_found() -> None:
    assert broken_law(PIPS, declarations=[{"dice": 3}, {"dice": 99}]) == "reaches"


def test_a_link_that_no_declaration_is_given_for_is_found() -> None:
    assert broken_law(PIPS, followers={}) == "reaches"


def test_a_failure_tells_the_story_that_led_there() -> None:
    with pytest.raises(LawBroken) as failure:
        tried(PIPS, recount=lambda roll: {"total": -1})

    assert "seed kit-0" in failure.value.story[0]
    assert "Resolve" in failure.value.story[-1]
    assert failure.value.story[-1] in str(failure.value)


def test_a_voided_roll_that_still_counts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "REOPENING", ())
    assert broken_law(PIPS) == "voids"


@pytest.mark.parametrize(("law", "ruleset"), BROKEN.values(), ids=BROKEN)
def test_a_broken_system_is_told_the_law_it_breaks(law: str, ruleset: Ruleset) -> None:
    assert broken_law(ruleset) == law


def test_every_law_has_been_seen_broken() -> None:
    elsewhere = {"reaches", "voids", "recount"}
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
