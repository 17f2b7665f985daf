"""Sagatafl keeps every law of a ruleset, on histories drawn from its own offers."""

from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
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
