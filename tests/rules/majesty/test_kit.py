"""Allies of Majesty keeps every law of a ruleset, on histories drawn from its own offers."""

from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.majesty import RULESET

STRIKE = {"kind": "strike", "opponent": "c2"}
DECLARATIONS: list[dict[str, Any]] = [
    STRIKE,
    {**STRIKE, "value": 2},
    {**STRIKE, "opponent": "c1", "value": 8, "opposing": 5},
    {"kind": "resist", "attribute": "Will", "opponent": "c2"},
    {"kind": "resist", "attribute": "Will", "opponent": "c3", "cost": 25},
    {"kind": "resist", "value": 3, "opponent": "c1", "spp": 4},
    {"kind": "check", "attribute": "Precision", "opposing": 0},
    {"kind": "check", "attribute": "Precision", "opposing": 15},
    {"kind": "resist", "value": 3, "cost": 60},
    {"kind": "check", "value": 5, "opponent": "c2", "opposing": -10},
    {"kind": "check", "value": 5, "opponent": "c3", "opposing_attribute": "Will"},
]
REACTIONS: list[dict[str, Any]] = [
    {},
    {"value": 20},
    {"cost": 40},
    {"spp": 1},
    {"attribute": "Will"},
]
TRIAL: dict[str, Any] = {
    "characters": [
        Who({"Precision": 12, "Guard": 6, "Will": 53}),
        Who({"Precision": 7, "Guard": 9, "Will": 81}),
        Who({"Precision": 5, "Guard": 5, "Will": 67}),
    ],
    "declarations": DECLARATIONS,
    "reactions": REACTIONS,
    "amendments": [{"value": 4}, {"value": 12}, {"opposing": 3}, {"attribute": "Will"}],
    "options": [
        {},
        {"fewer_adjustments": False},
        {"wrap": True, "net_zero": "negative"},
        {"declined": "zero"},
    ],
}
"""What the kit tries it with."""


@pytest.mark.prove
def test_majesty_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"majesty-{seed}")
    assert report.histories >= count
    assert report.amended and report.voided
    assert report.degrees == {"positive", "negative", "no effect"}
