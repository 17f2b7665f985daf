"""What follows a roll of Scarterra: damage, soaks and further tries, amended and voided with it."""

import pytest

from tests.rules.scarterra.table import Cast, dots, hit, offered, seated
from urim.errors import Refused
from urim.projections.outcomes import outcomes, so_far


@pytest.fixture
def cast() -> Cast:
    """A table with Ann, Bert who can soak, and Cid."""
    return seated()


def test_each_further_try_is_harder_up_to_10(cast: Cast) -> None:
    table, ann, _, _ = cast
    roll = table.declare(ann, dots=1, difficulty=8)
    for difficulty in (9, 10, 10):
        roll.roll(faces=[5])
        assert roll.resolve().degree == "failure"
        assert roll.offers[0].note == f"The next try is at difficulty {difficulty}."
        roll = table.declare(ann, dots=1, follows=(roll, "again"))
        assert roll.state.roll.declaration.difficulty is None
    roll.roll(faces=[10])
    last = roll.resolve()
    assert (last.degree, last.figures["difficulty"], last.figures["further_try"]) == (
        "marginal",
        10,
        3,
    )
    assert offered(roll) == []


def test_circumstances_may_change_between_tries(cast: Cast) -> None:
    table, ann, _, _ = cast
    roll = table.declare(ann, dots=1, difficulty=8)
    roll.roll(faces=[1])
    roll.resolve()
    easier = table.declare(ann, dots=1, difficulty=5, follows=(roll, "again"))
    easier.roll(faces=[5])
    assert easier.resolve().figures["difficulty"] == 6


def test_neither_an_attack_nor_a_reflexive_roll_is_tried_again(cast: Cast) -> None:
    table, ann, bert, _ = cast
    shot = hit(table, ann, bert, faces=[2, 2, 2])
    assert offered(shot) == []
    saddle = table.declare(ann, dots=1, reflexive=True)
    saddle.roll(faces=[2])
    saddle.resolve()
    assert offered(saddle) == []


def test_a_hit_that_nobody_soaks_is_applied_by_the_attack(cast: Cast) -> None:
    table, ann, bert, _ = cast
    attack = hit(table, ann, bert, weapon=1)
    assert offered(attack) == ["apply_damage", "declare soak"]
    assert attack.offers[1].note == "Soaked with Stamina + Armor, at difficulty 6."
    found = attack.apply_damage()
    assert (found.target, found.amount) == (bert.id, 4)
    assert found.figures == {
        "attack": 3,
        "weapon": 1,
        "damage": 4,
        "left": 4,
        "filled": 4,
        "wound_penalty": -2,
    }
    assert bert.sheet.tracks["wounds"] == 4
    assert offered(attack) == []


@pytest.mark.parametrize(
    ("faces", "soaked", "left"),
    [([6, 6, 6], 3, 0), ([6, 6, 1], 1, 2), ([2, 2, 2], 0, 3), ([1, 1, 1], 0, 3)],
)
def test_a_soak_takes_from_the_damage_and_applies_what_is_left(
    cast: Cast, faces: list[int], soaked: int, left: int
) -> None:
    table, ann, bert, _ = cast
    attack = hit(table, ann, bert)
    soak = table.declare(bert, follows=(attack, "soak"))
    assert offered(attack) == []
    soak.roll(faces=faces)
    soaked_by = soak.resolve()
    assert (soaked_by.figures["kind"], soaked_by.figures["attack"]) == ("soak", 3)
    assert dots(soaked_by) == {"Stamina": 2, "Armor": 1}
    assert "for_example" not in soaked_by.figures
    found = soak.apply_damage()
    assert (found.target, found.figures["soaked"], found.amount) == (bert.id, soaked, left)
    assert bert.sheet.tracks.get("wounds", 0) == left


def test_a_soak_never_leaves_less_than_nothing(cast: Cast) -> None:
    table, ann, bert, _ = cast
    soak = table.declare(bert, follows=(hit(table, ann, bert, faces=[6]), "soak"))
    soak.roll(faces=[6, 6, 6])
    soak.resolve()
    assert soak.apply_damage().amount == 0


def test_the_last_wound_puts_a_character_out_and_no_more_is_counted(cast: Cast) -> None:
    table, ann, bert, _ = cast
    found = hit(table, ann, bert, weapon=6).apply_damage()
    shown = {"left": 9, "room": 7, "filled": 7, "beyond": 2, "out": True}
    assert found.figures.items() >= shown.items()
    assert found.amount == 9
    again = hit(table, ann, bert).apply_damage().figures
    assert again.items() >= {"left": 3, "room": 0, "filled": 0, "beyond": 3}.items()
    assert "out" not in again


