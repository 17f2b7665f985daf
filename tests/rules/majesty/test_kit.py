"""Allies of Majesty keeps every law of a ruleset, on histories drawn from its own offers."""

from collections import Counter
from typing import Any

import pytest

from urim.engine.testing.kit import Who, check
from urim.rules.majesty import RULESET
from urim.rules.ruleset import Roll

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
DEGREES = {1: "positive", -1: "negative", 0: "no effect"}


def recount(roll: Roll) -> dict[str, Any]:
    """Everything that is counted on the dice, die by die."""
    hand = roll.hand("initiator")
    assert hand is not None
    shown = Counter(int(die.face) for die in hand.dice)
    extra = max(0, shown[12] - shown[1])
    positives, negatives = sum(shown[n] for n in (9, 10, 11, 12)), shown[1] + shown[2] + shown[3]
    net = positives + extra - negatives
    expected: dict[str, Any] = {
        "margin": net,
        "positives": positives,
        "negatives": negatives,
        "neutrals": 7 - positives - negatives,
    }
    if net or roll.options.net_zero == "no effect":
        expected["degree"] = DEGREES[(net > 0) - (net < 0)]
    if roll.declaration.kind == "strike":
        expected |= {"defensive_hits": max(0, -net) // 2, "twelve_effects": extra}
    fell = Counter(int(die.landed) for die in hand.dice)
    if abs(fell[12] - fell[1]) >= 2:
        expected["epic_roll"] = "positive" if fell[12] > fell[1] else "negative"
    return expected


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
    "recount": recount,
}
"""What the kit tries it with."""


@pytest.mark.prove
def test_majesty_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"majesty-{seed}")
    assert report.histories >= count
    assert report.amended and report.voided
    assert report.degrees == {"positive", "negative", "no effect"}
