"""Damage and soak in Age of Magic, what amendments do to them, and what a void gives back."""

from typing import Any

import pytest

from tests.rules.age_of_magic.table import Cast, done
from urim.engine.core.choices import rollables
from urim.engine.table import RollHandle
from urim.errors import Refused
from urim.rules.age_of_magic.damage import NAMES, steps_down, wound
from urim.rules.ruleset import Damage

SOAK: dict[str, Any] = {"skill": "Lore", "characteristic": "WI"}


@pytest.mark.parametrize(
    ("points", "name"),
    [
        (-4, "None"),
        (0, "None"),
        (0.5, "Scratch"),
        (3, "Scratch"),
        (3.5, "Light"),
        (6, "Light"),
        (9, "Medium"),
        (9.5, "Serious"),
        (12, "Serious"),
        (15, "Critical"),
        (15.5, "Fatal"),
        (99, "Fatal"),
    ],
)
def test_damage_names_the_wound(points: float, name: str) -> None:
    assert NAMES[wound(round(2 * points))] == name


@pytest.mark.parametrize(
    ("result", "steps"),
    [(-5, 0), (0, 0), (0.5, 1), (5, 1), (5.5, 2), (10, 2), (15, 3), (20, 4), (25, 5), (25.5, 6)],
)
def test_a_soak_takes_steps_off(result: float, steps: int) -> None:
    assert steps_down(round(2 * result)) == steps


def hurt(cast: Cast, soak: float | None = None, weapon: float = 16) -> tuple[RollHandle, Damage]:
    """Cogan hits Tor by 2 points; with weapon 16 that makes 20 points of damage, perhaps soaked."""
    attack = cast.attack(cast.tor, difficulty=7, weapon=weapon)
    roll = cast.follow(attack, cast.cogan, "damage")
    if soak is not None:
        declared = SOAK | {"points": {"WI": soak}}
        roll = cast.follow(roll, cast.tor, "soak", **declared)
    return roll, roll.apply_damage()


def test_a_sheet_begins_a_soak() -> None:
    cast = Cast()
    damage = cast.follow(cast.attack(cast.tor, difficulty=7), cast.cogan, "damage")
    tor, state = cast.tor, cast.table.state
    every = rollables(state, tor.seat, tor.id)
    found = rollables(state, tor.seat, tor.id, follows=(damage.number, "soak"))
    assert found[0].declaration == {"skill": found[0].name}
    assert {each.asks for each in found} == {("characteristic",)}
    assert {each.name for each in found} == {each.name for each in every}


def test_the_authors_example() -> None:
    cast = Cast()
    roll, found = hurt(cast)
    assert roll.outcome is not None
    assert roll.outcome.figures["basic"] == 40
    assert roll.outcome.figures["margin_of_the_hit"] == 2
    assert found.figures["through"] == 30
    tor = cast.table.character("Big Tor", attributes={"ST": 6, "armour": 2})
    again = cast.follow(cast.attack(tor, difficulty=7, weapon=16), cast.cogan, "damage")
    found = again.apply_damage()
    assert (found.figures["through"], found.figures["wound"]) == (24, "Serious")
    assert (found.amount, tor.sheet.tracks["serious"]) == (4, 1)


def test_a_soak_of_seven_makes_serious_light() -> None:
    cast = Cast()
    _, found = hurt(cast, soak=7, weapon=13)
    assert found.figures["through"] == 24
    assert found.figures["before_the_soak"] == "Serious"
    assert found.figures["steps_down"] == 2
    assert (found.target, found.figures["wound"]) == ("c3", "Light")
    assert cast.tor.sheet.tracks["light"] == 1
    assert cast.tor.sheet.tracks.get("serious", 0) == 0


def test_half_points_of_the_margin_do_not_count() -> None:
    cast = Cast()
    attack = cast.attack(cast.tor, difficulty=5.5, weapon=4)
    damage = cast.follow(attack, cast.cogan, "damage")
    assert damage.outcome is not None
    assert damage.outcome.figures["margin_of_the_hit"] == 3  # of 3½ points three


def test_damage_may_be_risked_too() -> None:
    cast = Cast(ceiling="none")
    attack = cast.attack(cast.tor, difficulty=7, weapon=16)
    damage = cast.follow(attack, cast.cogan, "damage", 6, 6)
    assert damage.outcome is not None
    assert (damage.outcome.degree, damage.outcome.figures["result"]) == ("damage", 52)
    assert damage.outcome.readings == ("ceiling",)
    assert damage.apply_damage().readings == ("ceiling",)


