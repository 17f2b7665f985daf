"""Age of Magic keeps every law of a ruleset, on histories drawn from its own offers."""

from math import ceil, floor
from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.age_of_magic import RULESET
from urim.rules.ruleset import Roll

SCORES = {"Brawling": 6, "Fists": 1, "ST": 3, "Trance": 4, "WI": 5, "Lore": 0, "EN": -1}
CHARACTERS = [
    Who({**SCORES, "luck": 1}, {"tiredness": 2}),
    Who({**SCORES, "armour": 2, "luck": 1, "unluck": 1}, {"tiredness": 7}),
    Who({**SCORES, "talent:Brawling": 1, "unluck": 1}),
]
BASIC = {"skill": "Brawling", "characteristic": "ST"}
HIT = {**BASIC, "kind": "attack", "difficulty": 6, "targets": ["c2"]}
DECLARATIONS: list[dict[str, Any]] = [
    {**BASIC, "difficulty": 8},
    {
        **BASIC,
        "specialism": "Fists",
        "specialisms": ["Lore"],
        "modifiers": {"dark": -2.5},
        "push": True,
        "difficulty": 9,
    },
    {**BASIC, "luck": 3, "difficulty": 11.5, "targets": ["c2", "c3"]},
    {**BASIC, "luck": -3, "difficulty": 4},
    {"skill": "Lore", "characteristic": "EN", "no_knowledge": True},
    {"skill": "Lore", "characteristic": "EN", "luck": 3, "difficulty": 1},
    {"skill": "Trance", "characteristic": "WI", "kind": "trance"},
    {"skill": "Lore", "characteristic": "WI", "kind": "tiring", "difficulty": 9.5},
    HIT,
    {**HIT, "weapon": 14, "talent": True},
    {**HIT, "targets": ["c3"], "weapon": 8.5, "limitation": True},
    {**HIT, "targets": ["c1"], "weapon": 20},
    {**BASIC, "targets": ["c1", "c2"], "difficulty": 9},
]
REACTIONS: list[dict[str, Any]] = [
    {"fate": fate, "modifier": modifier} for fate in ("luck", "unluck") for modifier in (3, -3)
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"push_floor": "allow", "overdraw_dice": 2},
    {"luck_v_unluck": "majority", "same_n_twice": False},
    {"best_result": "by_modifier", "overdraw_dice": 1},
    {"ceiling": "none", "same_n_twice": False},
]


def recount(roll: Roll) -> dict[str, Any]:
    """Results, degrees and levels, counted in points from what the outcome says of the basic."""
    assert roll.outcome is not None
    figures, declared = roll.outcome.figures, roll.declaration
    basic = int(figures["basic"]) / 2
    assert basic == sum(scores(roll))
    results: list[float] = []
    for hand in roll.hands:
        result = basic + sum(int(die.face) - 3 for die in hand.dice)
        results.append(min(basic, result) if roll.options.ceiling == "basic" else result)
    result = int(figures["result"]) / 2
    assert result in results
    assert ("stands" in figures) == (len(results) > 1)
    if "luck" in figures and not any("unluck" in key or "_of_others" in key for key in figures):
        high = figures["luck"] == 6 or roll.options.best_result == "by_role"
        assert result == (max if high else min)(results)
    found: dict[str, Any] = {"result": 2 * result, "margin": 2 * result}
    if declared.kind in ("simple", "attack", "trance", "tiring") and "difficulty" in figures:
        needed = 5 if declared.difficulty is None else declared.difficulty
        found |= {"margin": 2 * (result - needed)}
        found["degree"] = "success" if result >= needed else "failure"
        if declared.kind == "trance":
            found["levels_regained"] = max(0, 1 + floor((result - needed) / 5))
        if declared.kind == "tiring":
            found["levels_lost"] = max(0, ceil((needed - result) / 5))
    if declared.kind == "soak":
        found["steps_down"] = min(6, max(0, ceil(result / 5)))
    return found


def scores(roll: Roll) -> list[float]:
    """Everything that makes the basic value, in points."""
    declared = roll.declaration
    halves = [declared.skill_halves, declared.specialism_halves, declared.characteristic_halves]
    halves += declared.specialisms_halves or ()
    found = [each / 2 for each in halves]
    found += declared.modifiers.values()
    found.append(
        2 * declared.talent
        - 2 * declared.limitation
        + 3 * declared.push
        - 3 * declared.no_knowledge
    )
    found.append((0, 0, -0.5, -1, -1.5, -2, -3, -4, -4)[declared.tired])
    found += [declared.luck or 0, *(given.modifier for _, given in roll.reactions if given)]
    if declared.kind == "damage":
        found += [declared.weapon, declared.margin_halves // 2 / 2]
    return found


TRIAL: dict[str, Any] = {
    "characters": CHARACTERS,
    "declarations": DECLARATIONS,
    "reactions": REACTIONS,
    "followers": {
        "damage": [{}, {"modifiers": {"from behind": 4}, "push": True}],
        "soak": [BASIC, {"skill": "Lore", "characteristic": "EN"}],
    },
    "amendments": [
        {"difficulty": 3},
        {"difficulty": 12.5},
        {"modifiers": {"dark": -0.5}},
        {"no_knowledge": True},
        {"weapon": 11},
        {"push": True},
        {"modifier": 3},
    ],
    "options": OPTIONS,
    "recount": recount,
}
"""What the kit tries it with."""


@pytest.mark.prove
def test_age_of_magic_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"age of magic-{seed}")

    assert report.histories >= count
    assert report.links == {"damage", "soak"}
    assert report.amended and report.voided
    assert report.degrees == {"success", "failure", "result", "damage", "soak"}
