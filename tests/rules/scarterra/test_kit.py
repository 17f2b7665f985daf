"""Scarterra keeps every law of a ruleset, on histories drawn from its own offers."""

from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.scarterra import RULESET

RATINGS = {"Dexterity": 3, "Archery": 2, "Dodge": 2, "Stamina": 2, "Armor": 1, "Willpower": 4}
CHARACTERS = [
    Who(RATINGS),
    Who({**RATINGS, "Armor": 3}, {"wounds": 4}),
    Who({**RATINGS, "Dexterity": 2}, {"wounds": 2}),
]
SHOT = {"attribute": "Dexterity", "ability": "Archery", "opponent": "c2", "combat": True}
DECLARATIONS: list[dict[str, Any]] = [
    {"attribute": "Dexterity", "ability": "Dodge", "difficulty": "routine"},
    {"dots": 1, "difficulty": 10},
    {"dots": 1, "difficulty": 9, "binary": True},
    {"attribute": "Willpower", "reflexive": True},
    {"attribute": "Dexterity", "ability": "Dodge", "reflexive": True, "modifiers": {"spurs": 1}},
    {"dots": 9, "action": 2, "actions": 3},
    {"dots": 6, "action": 1, "actions": 4},
    {"dots": 3, "target": 3, "difficulty": 5},
    {"dots": 2, "target": 5, "deadline": 3},
    {"dots": 2, "helpers": ["c2", "c3"]},
    {"dots": 4, "helpers": ["c3", "c1"], "target": 5},
    {"dots": 2, "helpers": ["c1", "c2"], "target": 4, "difficulty": 4},
    {"attribute": "Dexterity", "opponent": "c1", "target": 3},
    {"attribute": "Dexterity", "opponent": "c3"},
    {"attribute": "Dexterity", "opponent": "c3", "target": 2, "deadline": 2},
    {"dots": 3, "opponent": "c2", "target": 1},
    {"dots": 2, "opponent": "c2", "difficulty": 8},
    SHOT,
    {**SHOT, "weapon": 2, "soak": "Armor"},
    {**SHOT, "opponent": "c3", "soak": "Stamina"},
    {**SHOT, "opponent": "c1", "difficulty": 4},
]
REACTIONS: list[dict[str, Any]] = [
    {"attribute": "Dexterity", "ability": "Dodge"},
    {"attribute": "Willpower", "difficulty": 7},
    {"dots": 2, "difficulty": 2},
    {"dots": 8, "modifiers": {"dark": -1}, "action": 1, "actions": 3},
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"actions_by": "each"},
    {"soak_pays_wounds": True, "extended_botch": "setback", "resisted_tie": "attacker"},
    {"cooperative_botch": "any", "weapon_damage": 1, "soak_by": "Stamina", "retry_step": 2},
    {"declined": "simple", "resisted_extended": "own", "soak_difficulty": 4},
    {"resisted_extended": "own", "resisted_tie": "neither"},
    {"resisted_extended": "own", "resisted_tie": "attacker"},
]


TRIAL: dict[str, Any] = {
    "characters": CHARACTERS,
    "declarations": DECLARATIONS,
    "reactions": REACTIONS,
    "followers": {
        "again": [{"dots": 2}, {"attribute": "Dexterity", "difficulty": 5}],
        "soak": [{}, {"modifiers": {"shield": 1}}],
    },
    "amendments": [{"difficulty": 5}, {"difficulty": 8}, {"weapon": 3}, {"binary": True}],
    "options": OPTIONS,
}
"""What the kit tries it with."""


@pytest.mark.slow
@pytest.mark.prove
def test_scarterra_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"scarterra-{seed}")

    assert report.histories >= count
    assert report.links == {"again", "soak"}
    assert report.amended and report.voided
    assert {"botch", "failure", "marginal", "success"} <= report.degrees
