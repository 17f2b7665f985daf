"""A mutant meets the tests that run through what it changed, those that are soon done first."""

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests import mutate, nearest
from tests.tree import ROOT

MODULE = dedent("""\
    LIMIT = 3

    def outer(x, most=LIMIT):
        def inner(y):
            return y + 1
        return [inner(each) for each in x
                if each < most]

    class Thing:
        field: int = 4

        @property
        def twice(self):
            return self.field * 2

    TABLE = {
        "a": lambda x:
            x + 5,
    }
    """)

RECORD: nearest.Record = {
    "seconds": {"t.py::slow": 3.0, "t.py::other": 0.001, "t.py::quick": 0.001, "u.py::it": 0.5},
    "collected": {"t.py": 1.0, "u.py": 0.1},
    "slow": [],
    "touched": {"m.py": {"3": [0, 2], "4": [2], "12": [1]}},
}


@pytest.mark.parametrize(
    ("line", "functions"),
    [
        (1, None),
        (3, None),  # the function's default
        (4, {3, 4}),
        (5, {4}),
        (7, {6}),
        (10, None),
        (14, {12}),
        (17, None),
        (18, {17}),
    ],
)
def test_a_line_runs_in_the_innermost_function_and_its_first_in_those_around_it_too(
    line: int, functions: set[int] | None
) -> None:
    assert nearest.functions_at(MODULE, line) == functions


@pytest.mark.parametrize(
    ("old", "new", "tests"),
    [
        ("y + 1", "y - 1", ["t.py::quick"]),
        ("* 2", "* 3", ["t.py::other"]),
        ("    @property\n", "", ["t.py::other", "t.py::quick", "u.py::it", "t.py::slow"]),
        ("LIMIT = 3", "LIMIT = 4", ["t.py::other", "t.py::quick", "u.py::it", "t.py::slow"]),
        ("x + 5", "x - 5", ["t.py::other", "t.py::quick", "u.py::it", "t.py::slow"]),
    ],
)
def test_the_nearest_tests_are_those_that_ran_through_the_change(
    old: str, new: str, tests: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "FROZEN", "u.py")
    found = nearest.nearest(RECORD, "m.py", MODULE, MODULE.replace(old, new))
    assert nearest.ordered(RECORD, found) == tests


ANNOTATED = dedent("""\
    EVERY: int | str = 1

    def outer(x: int | str) -> int | str:
        local: int | str = x | 1
        self.own: int | str
        class Inner:
            field: int | str = 2
            def method(self):
                if local:
                    deep: int | str = 3
        return local
    """)


def test_the_annotations_that_are_never_evaluated_are_those_in_functions() -> None:
    lines = ANNOTATED.splitlines()
    bars = [(row, at) for row, line in enumerate(lines, 1) for at in range(len(line))]
    bars = [(row, at) for row, at in bars if lines[row - 1][at] == "|"]
    left = [place for place in bars if not nearest.evaluated(ANNOTATED, *place)]
    assert left == [(4, 15), (5, 18), (10, 26)]


def test_what_no_test_was_seen_to_run_is_near_to_every_test() -> None:
    assert nearest.nearest(RECORD, "n.py", "x = 1", "x = 2") == set(RECORD["seconds"])


@pytest.mark.parametrize(("budget", "count"), [(0.0, 1), (0.003, 2), (0.6, 3), (3.6, 4), (9.0, 4)])
def test_no_more_tests_are_tried_than_take_so_long(budget: float, count: int) -> None:
    fastest = sorted(RECORD["seconds"], key=lambda name: RECORD["seconds"][name])
    assert nearest.within(RECORD, RECORD["seconds"], budget) == {*fastest[:count]}


def test_tests_that_have_the_name_of_a_module_are_tried_whatever_they_take() -> None:
    found = nearest.by_name(
        ["a/test_log.py::x", "test_log.py::y[z]", "test_logs.py::x"], "c/log.py"
    )
    assert found == {"a/test_log.py::x", "test_log.py::y[z]"}


@pytest.mark.parametrize(
    ("tests", "soon"),
    [
        ((), ()),
        (("slow",), ()),
        (("slow", "it"), ("it",)),
        (("other", "quick", "it"), ("other", "quick", "it")),
    ],
)
def test_tests_in_files_that_are_soon_done_come_first(
    tests: tuple[str, ...], soon: tuple[str, ...]
) -> None:
    names = {name.partition("::")[2]: name for name in RECORD["seconds"]}
    asked = {names[name] for name in tests}
    first, rest, slow = nearest.in_parts(RECORD, asked)
    assert first == {names[name] for name in soon}
    assert rest == {names[name] for name in {*tests} - {*soon}}
    assert not slow
    marked = RECORD | {"slow": [names["it"], names["other"]]}
    assert nearest.in_parts(marked, asked)[2] == asked & {*marked["slow"]}
    assert not {*marked["slow"]} & set[str]().union(*nearest.in_parts(marked, asked)[:2])


TESTS = "tests/projections/test_wording.py"
WORDING = "projections/wording.py"


@pytest.mark.slow
def test_what_runs_through_a_change_is_recorded_and_runs_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    record, before = tmp_path / "record", tmp_path / "before.py"
    asked = ["-p", "tests.nearest", f"--record={record}", TESTS]
    subprocess.run(mutate.tests_command(tmp_path, asked), check=True)
    found: nearest.Record = json.loads(record.read_text("utf-8"))
    assert all(seconds > 0 for seconds in found["seconds"].values())
    source = Path(WORDING).read_text("utf-8")
    before.write_text(source.replace("rating < 0", "rating > 0"), "utf-8")
    first = nearest.nearest(found, WORDING, before.read_text("utf-8"), source)
    assert first == {name for name in found["seconds"] if "a_half_is" in name}
    capfd.readouterr()
    assert nearest.main(str(record), WORDING, str(before), *mutate.tests_command(tmp_path, ())) == 0
    assert f"{len(first)} passed" in capfd.readouterr().out
    failing = [sys.executable, "-c", "import sys; sys.exit(3)"]
    assert nearest.main(str(record), WORDING, str(before), *failing) == 3
