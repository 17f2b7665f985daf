"""Plain dice keep every law of a ruleset, on histories drawn from their own offers."""

from typing import Any

import pytest

from tests.rules.plain.oracle import DEFAULTS, oracle
from urim.engine.testing.kit import Who, check
from urim.rules.plain import RULESET
from urim.rules.plain.notation import parse, written
from urim.rules.ruleset import Roll

CHARACTERS = [Who(), Who()]
DECLARATIONS: list[dict[str, Any]] = [
    {"expression": text}
    for text in (
        "4d6kh3+2",
        "1d20+5 > 15",
        "2d20kl1+1d4-1 >= 12",
        "6d10>=7",
        "4d6r<=2",
        "3d6ro<4dl1+1d8ro1",
        "5d6!cs>4",
        "3d4!kh2+2d6!",
        "2d6!>4",
        "3d4!!kh1+2d6!![fire]+3[hit]",
        "(2d6+3)*2-1d4 > 4",
        "6d6cs>4f<3*2+4d10!cs>7f1",
        "4dF",
        "d%",
        "3d6rr1-1d6 = 9",
        "2d6 < 6",
    )
]
AMENDMENTS = [{"expression": "1d20+5 > 12"}, {"expression": "6d10"}, {"expression": "4d6kh2"}]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"greater": "or equal", "r": "until"},
    {"comparison": "total", "exploded": "added"},
]


def recount(roll: Roll) -> dict[str, Any]:
    """Degree, margin and figures by the oracle."""
    readings = {name: getattr(roll.options, name) for name in DEFAULTS}
    thrown = {die.id: die.thrown for hand in roll.hands for die in hand.dice}
    faces = {die: [int(face) for face in each] for die, each in thrown.items()}
    return oracle(written(parse(roll.declaration.expression)), faces, readings)


TRIAL: dict[str, Any] = {
    "characters": CHARACTERS,
    "declarations": DECLARATIONS,
    "amendments": AMENDMENTS,
    "options": OPTIONS,
    "recount": recount,
}
"""What the kit tries it with."""


@pytest.mark.prove
def test_plain_keeps_every_law(count: int, seed: int) -> None:
    report = check(RULESET, **TRIAL, count=count, seed=f"plain-{seed}")
    assert report.histories >= count
    assert report.amended and report.voided
    assert report.degrees == {"total", "success", "failure"}
