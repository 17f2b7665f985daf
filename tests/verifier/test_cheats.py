"""The planted cheats, caught by the page at their step and not before; honest twins pass."""

from io import BytesIO

import pytest
from playwright.sync_api import Page

from tests.cheats.cheats import CHEATS, Cheat, dishonest, honest
from tests.cheats.forging import Made
from tests.verifier.chromium import Outcome, verified
from urim.engine.audit import audit

FOR_PYTHON = (10, 11, 16)
"""Steps that take the rules of a system."""

OF_KEYS = ("52", "53", "57", "61", "62", "65", "67")
"""Cheats with keys of seats: of step 10 what shows without rules."""

SEEN = [
    cheat
    for cheat in CHEATS.values()
    if cheat.step not in FOR_PYTHON or cheat.id.rstrip("abcdef") in OF_KEYS
]


def judged(page: Page, made: Made) -> Outcome:
    """What the page finds for a reader who holds what the cheat's reader holds."""
    return verified(page, made.bundle, key=made.key, seen=made.seen, seats=made.seats)


@pytest.mark.parametrize("cheat", SEEN, ids=lambda cheat: cheat.id)
def test_a_cheat_is_caught_at_its_step(cheat: Cheat, verifier: Page) -> None:
    made = dishonest(cheat.id)
    outcome = judged(verifier, made)
    if cheat.verdict == "look":
        remarks = outcome.steps[cheat.step]["remarks"]
        assert [each for each in remarks if made.entry in (None, each.get("seq"))], remarks
        assert outcome.exit == 0
        return
    assert outcome.verdict(cheat.step) == cheat.verdict, outcome.red
    assert outcome.red[0] == cheat.step
    assert outcome.exit == (1 if cheat.verdict == "fail" else 0)


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=lambda cheat: cheat.id)
def test_both_verifiers_say_the_same_of_a_cheat(cheat: Cheat, verifier: Page) -> None:
    made = dishonest(cheat.id)
    outcome = judged(verifier, made)
    report = audit(BytesIO(made.bundle), key=made.key, seen=made.seen, seats=made.seats)
    compared = [result for result in report.results if result.step not in FOR_PYTHON]
    assert {each.step: outcome.verdict(each.step) for each in compared} == {
        each.step: each.verdict for each in compared
    }


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=lambda cheat: cheat.id)
def test_its_honest_twin_passes(cheat: Cheat, verifier: Page) -> None:
    made = honest(cheat.id)
    outcome = judged(verifier, made)
    assert (outcome.exit, outcome.red) == (0, [])
