"""Pools, difficulties, actions and wounds: what is fixed before the dice fall in Scarterra."""

from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.rules.rolls import sheet
from tests.rules.scarterra.rolls import ANN, BERT, CID, scarterra
from urim.errors import Refused
from urim.rules.scarterra import RULESET, Declaration, Options, Reaction
from urim.rules.scarterra.options import DIFFICULTIES
from urim.rules.scarterra.settle import action_penalty, difficulty_of, pool

RATINGS = {"Dexterity": 3, "Archery": 2, "Wits": 2, "Ride": 0, "Willpower": 4, "Stamina": 3}
ARCHERY: dict[str, Any] = {"attribute": "Dexterity", "ability": "Archery"}


def settled(
    options: dict[str, Any] | None = None, wounds: int = 0, link: str | None = None, **declared: Any
) -> Any:
    """Ann's declaration once it is settled."""
    who = sheet(ANN, RATINGS, wounds=wounds)
    found, effects = RULESET.settle(Options(**options or {}), Declaration(**declared), who, link)
    assert effects == ()
    return found


def dice(options: dict[str, Any] | None = None, wounds: int = 0, **declared: Any) -> int:
    """How many dice Ann throws."""
    return pool(settled(options, wounds, **declared), Options(**options or {})).dice


def test_firing_a_bow_is_dexterity_and_archery() -> None:
    assert dice(**ARCHERY) == 5
    assert settled(**ARCHERY).difficulty == 6


def test_one_trait_may_be_rolled_alone_and_an_ability_may_have_no_dots() -> None:
    assert dice(attribute="Willpower") == 4
    assert dice(attribute="Wits", ability="Ride") == 2


def test_modifiers_add_dice_and_dots_may_be_declared() -> None:
    assert dice(**ARCHERY, modifiers={"rain": -1, "steady": 2}) == 6
    assert dice(dots=7, modifiers={"rain": -1}) == 6
    assert dice(**ARCHERY, dots=9) == 9
    assert dice(dots=100) == 100


def test_traits_may_be_named_for_the_story_where_the_dots_are_declared() -> None:
    found = settled(attribute="Malice", ability="Spite", dots=3)
    assert (found.attribute_dots, found.ability_dots) == (0, 0)
    assert pool(found, Options()).dots == {"declared": 3}


@pytest.mark.parametrize("number", [2, *DIFFICULTIES, 10])
def test_every_difficulty_from_2_to_10_is_accepted(number: int) -> None:
    assert settled(dots=1, difficulty=number).difficulty == number


@pytest.mark.parametrize(("number", "line"), DIFFICULTIES.items())
def test_every_difficulty_of_the_chart_has_its_name(number: int, line: Any) -> None:
    assert settled(dots=1, difficulty=line.name).difficulty == number


def test_a_settled_declaration_no_longer_needs_the_sheet() -> None:
    found = settled(wounds=2, **ARCHERY, difficulty="Easy")
    assert (found.attribute_dots, found.ability_dots, found.wounds) == (3, 2, 2)
    assert msgspec.convert(msgspec.to_builtins(found), Declaration) == found
    again, _ = RULESET.settle(Options(), found, sheet(ANN, RATINGS, wounds=2), None)
    assert again == found
    soak, _ = RULESET.settle(Options(), Declaration(), sheet(ANN, RATINGS), "soak")
    assert RULESET.settle(Options(), soak, sheet(ANN, RATINGS), "soak") == (soak, ())


@pytest.mark.parametrize(
    ("actions", "penalties"), [(1, [0]), (2, [-2, -3]), (3, [-3, -4, -5]), (4, [-4, -5, -6, -7])]
)
def test_several_actions_lose_dice_each_one_more(actions: int, penalties: list[int]) -> None:
    every = [action_penalty(action, actions) for action in range(1, actions + 1)]
    assert every == penalties


def test_three_actions_with_a_pool_of_six_leave_3_2_and_1() -> None:
    assert [dice(dots=6, action=action, actions=3) for action in (1, 2, 3)] == [3, 2, 1]


@pytest.mark.parametrize("action", [1, 2, 3])
def test_a_pool_of_five_bears_no_three_actions(action: int) -> None:
    with pytest.raises(Refused, match=r"5|0") as refused:
        settled(dots=5, action=action, actions=3)
    assert refused.value.code == "out-of-range"


