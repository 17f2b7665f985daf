"""Any roll of any table makes a page: small, harmless, and with nothing that is not known."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.cases import NOW, bundle
from tests.conftest import COUNT
from tests.engine.case.pages import Page, unfounded
from tests.engine.helpers.tables.evening import Evening
from tests.engine.helpers.tables.real_dice import LEVELS
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.case.gather import case_of
from urim.engine.case.markdown import markdown
from urim.engine.case.page import MOST, page
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused

ROLLS = 1 if COUNT < 100 else 3
"""Rolls of a table that are looked at, at most: each decides the table again, a dozen times."""

MANUAL = 5


def evening(system: str, number: int, seed: int) -> Evening:
    """The table of that number, played to its end."""
    trial = TRIALS[system]
    options = dict(trial.options[number % len(trial.options)])
    level = LEVELS[number % len(LEVELS)]
    dice = "fair" if number % MANUAL else "manual"
    table = Evening(trial, f"case {seed} {number}", options, dice=dice, level=level)
    for _ in table.play():
        pass
    return table


@pytest.mark.sampled(1)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_every_roll_makes_a_page(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays a table for every ten that the count asks for."""
    seen = Counter[str]()
    for number in range(-(-count // 10)):
        table = evening(system, number, seed)
        for seat in (NARRATOR, ""):
            content = bundle(table.host, seat)
            numbers = sorted(roll.number for roll in table.state.rolls.values())
            for roll in table.luck.some_of(numbers, ROLLS):
                try:
                    found = case_of(content, roll, seat, now=NOW)
                except Refused as error:
                    if error.code != "not-seen":
                        raise
                    seen["hidden"] += 1
                    continue
                text = page(found)
                assert len(text.encode()) <= MOST
                read = Page(text)
                assert not read.faults
                assert not unfounded(found, read)
                assert markdown(found).endswith("\n")
                seen["pages"] += 1
                seen["disputes"] += len(found.disputes)
                seen["what-ifs"] += len(found.otherwise)
                seen["steps"] += len(found.steps)
    assert seen["pages"]
    tried(", ".join(f"{number:,} {what}" for what, number in seen.items()))
