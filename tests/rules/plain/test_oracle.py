"""Any expression on any faces is what a second reading of the text makes of it."""

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.rules.plain.oracle import expression, oracle
from urim.engine.cli.dice import rolled
from urim.engine.table import RollHandle, Table
from urim.rules.figures import name_of
from urim.rules.plain import Options
from urim.rules.plain.figures import FIGURES
from urim.rules.readings import readings_of

READINGS = readings_of(Options)
EVERY = [
    dict(zip((each.name for each in READINGS), values, strict=True))
    for values in product(*((each.default, *each.others) for each in READINGS))
]
"""The readings in every combination of their values."""


def thrown(roll: RollHandle) -> dict[str, list[int]]:
    hands = roll.state.roll.hands
    return {die.id: [int(face) for face in die.thrown] for hand in hands for die in hand.dice}


@pytest.mark.prove
def test_any_expression_gives_what_the_oracle_says(count: int, seed: int) -> None:
    random = Random(f"plain-{seed}")  # noqa: S311  expressions that repeat
    seen: set[str] = set()
    for number in range(max(count, len(EVERY))):
        reading = EVERY[number % len(EVERY)]
        text = expression(random, reading)
        table = Table("plain", dice=f"seeded:{seed}-{number}", options=reading)
        roll = rolled(table.character("You"), text, None)
        outcome = roll.outcome
        assert outcome is not None
        expected = oracle(text, thrown(roll), reading)
        told: dict[str, Any] = {"degree": outcome.degree, "margin": outcome.margin}
        assert told | outcome.figures == expected, text
        seen |= {outcome.degree, *map(name_of, outcome.figures)}
    assert seen == {"total", "success", "failure", *FIGURES} - {"margin"}
