"""The page's state plays the recorded evenings of a seat (tests/engine/seat/evenings/README.md)."""

import json
from pathlib import Path

import pytest

from tests.engine.server.web.node import run
from tests.tree import ROOT

EVENINGS = sorted((ROOT / "tests" / "engine" / "seat" / "evenings").glob("*.json"))

RUNS = Path(__file__).parent / "evenings.mjs"


def test_the_page_does_in_recorded_evenings_what_it_must() -> None:
    done = run(RUNS, *EVENINGS)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


@pytest.mark.parametrize(("what", "instead"), [("sends", []), ("tells", [0]), ("fault", True)])
def test_another_expectation_is_found(tmp_path: Path, what: str, instead: object) -> None:
    evening = json.loads((EVENINGS[0].parent / "restarted.json").read_text("utf-8"))
    step = next(each for each in evening["steps"] if each.get("sends"))
    step[what] = instead
    path = tmp_path / "other.json"
    path.write_text(json.dumps(evening), encoding="utf-8")
    assert f"{path} step " in run(RUNS, path).stdout
