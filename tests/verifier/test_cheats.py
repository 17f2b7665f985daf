"""The planted cheats, caught by the page at their step and not before; honest twins pass."""

import pytest
from playwright.sync_api import Error, Page

from tests.cheats.cheats import CHEATS, Cheat, dishonest, honest
from tests.cheats.forging import Made
from tests.verifier.chromium import Outcome, verified

EXITS = {"fail": 1, "not checked": 3}
"""The exit code by the verdict on a cheat; 0 for every other."""

each_cheat = pytest.mark.parametrize("cheat", CHEATS.values(), ids=lambda cheat: cheat.id)
refused_ones = [cheat for cheat in CHEATS.values() if cheat.row.page == "refused"]
judged_ones = [cheat for cheat in CHEATS.values() if cheat.row.page != "refused"]
each_judged = pytest.mark.parametrize("cheat", judged_ones, ids=lambda cheat: cheat.id)


def judged(page: Page, made: Made) -> Outcome:
    """What the page finds for a reader who holds what the cheat's reader holds."""
    return verified(page, made.bundle, key=made.key, seen=made.seen, seats=made.seats)


@pytest.mark.parametrize("cheat", refused_ones, ids=lambda cheat: cheat.id)
def test_what_cannot_be_read_is_refused(cheat: Cheat, verifier: Page) -> None:
    made = dishonest(cheat.id)
    assert cheat.row.audit == "refused"
    if made.key == honest(cheat.id).key:
        outcome = judged(verifier, made)
        assert (outcome.exit, outcome.steps) == (2, {})
    else:  # what the reader gave, and not the file: the page says so at its field
        with pytest.raises(Error, match=cheat.row.says):
            judged(verifier, made)


@pytest.mark.sampled(39)
@each_judged
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


@pytest.mark.sampled(8)
@each_cheat
def test_its_honest_twin_passes(cheat: Cheat, verifier: Page) -> None:
    made = honest(cheat.id)
    outcome = judged(verifier, made)
    assert (outcome.exit, outcome.red) == (0, [])
