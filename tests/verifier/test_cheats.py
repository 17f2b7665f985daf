"""The planted cheats, caught by the page at their step and not before; honest twins pass."""

import re
from io import BytesIO

import pytest
from playwright.sync_api import Page

from tests.cheats.cheats import CHEATS, Cheat, dishonest, honest
from tests.cheats.forging import Made
from tests.verifier.chromium import Outcome, verified
from urim.engine.audit import audit
from urim.engine.audit.kinds import KINDS
from urim.engine.verifier.build import MODULES

FOR_PYTHON = (10, 11, 16)
"""Steps that take the rules of a system."""

_, _, WORDS = (MODULES / "words.js").read_text("utf-8").partition("LOOKS = {")
LOOKS = dict(re.findall(r'"?([a-z-]+)"?: \["(.+)", "', WORDS.partition("}")[0]))
"""The kinds of looks that the page has; urim audit has more, of what people did."""

each_cheat = pytest.mark.parametrize("cheat", CHEATS.values(), ids=lambda cheat: cheat.id)


def judged(page: Page, made: Made) -> Outcome:
    """What the page finds for a reader who holds what the cheat's reader holds."""
    return verified(page, made.bundle, key=made.key, seen=made.seen, seats=made.seats)


def test_the_page_calls_looks_as_the_audit_does() -> None:
    known = {kind: each.one for kind, each in KINDS.items() if each.word == "look"}
    assert LOOKS.items() <= known.items()
    assert known.keys() - LOOKS == {"again", "some-hidden", "given-back", "voids", "clock", "dice"}


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
    known = {each.kind for each in report.looks if each.kind in LOOKS}
    assert outcome.looks == known, cheat.id
    compared = [result for result in report.results if result.step not in FOR_PYTHON]
    assert {each.step: outcome.verdict(each.step) for each in compared} == {
        each.step: each.verdict for each in compared
    }


@each_cheat
def test_its_honest_twin_passes(cheat: Cheat, verifier: Page) -> None:
    made = honest(cheat.id)
    outcome = judged(verifier, made)
    assert (outcome.exit, outcome.red) == (0, [])
