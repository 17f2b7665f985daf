"""The page that `make prove` writes says what was tried, and hides no failure."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests import prove
from tests.prove import Line
from tests.tree import ROOT

REPORT = """<testsuites><testsuite>
<testcase name="test_holds" file="tests/test_b.py" time="61.04">
<properties><property name="tried" value="20 kills" /></properties></testcase>
<testcase name="test_breaks[a | b]" file="tests/test_a.py" time="0.2">
<failure message="no">no</failure></testcase>
<testcase name="test_is_skipped" file="tests/test_c.py" time="0.0"><skipped /></testcase>
<testcase name="test_loops" file="tests/test_c.py" time="9.0">
<failure message="tests.conftest.OutOfTime: stopped after 9 s">no</failure></testcase>
<testcase name="test_is_deaf" file="tests/test_c.py" time="0.0">
<error message="worker 'gw0' crashed while running 'tests/test_c.py::test_is_deaf'" /></testcase>
</testsuite></testsuites>"""

PAGE = prove.PROOF.read_text("utf-8")


NAMES = {
    "tests/test_b.py::test_holds",
    "tests/test_a.py::test_breaks[a | b]",
    "tests/test_c.py::test_is_skipped",
    "tests/test_c.py::test_loops",
    "tests/test_c.py::test_is_deaf",
}
"""The laws of the report."""


def written(folder: Path) -> Path:
    """The report in a file."""
    report = folder / "report.xml"
    report.write_text(REPORT, encoding="utf-8")
    return report


def a_line(law: str, count: str = "10", failures: str = "0") -> Line:
    """What came of a law some time ago."""
    return Line(law, count, "", "7", "`abc`", "3.11.7, Linux x86_64", "not measured", failures)


def by_law(lines: prove.Lines) -> dict[str, Line]:
    """Lines that are all of one Python."""
    assert len({python for _, python in lines}) == 1
    return {law: line for (law, _), line in lines.items()}


def lines_of(*lines: Line) -> prove.Lines:
    """Lines as they are found again."""
    return {line.key: line for line in lines}


def test_only_what_passed_has_held(tmp_path: Path) -> None:
    found = by_law(prove.outcomes(written(tmp_path), count=10_000, seed=7))
    assert {law: line.failures for law, line in found.items()} == {
        "tests/test_b.py::test_holds": "0",
        "tests/test_a.py::test_breaks[a | b]": "1",
        "tests/test_c.py::test_is_skipped": "1",
        "tests/test_c.py::test_loops": "1: stopped after 9 s",
        "tests/test_c.py::test_is_deaf": f"1: {prove.CRASHED}",
    }


def test_a_line_says_how_often_from_where_and_how_long(tmp_path: Path) -> None:
    found = by_law(prove.outcomes(written(tmp_path), count=10_000, seed=7))
    line = found["tests/test_b.py::test_holds"]
    assert (line.count, line.tried, line.seed, line.took) == ("10,000", "20 kills", "7", "61.0 s")
    assert line.commit == prove.commit()
    assert found["tests/test_c.py::test_loops"].tried == ""


def test_a_page_shows_every_law_and_counts_the_failures() -> None:
    laws = ("tests/a.py::b[1 | 2]", "tests/c.py::d")
    lines = lines_of(a_line(laws[1]), a_line(laws[0], failures="1: stopped after 9 s"))
    page = prove.proof(lines)
    assert "Laws: 2. Failures: 1.\n" in page
    assert page.index(r"| `tests/a.py::b[1 \| 2]` | 10 |") < page.index("| `tests/c.py::d` | 10 |")
    assert prove.read(page) == lines
    assert prove.read(page + "\n## Mutation\n\n| `x.py` | 1 | 1 |\n") == lines


def test_the_page_comes_back_from_its_lines() -> None:
    assert PAGE.startswith(prove.proof(prove.read(PAGE)))


@pytest.mark.slow
def test_every_line_names_a_law_that_is_there() -> None:
    named = {law for law, _ in prove.read(PAGE)}
    files = sorted({law.partition("::")[0] for law in named})
    assert files
    assert [file for file in files if not (ROOT / file).is_file()] == []
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "prove", *files]
    env = os.environ | {"URIM_COUNT": "100"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert sorted(named - set(done.stdout.splitlines())) == []


@pytest.mark.parametrize(
    ("only", "expression"),
    [
        ("", ""),
        (" majesty ", "majesty"),
        ("majesty test_kill", "majesty or test_kill"),
        ("kit and not majesty", "kit and not majesty"),
    ],
)
def test_several_words_mean_any_of_them(only: str, expression: str) -> None:
    assert prove.expression(only) == expression


ELSEWHERE = replace(a_line("tests/test_b.py::test_holds"), Python="3.13.0, Linux x86_64")
"""A law of the report, on another Python."""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with three laws; a run tries the last of them, which fails, and others."""
    old = ("tests/a.py::kept", "tests/b.py::gone", "tests/test_a.py::test_breaks[a | b]")
    path = tmp_path / "proof.md"
    path.write_text(prove.proof(lines_of(*map(a_line, old), ELSEWHERE)) + "\n## Mutation\n\nkept\n")

    def no_run(count: int, seed: int, report: Path, only: str, limit: float) -> int:
        assert (count, seed, limit) == (30, 4, 5)
        report.write_text(REPORT, encoding="utf-8")
        return 1

    monkeypatch.setattr(prove, "run", no_run)
    monkeypatch.setattr(prove, "PROOF", path)
    return path


