"""Milhamah keeps every law of a ruleset, on histories drawn from its own offers."""

from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.milhamah import RULESET

ROOT = "רוח"
KINDS = ("red-a", "red-b", "blue-a", "blue-b", "green-a", "green-b")
EASY = {kind: ["רו", "חר", "וח", "רח", "נו", "פ*"] for kind in KINDS}
"""Dice that show the root more often than not."""

HARD = {kind: ["דג", "בס", "זט", "ימ", "רו", "**"] for kind in KINDS}
"""Dice that seldom show it: botches."""

SKILLS = {"wind": ROOT, "jump": "חננ", "dodge": "דג", "echo": "דדגג"}
ATTRIBUTES = {"BLE": 3, "GRA": 2, "VIG": 1, "wind": 2, "jump": 1, "dodge": 1, "echo": 1}
CHARACTERS = [
    Who(ATTRIBUTES, {"merit": 2, "armour:eye": 1}),
    Who({**ATTRIBUTES, "BLE": 1}, {"merit": 1, "soak": 4}),
    Who({**ATTRIBUTES, "VIG": 0}, {"xr": 2, "pocket": 1}),
]

FIGHT = {"root": ROOT, "attribute": "BLE", "opponent": "c2", "combat": True}
DECLARATIONS: list[dict[str, Any]] = [
    {"root": "אשר", "rating": 3, "target": "average", "modifiers": {"far": 1}},
    {"attribute": "GRA", "target": 6},
    {"root": ROOT, "rating": 0, "target": 1},
    {"root": "חננ", "rating": 9, "status": {"blessed": {"rerolls": ["X", 2], "C": 2, "D": 2}}},
    {"root": ROOT, "rating": 2, "status": {"cursed": {"no_reroll": True, "D": -6}}},
    {"root": ROOT, "rating": 2, "status": {"crushed": {"D": -8}}},
    {"root": "ר", "rating": 2, "leave": True},
    {"root": ROOT, "rating": 5, "dice": {"red": 4, "green": 4}, "circumstances": ["unnoticed"]},
    {"root": ROOT, "rating": 4, "status": {"monochrome": {"colours": ["blue"], "D": 4}}},
    FIGHT,
    {**FIGHT, "skill": "wind", "circumstances": ["ambushed", "partial cover"]},
    {**FIGHT, "opponent": "c1", "rating": 1},
    {**FIGHT, "rating": 8},
    {**FIGHT, "opponent": "c3", "combat": False},
]
AT_ONCE = {"rating": 2, "status": {"stunned": {"no_reroll": True, "C": -2}}}
REACTIONS: list[dict[str, Any]] = [
    {"root": "חננ", "attribute": "GRA", "skill": "jump"},
    {"skill": "dodge", "rating": 6},
    {"root": "אשר", "rating": 0},
    {"root": "זטי", "rating": 1},
    {"root": "רח", "rating": 3, "dice": {"red": 4, "blue": 4}},
    {"root": "אשר", "rating": 2, "modifiers": {"swamp": -2, "rain": 1}},
]
OPTIONS: list[dict[str, Any]] = [
    {"skill_roots": SKILLS},
    {"skill_roots": SKILLS, "faces": EASY},
    {"skill_roots": SKILLS, "faces": HARD},
    {"skill_roots": SKILLS, "faces": EASY, "damage_by": "success", "location_wild": "initiator"},
    {"skill_roots": SKILLS, "faces": HARD, "counter": "fresh", "reactor_natural": True},
    {"skill_roots": SKILLS, "faces": HARD, "no_dice": "botch", "adds_once": "each"},
]


TRIAL: dict[str, Any] = {
    "characters": CHARACTERS,
    "declarations": DECLARATIONS,
    "reactions": REACTIONS,
    "followers": {"counter": [{"attribute": "BLE"}, {"rating": 2}, AT_ONCE]},
    "amendments": [{"target": 2}, {"root": ROOT}, {"combat": False}, {"rating": 3}],
    "options": OPTIONS,
}
"""What the kit tries it with."""


@pytest.mark.slow
@pytest.mark.prove
def test_milhamah_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"milhamah-{seed}")

    assert report.histories >= count
    assert report.links == {"counter"}
    assert report.amended and report.voided
    assert report.degrees >= {
        "botch",
        "failure",
        "success at a cost",
        "success",
        "natural success",
    }
