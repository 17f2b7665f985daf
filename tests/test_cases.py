"""The case files in the documents are what `python -m tests.cases --write` writes."""

from pathlib import Path

import pytest

from tests import cases


def test_the_case_files_are_up_to_date() -> None:
    kept = {path.name: path.read_text("utf-8") for path in cases.FOLDER.iterdir()}
    now = dict(cases.cases())
    stale = sorted(name for name in kept | now if kept.get(name) != now.get(name))
    assert not stale, f"run `python -m tests.cases --write` for {stale}"


def test_the_command_says_what_is_stale_and_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "FOLDER", tmp_path / "cases")
    monkeypatch.setattr(cases, "PLAYS", {"sagatafl": cases.sagatafl})
    monkeypatch.setattr("sys.argv", ["cases"])
    with pytest.raises(SystemExit, match=r"stale: sagatafl\.html"):
        cases.main()
    monkeypatch.setattr("sys.argv", ["cases", "--write"])
    cases.main()
    monkeypatch.setattr("sys.argv", ["cases"])
    cases.main()
