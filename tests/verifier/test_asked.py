"""Cheats with what was asked: both verifiers say of each what docs/bundle.md says that they do."""

from io import BytesIO

import pytest
from playwright.sync_api import Page

from tests.engine.helpers.bundles import KEY, Log
from tests.tree import ROOT
from tests.verifier.asked_cheats import CHEATS, AskedCheat, bundle_of, log_of, short
from tests.verifier.chromium import verified
from urim.engine.audit import audit

BY_NAME = {cheat.name: cheat for cheat in CHEATS}


def first_failed(verdicts: dict[int, str]) -> int:
    """The first step that fails; 0 where none does."""
    return next((step for step, verdict in verdicts.items() if verdict == "fail"), 0)


@pytest.mark.sampled(17)
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_each_verifier_fails_it_at_its_step(cheat: AskedCheat, verifier: Page) -> None:
    file = bundle_of(cheat.make())
    report = audit(BytesIO(file), key=KEY.vkey)
    assert first_failed({each.step: each.verdict for each in report.results}) == cheat.audit
    outcome = verified(verifier, file, key=KEY.vkey)
    verdicts = {step: outcome.verdict(step) for step in outcome.steps}
    assert first_failed(verdicts) == cheat.page
    assert (report.exit, outcome.exit) == (1, 1 if cheat.page else 0)


def test_the_logs_they_are_made_from_pass(verifier: Page) -> None:
    for entries in (log_of(), short(), list(Log().entries)):
        file = bundle_of(entries)
        assert audit(BytesIO(file), key=KEY.vkey).exit == 0
        assert verified(verifier, file, key=KEY.vkey).red == []


def test_the_page_of_the_form_lists_them() -> None:
    text = (ROOT / "docs" / "bundle.md").read_text("utf-8")
    rows = [row for row in text.splitlines() if row.startswith("| ") and row.count("|") == 4]
    for cheat in CHEATS:
        steps = (f"{step} fail" if step else "no rules" for step in (cheat.audit, cheat.page))
        assert " | ".join((f"| {cheat.name}", *steps)) + " |" in rows
