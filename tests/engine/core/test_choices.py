"""What a field may be filled with now: only what the seat may fill, and see."""

from typing import Any

import pytest

from tests.engine.helpers.stage import fight
from urim.engine.core.choices import Choice, choices, named, rollables
from urim.engine.table import Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.projections.tables import TableState
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.forms import fields_of


def of_fight(field: str, seat: str = "p1", character: str = "c1", **given: Any) -> list[Any]:
    """The values that a field of Etgar's declaration may take."""
    table, _, _ = fight()
    return values(table, field, seat, character, **given)


def values(
    table: Table, field: str, seat: str = "p1", character: str = "c1", **given: Any
) -> list[Any]:
    """The values of a field's choices."""
    return [choice.value for choice in choices(table.state, seat, character, field, **given)]


def test_a_rating_is_picked_from_the_characters_own_sheet() -> None:
    table, _, _ = fight()
    assert choices(table.state, "p1", "c1", "attribute") == (
        Choice("BLE", "BLE", 3),
        Choice("VIG", "VIG", 2),
        Choice("wind", "wind", 2),
    )


def test_another_character_is_picked_by_name() -> None:
    table, _, _ = fight()
    assert choices(table.state, "p1", "c1", "opponent") == (Choice("c2", "Toad"),)
    assert choices(table.state, "p2", "c2", "opponent") == (Choice("c1", "Etgar"),)


def test_a_line_of_a_chart_has_its_number() -> None:
    table, _, _ = fight()
    found = choices(table.state, "p1", "c1", "target")
    assert found[2] == Choice("average", "average", 2)
    assert of_fight("circumstances")[-1] == "ambushed"


def test_a_root_is_picked_from_the_tables_own_and_the_characters_come_first() -> None:
    table, _, _ = fight()
    mine = choices(table.state, "p1", "c1", "root")
    theirs = choices(table.state, "p2", "c2", "root")
    assert mine[0] == Choice("רוח", "רוח (wind)")
    assert theirs[0] == Choice("חננ", "חננ (jump)")
    assert {choice.value for choice in mine} == {choice.value for choice in theirs}


def test_a_type_names_its_own_values_of_a_list_the_items_of_an_object_the_keys() -> None:
    assert of_fight("combat") == [True, False]
    assert of_fight("dice") == ["blue", "green", "red"]
    assert of_fight("status.colours") == ["blue", "green", "red"]
    assert of_fight("status.rerolls") == ["X"]
    assert of_fight("rating") == of_fight("modifiers") == []


def test_another_sheet_is_that_of_whom_the_form_names() -> None:
    table = FixtureTable("majesty")
    table.character("Ari", attributes={"Precision": 9})
    bo = table.character("Bo", attributes={"Guard": 4})
    assert values(table, "opposing_attribute") == []
    assert values(table, "opposing_attribute", so_far={"opponent": bo.id}) == ["Guard"]
    assert values(table, "opposing_attribute", so_far={"opponent": 7}) == []


def test_what_is_offered_limits_what_may_be_picked() -> None:
    table = FixtureTable("age_of_magic")
    ari = table.character("Ari", attributes={"Swords": 9, "AG": 5})
    table.character("Bo", attributes={"luck": 1, "unluck": 1})
    table.character("Cid", attributes={"AG": 5})
    table.declare(ari, skill="Swords", characteristic="AG", difficulty=12, targets=["c2"])
    state = table.state
    assert choices(state, "p2", "c2", "fate", reacts_to=1) == (
        Choice("luck", "Luck"),
        Choice("unluck", "Unluck"),
    )
    assert [each.label[:2] for each in choices(state, "p2", "c2", "modifier", reacts_to=1)] == [
        "+3",
        "−3",
    ]
    with pytest.raises(Refused, match="offers Cid no such answer") as refused:
        choices(state, "p3", "c3", "fate", reacts_to=1)
    assert refused.value.code == "not-offered"
    assert refused.value.allowed == ("Bo",)