def test_nothing_is_left_of_a_small_hit() -> None:
    cast = Cast()
    _, found = hurt(cast, weapon=-5)
    assert (found.amount, found.effects, found.figures["wound"]) == (0, (), "None")


def test_a_miss_does_no_damage() -> None:
    cast = Cast()
    assert cast.attack(cast.tor, difficulty=12).offers == ()


def test_the_target_may_be_lucky_against_the_damage() -> None:
    cast = Cast()
    attack = cast.attack(cast.mara, difficulty=7, weapon=10)
    damage = cast.table.declare(cast.cogan, follows=(attack, "damage"))
    damage.react(fate="luck", modifier=-3)
    assert done(damage, (1,), (6,)).figures["result"] == 18


def test_a_soak_comes_before_the_wound_and_once() -> None:
    cast = Cast()
    attack = cast.attack(cast.tor, difficulty=7, weapon=16)
    damage = cast.follow(attack, cast.cogan, "damage")
    assert [(o.trigger, o.link, o.character) for o in damage.offers] == [
        ("declare", "soak", "c3"),
        ("apply_damage", "", "c1"),
    ]
    soak = cast.follow(damage, cast.tor, "soak", **SOAK)
    assert damage.offers == ()
    soak.apply_damage()
    assert soak.offers == ()


# --- amendments and voids -------------------------------------------------------------------------


def test_an_amended_attack_settles_damage_and_soak_again() -> None:
    cast = Cast()
    attack = cast.attack(cast.tor, difficulty=7, weapon=16)
    damage = cast.follow(attack, cast.cogan, "damage")
    soak = cast.follow(damage, cast.tor, "soak", **SOAK)
    soak.apply_damage()
    before = soak.state.damage
    assert before is not None and before.figures["through"] == 30
    attack.amend("it was half dark", difficulty=9, weapon=10)
    after = soak.state.damage
    assert soak.state.state == "damaged"
    assert after is not None and after.figures["through"] == 16
    attack.amend("it was pitch dark", difficulty=12)
    assert [roll.state.state for roll in (attack, damage, soak)] == ["resolved", "voided", "voided"]


def test_an_amendment_that_would_need_other_dice_is_refused() -> None:
    cast = Cast()
    roll = cast.declare(difficulty=12)
    done(roll, (1, 1, 1))
    roll.amend("it was light", modifiers={"light": 2})
    assert roll.outcome is not None and roll.outcome.figures["result"] == 10
    with pytest.raises(Refused, match="would not have been possible: 3 dice of first"):
        roll.amend("it was dark", modifiers={"dark": -1})
    with pytest.raises(Refused, match="would wait for: roll second"):
        roll.amend("he said he was lucky", luck=3)


def test_a_push_cannot_be_amended_for_nothing() -> None:
    cast = Cast()
    roll = cast.declare()
    with pytest.raises(Refused, match="c1 would have paid another price"):
        roll.amend("he pushed", push=True)
    done(roll)
    with pytest.raises(Refused, match="c1 would have paid another price"):
        roll.amend("he pushed", push=True)
    pushed = cast.declare(push=True)
    with pytest.raises(Refused, match="c1 would have paid another price"):
        pushed.amend("he did not", push=False)
    assert cast.cogan.sheet.tracks["tiredness"] == 2


def test_a_replaced_declaration_pays_its_own_price() -> None:
    cast = Cast(tired=2)
    roll = cast.declare(push=True)
    roll.replace("he only meant to", push=False)
    assert cast.cogan.sheet.tracks["tiredness"] == 2
    assert done(roll).figures["tiredness:Slightly tired"] == -1


def test_what_a_voided_attack_did_is_undone() -> None:
    cast = Cast()
    attack = cast.attack(cast.tor, difficulty=7, weapon=16)
    damage = cast.follow(attack, cast.cogan, "damage", push=True)
    damage.apply_damage()
    assert cast.tor.sheet.tracks["fatal"] == 1
    attack.void("he was never there")
    assert cast.tor.sheet.tracks.get("fatal", 0) == 0
    assert cast.cogan.sheet.tracks["tiredness"] == 1