ASKED = ["--count", "30", "--seed", "4", "--limit", "5"]


def test_the_lines_of_some_laws_are_replaced_alone(page: Path) -> None:
    before = prove.read(page.read_text("utf-8"))
    del before[ELSEWHERE.key]
    assert prove.main([*ASKED, "--only", "words"]) == 1
    text = page.read_text("utf-8")
    found = prove.read(text)
    assert found.pop(ELSEWHERE.key) == ELSEWHERE
    after = by_law(found)
    assert after["tests/a.py::kept"] == by_law(before)["tests/a.py::kept"]
    assert after["tests/test_a.py::test_breaks[a | b]"].count == "30"
    assert set(after) == {*by_law(before), *NAMES}
    assert text.endswith("\n\n## Mutation\n\nkept\n")


def test_a_full_run_drops_the_lines_of_laws_that_are_no_more(page: Path) -> None:
    assert prove.main(ASKED) == 1
    text = page.read_text("utf-8")
    found = prove.read(text)
    assert found.pop(ELSEWHERE.key) == ELSEWHERE
    assert set(by_law(found)) == NAMES
    assert text.endswith("\n\n## Mutation\n\nkept\n")


@pytest.mark.parametrize("code", [0, 1, 5])
def test_a_run_without_laws_proves_nothing(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_run(count: int, seed: int, report: Path, only: str, limit: float) -> int:
        assert count > seed
        assert not report.exists()
        assert (only, limit) == ("", prove.LIMIT)
        return code

    monkeypatch.setattr(prove, "run", no_run)
    monkeypatch.setattr(prove, "PROOF", tmp_path / "proof.md")
    assert prove.main([]) != 0
    assert not prove.PROOF.exists()


LAWS = """
import time
from hypothesis import given, strategies as st
import pytest

pytestmark = pytest.mark.prove

def test_before(): pass

def test_loops():
    while True: pass

@given(st.integers())
def test_loops_on_an_example(number):
    while True: pass

@pytest.fixture
def endless():
    while True: pass

def test_is_set_up_for_ever(endless): pass

def test_is_deaf():
    while True:
        try: time.sleep(1)
        except BaseException: pass

def test_after(): pass
"""
"""Laws that do not end, and some that do."""


@pytest.mark.slow
def test_a_law_that_does_not_end_is_stopped_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(Path(prove.__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(LAWS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = prove: a law\n", encoding="utf-8")
    monkeypatch.setattr(prove, "ROOT", tmp_path)
    report = tmp_path / "report.xml"
    # What a run under xdist says of itself would be taken for what this one is.
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)
    assert prove.run(count=5, seed=1, report=report, limit=1) == 1
    assert capfd.readouterr().out.count("node down") == 1  # no test is run again
    found = by_law(prove.outcomes(report, count=5, seed=1))
    assert {law.removeprefix("test_it.py::"): line.failures for law, line in found.items()} == {
        "test_before": "0",
        "test_loops": "1: stopped after 1 s",
        "test_loops_on_an_example": "1: stopped after 1 s",
        "test_is_set_up_for_ever": "1: stopped after 1 s",
        "test_is_deaf": f"1: {prove.CRASHED}",
        "test_after": "0",
    }
