"""Age of Magic keeps every law of a ruleset, on histories drawn from its own offers."""

from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.age_of_magic import RULESET

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
}
"""What the kit tries it with."""


@pytest.mark.prove
def test_age_of_magic_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"age of magic-{seed}")

    assert report.histories >= count
    assert report.links == {"damage", "soak"}
    assert report.amended and report.voided
    assert report.degrees == {"success", "failure", "result", "damage", "soak"}
