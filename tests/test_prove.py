"""The page that `make prove` writes says what was tried, and hides no failure."""

from pathlib import Path

import pytest

from tests import prove

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_b" name="test_holds">
<properties><property name="tried" value="20 kills" /></properties></testcase>
<testcase classname="tests.test_a" name="test_breaks"><failure message="no">no</failure></testcase>
<testcase classname="tests.test_c" name="test_is_skipped"><skipped /></testcase>
</testsuite></testsuites>"""


def test_only_what_passed_has_held(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT, encoding="utf-8")
    assert prove.outcomes(report) == [
        ("tests.test_a::test_breaks", False, ""),
        ("tests.test_b::test_holds", True, "20 kills"),
        ("tests.test_c::test_is_skipped", False, ""),
    ]


def test_the_page_names_every_law_and_counts_the_failures() -> None:
    laws = [prove.Law("a::b", held=False), prove.Law("c::d", held=True, tried="20 kills")]
    page = prove.proof(laws, count=10_000, seed=7, seconds=61.4)
    for row in ("| laws | 2 |", "| count | 10,000 |", "| seed | 7 |", "| failures | 1 |"):
        assert row in page
    assert "- **failed**: `a::b`\n- held: `c::d` · 20 kills\n" in page


@pytest.mark.parametrize("code", [0, 1, 5])
def test_a_run_without_laws_proves_nothing(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_run(count: int, seed: int, report: Path) -> int:
        assert count > seed
        assert not report.exists()
        return code

    monkeypatch.setattr(prove, "run", no_run)
    monkeypatch.setattr(prove, "PROOF", tmp_path / "proof.md")
    monkeypatch.setattr("sys.argv", ["prove"])
    assert prove.main() != 0
    assert not prove.PROOF.exists()
