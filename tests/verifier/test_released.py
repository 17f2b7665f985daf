"""The page verifies what was released, as `urim audit` does; see tests/releases."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.releases.keep import HERE, PLAYERS
from tests.verifier.chromium import verified

BUNDLES = sorted(HERE.glob("*/*.urim.jsonl"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.relative_to(HERE).as_posix())
def test_the_page_finds_nothing_wrong_in_what_was_released(path: Path, verifier: Page) -> None:
    table = path.name.partition(".")[0].partition("-")[0]
    known = json.loads((path.parent / PLAYERS).read_text("utf-8"))["tables"][table]
    seen = (path.parent / f"{table}.checkpoint").read_bytes()
    found = verified(verifier, path.read_bytes(), key=known["vkey"], seen=[seen])
    assert found.problem is None
    failed = [step for step in found.steps if found.verdict(step) == "fail"]
    assert not failed, [found.steps[step] for step in failed]