def test_without_dots_to_soak_with_no_soak_is_offered(cast: Cast) -> None:
    table, ann, _, cid = cast
    assert offered(hit(table, ann, cid)) == ["apply_damage"]
    assert offered(hit(table, ann, cid, soak="Armor")) == ["apply_damage"]


@pytest.mark.parametrize(
    ("soak_by", "named", "readings"),
    [("Armor", None, ("soak_by",)), ("Stamina", None, ()), ("Armor", "Armor", ())],
)
def test_a_reading_that_leaves_nothing_to_soak_with_is_named_by_the_damage(
    soak_by: str, named: str | None, readings: tuple[str, ...]
) -> None:
    table, ann, _, _ = seated(soak_by=soak_by)
    bare = table.character("Bare", attributes={"Stamina": 2, "Armor": 0})
    attack = hit(table, ann, bare, soak=named, weapon=0)
    offered_soak = "declare soak" in offered(attack)
    assert offered_soak == (soak_by == "Stamina" and named is None)
    assert [name for name in attack.apply_damage().readings if name == "soak_by"] == list(readings)


def test_a_soak_is_in_the_open_as_the_blow_is(cast: Cast) -> None:
    table, ann, bert, _ = cast
    struck = hit(table, ann, bert)
    with pytest.raises(Refused, match="is public, not gm"):
        table.declare(bert, follows=(struck, "soak"), visibility="gm")


def test_an_amended_attack_is_soaked_again(cast: Cast) -> None:
    table, ann, bert, _ = cast
    attack = hit(table, ann, bert)
    soak = table.declare(bert, follows=(attack, "soak"))
    soak.roll(faces=[6, 2, 2])
    soak.resolve()
    soak.apply_damage()
    attack.amend("It was dark.", difficulty=8)
    assert (soak.state.state, soak.outcome and soak.outcome.figures["attack"]) == ("damaged", 1)
    assert bert.sheet.tracks.get("wounds", 0) == 0
    assert soak.state.damage is not None and soak.state.damage.amount == 0
    attack.amend("Pitch dark.", difficulty=9)
    assert soak.state.state == "voided"
    assert not [each for each in outcomes(table.state) if each.differs]


def test_an_amendment_of_what_is_soaked_with_needs_other_dice(cast: Cast) -> None:
    table, ann, bert, _ = cast
    attack = hit(table, ann, bert)
    soak = table.declare(bert, follows=(attack, "soak"))
    soak.roll(faces=[6, 2, 2])
    with pytest.raises(Refused, match="would not have been possible"):
        attack.amend("It burns.", soak="Stamina")


def test_an_amended_difficulty_goes_through_every_further_try(cast: Cast) -> None:
    table, ann, _, _ = cast
    first = table.declare(ann, dots=1, difficulty=6)
    first.roll(faces=[2])
    first.resolve()
    second = table.declare(ann, dots=1, follows=(first, "again"))
    second.roll(faces=[2])
    second.resolve()
    third = table.declare(ann, dots=1, follows=(second, "again"))
    third.roll(faces=[7])
    assert third.resolve().degree == "failure"
    first.amend("It was easy.", difficulty="easy")
    assert third.outcome is not None
    assert (third.outcome.degree, third.outcome.figures["difficulty"]) == ("marginal", 5)
    first.amend("Very easy.", difficulty=2)
    assert (second.state.state, third.state.state) == ("voided", "voided")


def test_an_amended_turn_tells_its_action(cast: Cast) -> None:
    table, ann, _, _ = cast
    stroke = table.declare(ann, dots=5)
    stroke.amend("One of two.", actions=2)
    stroke.roll(faces=[6, 6, 6])
    figures = stroke.resolve().figures
    assert (figures["action"], figures["actions"], figures["action_penalty"]) == (1, 2, -2)


def test_a_voided_soak_lets_the_attack_wound(cast: Cast) -> None:
    table, ann, bert, _ = cast
    attack = hit(table, ann, bert)
    soak = table.declare(bert, follows=(attack, "soak"))
    soak.void("Poison cannot be soaked.")
    assert so_far(table.state.game, soak.state) is None
    assert attack.apply_damage().amount == 3