@given(st.integers(0, 20), st.integers(2, 9), st.integers(1, 9))
def test_a_turn_is_refused_as_soon_as_any_pool_would_be_gone(
    dots: int, actions: int, action: int
) -> None:
    assume(action <= actions)
    left = [dots - actions - number + 1 for number in range(1, actions + 1)]
    each = {"actions_by": "each"}
    declared: dict[str, Any] = {"dots": dots, "action": action, "actions": actions}
    for options, enough in ((None, min(left) >= 1), (each, left[action - 1] >= 1)):
        if enough:
            assert dice(options, **declared) == left[action - 1]
        else:
            with pytest.raises(Refused):
                settled(options, **declared)


@pytest.mark.parametrize(
    ("wounds", "penalty"), [(0, 0), (1, 0), (2, -1), (3, -1), (4, -2), (5, -2), (6, -5)]
)
def test_ordinary_rolls_pay_for_wounds(wounds: int, penalty: int) -> None:
    assert dice(None, wounds, dots=8) == 8 + penalty
    assert dice(None, wounds, attribute="Willpower", modifiers={"more": 4}) == 8 + penalty


@pytest.mark.parametrize(
    ("declared", "left"),
    [
        ({"attribute": "Willpower"}, 4),
        ({"attribute": "Stamina"}, 3),
        ({"attribute": "Wits"}, 2),
        ({"dots": 5}, 5),
        ({"attribute": "Dexterity", "ability": "Archery"}, 3),
        ({"attribute": "Dexterity", "ability": "Ride"}, 1),
    ],
)
def test_reflexive_rolls_pay_only_where_they_take_an_attribute_and_an_ability(
    declared: dict[str, Any], left: int
) -> None:
    assert dice(None, 4, **declared, reflexive=True) == left


def test_whoever_is_out_of_action_rolls_only_what_pays_no_wounds() -> None:
    assert dice(None, 7, attribute="Willpower", reflexive=True) == 4
    with pytest.raises(Refused, match="out of action: 7 wounds"):
        settled(None, 7, **ARCHERY)
    with pytest.raises(Refused, match="out of action"):
        settled(None, 7, **ARCHERY, reflexive=True)


def test_a_soak_takes_what_there_is_of_stamina_and_armor() -> None:
    found = settled(None, 3, "soak")
    assert (found.attribute_dots, found.ability_dots, found.wounds) == (3, 0, 3)
    assert (found.difficulty, found.reflexive) == (6, True)


def test_an_opponent_rolls_at_6_and_a_helper_at_the_difficulty_of_the_roll() -> None:
    resisted = scarterra(declined=(BERT,), difficulty=8)
    reaction, effects = RULESET.answer(resisted, Reaction(dots=2), sheet(BERT))
    assert reaction is not None
    assert (reaction.difficulty, effects) == (6, ())
    helped = scarterra(declined=(CID,), difficulty=8)
    reaction, _ = RULESET.answer(helped, Reaction(dots=2), sheet(CID))
    assert reaction is not None
    assert reaction.difficulty is None
    assert difficulty_of(helped, reaction, Options()) == 8
    assert RULESET.answer(helped, None, sheet(CID)) == (None, ())


def test_a_reaction_pays_for_wounds_and_actions_unless_it_is_reflexive() -> None:
    roll = scarterra(declined=(BERT,))
    who = sheet(BERT, {"Wits": 4, "Dodge": 4}, wounds=4)
    for wish, left in (
        (Reaction(attribute="Wits", ability="Dodge", action=1, actions=2), 4),
        (Reaction(attribute="Wits", ability="Dodge", reflexive=True), 6),
        (Reaction(attribute="Wits", reflexive=True), 4),
    ):
        reaction, _ = RULESET.answer(roll, wish, who)
        assert reaction is not None
        assert pool(reaction, Options()).dice == left


def test_opponent_and_helpers_are_involved() -> None:
    assert RULESET.involves(Declaration(opponent=BERT)) == (BERT,)
    assert RULESET.involves(Declaration(helpers=(CID, BERT))) == (CID, BERT)
    assert RULESET.involves(Declaration()) == ()


def test_what_nobody_declares_are_fields() -> None:
    assert set(RULESET.settled) <= set(Declaration.__struct_fields__)
    assert RULESET.narrators == ()