def test_a_counter_picks_from_the_roots_that_are_offered() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, root="רוח", rating=1, opponent=toad.id, combat=True)
    roll.react(root="חננ", rating=3)
    roll.roll(faces=tuple("חננגכלקב"))
    roll.stand()
    roll.roll(faces=tuple("חנגכלקבט"))
    roll.stand()
    roll.resolve()
    [offer] = (each for each in roll.offers if each.trigger == "declare")
    found = values(table, "root", "p2", "c2", follows=(1, offer.link))
    assert found == list(offer.options) == ["חננ"]
    with pytest.raises(Refused, match="no such answer"):
        values(table, "root", "p1", "c1", follows=(1, offer.link))


# --- what a seat may not fill, or see -------------------------------------------------------------


def test_only_a_narrator_picks_what_is_the_narrators() -> None:
    assert of_fight("leave", "narrator") == [True, False]
    with pytest.raises(Refused, match="leave is the narrator's to set"):
        of_fight("leave")


def test_nobody_picks_what_the_rules_fill_in() -> None:
    for seat in ("p1", "narrator"):
        with pytest.raises(Refused, match="filled in by the rules") as refused:
            of_fight("xr", seat)
        assert refused.value.code == "not-yours"


def test_an_answer_begins_as_a_roll_and_asks_for_what_it_needs() -> None:
    table, etgar, toad = fight()
    table.declare(etgar, root="רוח", rating=1, opponent=toad.id)
    found = rollables(table.state, "p2", "c2", reacts_to=1)
    assert [(each.declaration, each.asks) for each in found] == [
        ({"attribute": "GRA"}, ()),
        ({"attribute": "VIG"}, ("root",)),
        ({"skill": "jump"}, ("attribute",)),
    ]


@pytest.mark.parametrize(
    ("words", "alike", "left"),
    [
        ("parry hard", ["parry"], ["hard"]),
        ("Par", ["parry"], []),
        ("throw a s", ["throw a spear"], []),
        ("STONE 3", ["stone a cat"], ["3"]),
        ("throw A SPEAR", ["throw a spear"], []),
        ("pa", [], ["pa"]),
        ("dodg", ["dodge", "dodge low"], ["dodg"]),
    ],
)
def test_words_name_a_roll_by_its_name_or_how_that_begins(
    words: str, alike: list[str], left: list[str]
) -> None:
    names = ["throw a spear", "stone a cat", "parry", "dodge", "dodge low"]
    assert named(names, words.split()) == (alike, left)


def test_who_may_not_see_a_roll_is_told_nothing_of_it() -> None:
    table, etgar, toad = fight()
    ida = table.character("Ida", attributes={"BLE": 1})
    table.declare(etgar, root="רוח", rating=1, opponent=toad.id, visibility="gm")
    assert values(table, "attribute", "p2", "c2", reacts_to=1) == ["GRA", "VIG", "jump"]
    with pytest.raises(Refused) as refused:
        values(table, "attribute", "p3", ida.id, reacts_to=1)
    assert refused.value.code == "not-seen"


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({"field": "stength"}, "root"),
        ({"field": "status.r"}, "R"),
        ({"field": "root.first"}, "root"),
        ({"seat": "p9"}, "p1"),
        ({"character": "c9"}, "c1"),
        ({"reacts_to": 3}, "declare one first"),
    ],
)
def test_a_refusal_names_what_is_allowed(given: dict[str, Any], allowed: str) -> None:
    with pytest.raises(Refused) as refused:
        of_fight(**{"field": "attribute", **given})
    assert refused.value.code == "unknown"
    assert allowed in refused.value.allowed


@pytest.mark.parametrize("system", BUILT_IN)
def test_every_field_of_every_system_has_choices_or_is_refused(system: str) -> None:
    table = FixtureTable(system)
    table.character("Ari")
    state: TableState = table.state
    ruleset = ruleset_named(system)
    for each in fields_of(ruleset.Declaration):
        for seat in ("narrator", "p1"):
            by = ruleset.set_by(each.name)
            if by == "player" or (by == "narrator" and seat == "narrator"):
                assert all(each.label for each in choices(state, seat, "c1", each.name))
            else:
                with pytest.raises(Refused):
                    choices(state, seat, "c1", each.name)
