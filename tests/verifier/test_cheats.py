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

each_cheat = pytest.mark.parametrize("cheat", CHEATS.values(), ids=lambda cheat: cheat.id)


def judged(page: Page, made: Made) -> Outcome:
    """What the page finds for a reader who holds what the cheat's reader holds."""
    return verified(page, made.bundle, key=made.key, seen=made.seen, seats=made.seats)


@each_cheat
def test_it_ends_as_the_data_says(cheat: Cheat, verifier: Page) -> None:
    row, made = cheat.row, dishonest(cheat.id)
    outcome = judged(verifier, made)
    assert outcome.exit == (1 if row.page == "fail" else 0)
    if row.page == "fail":
        assert outcome.red[0] == cheat.page_step
        assert outcome.verdict(cheat.page_step) == "fail"
    elif row.page == "not checked":
        assert outcome.verdict(cheat.page_step) == "not-checked"
    elif row.page == "not shown":
        assert outcome.red == []
    else:
        remarks = outcome.steps[cheat.page_step]["remarks"]
        assert [each for each in remarks if made.entry in (None, each.get("seq"))], remarks


@each_cheat
def test_both_verifiers_say_the_same_of_a_cheat(cheat: Cheat, verifier: Page) -> None:
    made = dishonest(cheat.id)
    outcome = judged(verifier, made)
    report = audit(BytesIO(made.bundle), key=made.key, seen=made.seen, seats=made.seats)
    compared = [result for result in report.results if result.step not in FOR_PYTHON]
    assert {each.step: outcome.verdict(each.step) for each in compared} == {
        each.step: each.verdict for each in compared
    }


@each_cheat
def test_its_honest_twin_passes(cheat: Cheat, verifier: Page) -> None:
    made = honest(cheat.id)
    outcome = judged(verifier, made)
    assert (outcome.exit, outcome.red) == (0, [])
