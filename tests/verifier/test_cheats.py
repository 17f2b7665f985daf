"""The planted cheats, caught by the page at their step and not before; honest twins pass."""

import pytest
from playwright.sync_api import Page

from tests.cheats.cheats import CHEATS, Cheat, dishonest, honest
from tests.cheats.forging import Made
from tests.verifier.chromium import Outcome, verified

EXITS = {"fail": 1, "not checked": 3}
"""The exit code by the verdict on a cheat; 0 for every other."""

each_cheat = pytest.mark.parametrize("cheat", CHEATS.values(), ids=lambda cheat: cheat.id)


def judged(page: Page, made: Made) -> Outcome:
    """What the page finds for a reader who holds what the cheat's reader holds."""
    return verified(page, made.bundle, key=made.key, seen=made.seen, seats=made.seats)


@each_cheat
def test_it_ends_as_the_data_says(cheat: Cheat, verifier: Page) -> None:
    row, made = cheat.row, dishonest(cheat.id)
    outcome = judged(verifier, made)
    assert outcome.exit == EXITS.get(row.page, 0)
    if row.page == "fail":
        assert outcome.red[0] == cheat.page_step
        assert outcome.verdict(cheat.page_step) == "fail"
    elif row.page in ("not checked", "no rules"):
        assert outcome.verdict(cheat.page_step) == "not-checked"
        assert (cheat.page_step in outcome.unchecked) is (row.page == "not checked")
    else:
        remarks = outcome.steps[cheat.page_step]["remarks"]
        assert [each for each in remarks if made.entry in (None, each.get("seq"))], remarks


@each_cheat
def test_its_honest_twin_passes(cheat: Cheat, verifier: Page) -> None:
    made = honest(cheat.id)
    outcome = judged(verifier, made)
    assert (outcome.exit, outcome.red) == (0, [])
