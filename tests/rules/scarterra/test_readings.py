"""Every value of every reading of Scarterra, each with a roll that comes out otherwise by it."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.rules.rolls import sheet, sheets
from tests.rules.scarterra.rolls import ANN, BERT, CID, DORA, outcome, scarterra
from tests.rules.scarterra.table import dots, hit, now, offered, seated
from urim.errors import Refused
from urim.rules.readings import readings_of
from urim.rules.scarterra import RULESET, Declaration, Options
from urim.rules.scarterra.settle import pool


def read(name: str, value: Any, *rounds: Any, **declared: Any) -> tuple[str, int]:
    """Degree and margin under that value of a reading, which must have decided them."""
    found = outcome(*rounds, options={name: value}, **declared)
    assert found.readings == (name,)
    return found.degree, found.margin


@pytest.mark.parametrize(
    ("value", "degree", "winner"),
    [("defender", "failure", BERT), ("attacker", "marginal", ANN), ("neither", "standoff", None)],
)
def test_a_tie_leaves_0_and_the_reading_says_who_holds(
    value: Any, degree: str, winner: str | None
) -> None:
    hands = {"initiator": (6, 7), "reactor": (8, 9)}
    assert read("resisted_tie", value, hands, opponent={}) == (degree, 0)
    found = outcome(hands, opponent={}, options={"resisted_tie": value})
    assert found.figures.get("winner") == winner
    assert "winner_degree" not in found.figures
    binary = outcome(hands, opponent={}, options={"resisted_tie": value}, binary=True)
    assert binary.degree == ("success" if value == "attacker" else degree)


@pytest.mark.parametrize(("value", "degree"), [("ruin", "botch"), ("setback", "partial success")])
def test_a_botch_ruins_the_work_or_sets_it_back(value: Any, degree: str) -> None:
    faces = ((6, 6), (1, 2), (6, 2))
    total = -9 if value == "ruin" else -8
    assert read("extended_botch", value, *faces, target=9) == (degree, total)


def test_work_that_was_set_back_goes_on() -> None:
    table, ann, _, _ = seated(extended_botch="setback")
    sword = table.declare(ann, dots=2, target=9)
    sword.roll(faces=[6, 6])
    sword.roll(faces=[1, 2])
    assert (now(sword).degree, now(sword).figures["total"]) == ("failure", 0)
    assert offered(sword) == ["roll 3:initiator", "resolve"]


@pytest.mark.parametrize(
    ("value", "degree", "margin"), [("all", "marginal", 1), ("any", "botch", 0)]
)
def test_one_botch_ruins_what_several_do_or_all_must_botch(
    value: Any, degree: str, margin: int
) -> None:
    hands = {"initiator": (6, 7), f"helper:{CID}": (1,), f"helper:{DORA}": (2,)}
    found = outcome(hands, options={"cooperative_botch": value}, helpers=({}, {}))
    assert (found.degree, found.margin) == (degree, margin)
    assert found.readings == ("below_zero", "cooperative_botch")


@pytest.mark.parametrize(("value", "together", "left"), [("counts", 1, 3), ("stops", 2, 2)])
def test_more_1s_than_successes_count_for_the_others_or_for_nobody(
    value: Any, together: int, left: int
) -> None:
    helped = {"initiator": (6, 7), f"helper:{CID}": (6, 1, 1)}
    assert read("below_zero", value, helped, helpers=({},))[1] == together
    against = {"initiator": (6, 7), "reactor": (6, 1, 1)}
    assert read("below_zero", value, against, opponent={})[1] == left


@pytest.mark.parametrize(
    ("tie", "degree", "winner"),
    [("defender", "failure", BERT), ("attacker", "marginal", ANN), ("neither", "standoff", None)],
)
def test_neither_side_without_a_success_wins_unless_that_is_a_tie(
    tie: Any, degree: str, winner: str | None
) -> None:
    hands = {"initiator": (2, 6, 1), "reactor": (3,)}
    assert read("tie_at_zero", "failure", hands, opponent={}) == ("failure", 0)
    found = outcome(hands, opponent={}, options={"tie_at_zero": "tie", "resisted_tie": tie})
    assert (found.degree, found.figures.get("winner")) == (degree, winner)
    assert found.readings == ("resisted_tie", "tie_at_zero")


@pytest.mark.parametrize(("value", "difficulty"), [(0, 6), (1, 7), (2, 8), (8, 10)])
def test_a_further_try_is_as_much_harder_as_is_read(value: int, difficulty: int) -> None:
    table, ann, _, _ = seated(retry_step=value)
    first = table.declare(ann, dots=1)
    first.roll(faces=[2])
    first.resolve()
    assert first.offers[0].note == f"The next try is at difficulty {difficulty}."
    second = table.declare(ann, dots=1, follows=(first, "again"))
    second.roll(faces=[7])
    found = second.resolve()
    assert (found.figures["difficulty"], found.readings) == (difficulty, ("retry_step",))
    assert found.degree == ("marginal" if difficulty <= 7 else "failure")


def test_a_try_that_cannot_be_harder_consults_no_reading() -> None:
    table, ann, _, _ = seated()
    first = table.declare(ann, dots=1, difficulty=10)
    first.roll(faces=[2])
    first.resolve()
    second = table.declare(ann, dots=1, follows=(first, "again"))
    second.roll(faces=[7])
    assert second.resolve().readings == ()


def test_a_turn_is_judged_as_a_whole_or_action_by_action() -> None:
    declared = Declaration(dots=5, action=1, actions=3)
    with pytest.raises(Refused, match="5 − 5"):
        RULESET.settle(Options(), declared, sheet(ANN), None)
    each = Options(actions_by="each")
    assert pool(RULESET.settle(each, declared, sheet(ANN), None)[0], each).dice == 2
    found = outcome((6, 6), dots=5, action=1, actions=3, options={"actions_by": "each"})
    assert found.readings == ("actions_by",)
    assert found.figures.items() >= {"action": 1, "actions": 3, "action_penalty": -3}.items()
    found = outcome((6, 6), dots=6, action=1, actions=3, options={"actions_by": "each"})
    assert found.readings == ()


@pytest.mark.parametrize(
    ("value", "penalty", "out_at"),
    [((0, -1, -1, -2, -2, -5), -1, 7), ((0, -1, -3), -3, 4), ((0, 0, -1, -1, -2, -2, -5), -1, 8)],
)
def test_the_health_levels_are_read(value: Any, penalty: int, out_at: int) -> None:
    found = outcome((6, 6), dots=5, wounds=3, options={"health_levels": value})
    assert (found.figures["wound_penalty"], found.figures["pool"]) == (penalty, 5 + penalty)
    assert found.readings == ("health_levels",)
    table, ann, bert, _ = seated(health_levels=list(value), weapon_damage=7)
    blow = hit(table, ann, bert, faces=[6]).apply_damage()
    assert blow.figures["filled"] == min(8, out_at)
    assert blow.figures.get("out", False) == (out_at <= 8)
    assert blow.readings == ("health_levels", "weapon_damage")


@pytest.mark.parametrize(
    ("value", "dice", "readings"),
    [
        (False, 3, ("soak_by", "soak_difficulty", "soak_pays_wounds")),
        (True, 1, ("health_levels", "soak_by", "soak_difficulty", "soak_pays_wounds")),
    ],
)
def test_a_wounded_soak_pays_or_does_not(value: bool, dice: int, readings: Any) -> None:
    table, ann, bert, _ = seated(soak_pays_wounds=value)
    hit(table, ann, bert, weapon=1).apply_damage()
    soak = table.declare(bert, follows=(hit(table, ann, bert), "soak"))
    soak.roll(faces=[2] * dice)
    assert soak.resolve().readings == readings


def test_a_soak_by_one_trait_pays_nothing_for_wounds() -> None:
    table, ann, bert, _ = seated(soak_pays_wounds=True)
    hit(table, ann, bert, weapon=1).apply_damage()
    soak = table.declare(bert, follows=(hit(table, ann, bert, soak="Stamina"), "soak"))
    assert len(soak.roll(faces=[2, 2])) == 2
    assert soak.resolve().readings == ("soak_difficulty",)


@pytest.mark.parametrize(
    ("value", "traits"),
    [
        ("Stamina", {"Stamina": 2}),
        ("Stamina + Armor", {"Stamina": 2, "Armor": 1}),
        ("Armor", {"Armor": 1}),
    ],
)
def test_the_attack_decides_what_soaks_or_the_reading(value: Any, traits: Any) -> None:
    for options, named in (({"soak_by": value}, None), ({}, value)):
        table, ann, bert, _ = seated(**options)
        attack = hit(table, ann, bert, soak=named)
        assert attack.offers[1].note == f"Soaked with {value}, at difficulty 6."
        soak = table.declare(bert, follows=(attack, "soak"))
        soak.roll(faces=[2] * sum(traits.values()))
        found = soak.resolve()
        assert dots(found) == traits
        assert ("soak_by" in found.readings) == (named is None)


@pytest.mark.parametrize(("value", "net"), [(2, 3), (6, 2), (8, 0), (10, 0)])
def test_a_soak_is_rolled_at_the_difficulty_that_is_read(value: int, net: int) -> None:
    table, ann, bert, _ = seated(soak_difficulty=value)
    attack = hit(table, ann, bert)
    assert attack.offers[1].note == f"Soaked with Stamina + Armor, at difficulty {value}."
    with pytest.raises(Refused, match="a soak at difficulty 5"):
        table.declare(bert, follows=(attack, "soak"), difficulty=5)
    soak = table.declare(bert, follows=(attack, "soak"), difficulty=value)
    soak.roll(faces=[7, 6, 2])
    found = soak.resolve()
    assert (found.figures["difficulty"], found.figures["net"]) == (value, net)
    assert "soak_difficulty" in found.readings


def test_whoever_declines_resists_with_nothing_or_not_at_all() -> None:
    zero = outcome((6, 1, 1), declined=(BERT,))
    assert (zero.degree, zero.margin, zero.readings) == ("failure", 0, ("declined",))
    assert (zero.figures["kind"], zero.figures["opponent_net"]) == ("resisted", 0)
    simple = outcome((6, 1, 1), declined=(BERT,), options={"declined": "simple"})
    assert (simple.degree, simple.margin, simple.readings) == ("failure", -1, ("declined",))
    assert simple.figures["kind"] == "simple" and "opponent" not in simple.figures
    assert zero.figures["declined"] == simple.figures["declined"] == [BERT]


@pytest.mark.parametrize(("value", "degree"), [("zero", "undecided"), ("simple", "botch")])
def test_a_botch_ruins_work_but_no_contest_even_if_the_opponent_declined(
    value: Any, degree: str
) -> None:
    found = outcome((6, 6), (1, 2), target=9, declined=(BERT,), options={"declined": value})
    assert found.degree == degree
    kind = "resisted and extended" if value == "zero" else "extended"
    assert found.figures["kind"] == kind


CONTEST = ({"initiator": (6, 6), "reactor": (6, 2)}, {"initiator": (6, 2), "reactor": (6, 2)})


@pytest.mark.parametrize(("value", "degree"), [("lead", "undecided"), ("own", "success")])
def test_a_contest_is_won_by_a_lead_or_by_a_sides_own_sum(value: Any, degree: str) -> None:
    found = read("resisted_extended", value, *CONTEST, opponent={}, target=3)
    assert found == (degree, 1)
    figures = outcome(*CONTEST, opponent={}, target=3, options={"resisted_extended": value}).figures
    sums = figures.get("gathered"), figures.get("opponent_gathered")
    assert sums == ((3, 2) if value == "own" else (None, None))
    assert (figures["round_total:1"], figures["round_total:2"]) == (1, 1)


@pytest.mark.parametrize(
    ("tie", "degree", "throws"),
    [("defender", "failure", 0), ("attacker", "success", 0), ("neither", "undecided", 1)],
)
def test_where_both_gather_the_target_at_once_the_tie_is_read(
    tie: Any, degree: str, throws: int
) -> None:
    options = {"resisted_extended": "own", "resisted_tie": tie}
    roll = scarterra(
        {"initiator": (6, 6), "reactor": (6, 6)}, opponent={}, target=2, options=options
    )
    found = RULESET.outcome(roll)
    assert (found.degree, found.margin) == (degree, 0)
    assert found.readings == ("resisted_extended", "resisted_tie")
    offers = RULESET.offers(roll, sheets())
    assert [offer.trigger for offer in offers].count("roll") == throws
    assert offers[0].note == "2 against 2 of 2 successes after 1 roll."


def test_of_two_who_gather_the_target_at_once_the_higher_sum_wins() -> None:
    for ours, theirs, degree in (((6, 6, 6), (6, 6), "success"), ((6, 6), (6, 6, 6), "failure")):
        hands = {"initiator": ours, "reactor": theirs}
        found = read("resisted_extended", "own", hands, opponent={}, target=2)
        assert found[0] == degree


@pytest.mark.parametrize(("value", "left"), [(0, 3), (1, 4), (2, 5)])
def test_a_weapon_of_which_nothing_is_said_adds_what_is_read(value: int, left: int) -> None:
    table, ann, bert, _ = seated(weapon_damage=value)
    found = hit(table, ann, bert).apply_damage()
    assert (found.amount, "weapon_damage" in found.readings) == (left, True)
    found = hit(table, ann, bert, weapon=0).apply_damage()
    assert (found.figures["damage"], "weapon_damage" in found.readings) == (3, False)


def test_a_tie_that_the_attacker_wins_does_his_weapons_damage() -> None:
    roll = scarterra(
        {"initiator": (6,), "reactor": (6,)},
        opponent={},
        combat=True,
        weapon=2,
        options={"resisted_tie": "attacker"},
    )
    blow = RULESET.damage(replace(roll, outcome=RULESET.outcome(roll)), sheets())
    assert (blow.amount, blow.figures["attack"]) == (2, 0)


def test_every_reading_has_its_test() -> None:
    assert [each.name for each in readings_of(Options)] == [
        "resisted_tie",
        "tie_at_zero",
        "below_zero",
        "declined",
        "resisted_extended",
        "extended_botch",
        "cooperative_botch",
        "retry_step",
        "actions_by",
        "health_levels",
        "soak_pays_wounds",
        "soak_by",
        "soak_difficulty",
        "weapon_damage",
    ]
