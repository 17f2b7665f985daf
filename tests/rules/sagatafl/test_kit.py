"""Sagatafl keeps every law of a ruleset, on histories drawn from its own offers."""

from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.ruleset import Roll
from urim.rules.sagatafl import RULESET

ATTRIBUTES = {"Lockpicking": 5, "Body": 4, "Hearing": 2, "Nothing": 0}
DECLARATIONS: list[dict[str, Any]] = [
    {"trait": "Lockpicking", "specialisation": "improvised tools"},
    {"trait": "Body", "edge": "Dex", "rd": "very hard", "modifiers": {"help": -3}},
    {"trait": "Hearing", "rd": 14},
    {"rating": 1, "specialisation": "tools", "edge": "Dex", "rd": 1},
    {"rating": 2, "rd": 10, "safe": True},
    {"trait": "Nothing", "rd": 4},
    {"trait": "Body", "saving_throw": True},
    {"trait": "Lockpicking", "opponent": "c2"},
    {"rating": 1, "opponent": "c1"},
]
REACTIONS: list[dict[str, Any]] = [
    {"trait": "Hearing"},
    {"rating": 3, "rd": "routine"},
    {"rating": 1, "specialisation": "ambush", "edge": "Wits", "rd": 12},
    {"rating": 2, "rd": 1},
    {"rating": 1, "rd": 13},
]


def level(faces: list[int], rd: int) -> int:
    """The number written behind S, f or F, no roll being Safe."""
    return sum(face >= rd for face in faces) or -min(6, rd - max(faces))


def recount(roll: Roll) -> dict[str, Any]:
    """Margin and figures, counted die by die; a Safe roll's are left alone."""
    declaration = roll.declaration
    sides = {"": (declaration, roll.hand("initiator"))}
    reaction = dict(roll.reactions).get(declaration.opponent)
    if reaction is not None:
        sides["opponent_"] = (reaction, roll.hand("reactor"))
    expected: dict[str, Any] = {}
    scales: list[int] = []
    for prefix, (side, hand) in sides.items():
        assert hand is not None
        if side.safe or side.trait == "Hearing":
            return {}
        found = level([int(die.face) for die in hand.dice], side.rd + sum(side.modifiers.values()))
        expected[f"{prefix}dice"] = len(hand.dice)
        expected[f"{prefix}level"] = found
        scales.append(found if found > 0 else found + 1)
        expected.setdefault("margin", found)
    if reaction is None and roll.reactions and roll.options.declined == "zero":
        scales.append(0)
    if len(scales) == 2 and roll.options.opposed == "scale":
        expected["margin"] = scales[0] - scales[1]
    if len(scales) == 2 and roll.options.opposed != "scale":
        expected["margin"] = max(0, scales[0]) - max(0, scales[1])
    return expected


TRIAL: dict[str, Any] = {
    "characters": [Who(ATTRIBUTES), Who({**ATTRIBUTES, "Body": 1})],
    "declarations": DECLARATIONS,
    "reactions": REACTIONS,
    "amendments": [{"rd": 5}, {"rd": "routine"}, {"safe": True}, {"saving_throw": True}],
    "options": [
        {"sense_traits": ["Hearing"]},
        {"opposed": "successes", "spec_and_edge": "two"},
        {"no_dice": "one", "declined": "zero"},
    ],
    "recount": recount,
}
"""What the kit tries it with."""


@pytest.mark.prove
def test_sagatafl_keeps_every_law(count: int, seed: int) -> None:
    count = max(count, 25)  # so many that every degree comes
    report = check(RULESET, **TRIAL, count=count, seed=f"sagatafl-{seed}")
    assert report.histories >= count
    assert report.amended and report.voided
    assert report.degrees >= {
        "success",
        "failure",
        "minor fumble",
        "fumble",
        "disastrous fumble",
        "partial success",
        "won",
        "lost",
        "nothing changes",
    }
