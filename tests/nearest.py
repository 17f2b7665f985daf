"""Tries a mutant on the tests that run through the function it changed, the fastest first.

As a plugin of pytest (`-p tests.nearest`): `--record=FILE` writes which tests ran through which
functions, and how long each took; `--order=FILE` runs the tests in the order of a list and leaves
out all others. As a program it is told the record, the module, the file as it was, and what runs
pytest; it exits with 0 where no test failed.

What these tests see is seen. What they do not see another test may: slow ones are left out, a
function that runs in another process is in no record, and one that runs once for many tests is in
that of the first of them.
"""

import ast
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Generator, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from inspect import CO_OPTIMIZED
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any, TypeAlias, TypeVar

import pytest

from tests.tree import ROOT, source_files

T = TypeVar("T")

Record: TypeAlias = dict[str, Any]
"""`seconds` by test; `collected`, the seconds that it took to find a file's tests, by file;
`slow`, the tests that `make test` leaves out; `touched` by module, then by a function's first line:
the tests' numbers."""

FROZEN = "tests/test_frozen.py"
"""The law that runs through no structure, and looks at them all."""

SLOW_ALONE = "No test of `make test` saw it."
"""What is printed of a mutant that slow tests alone see."""

NEAR = 2.0
"""Of the tests that run through a change those are tried first whose files take less together."""

BUDGET = 15.0
"""So many seconds of tests are tried on a mutant at most, the fastest of those that fit, beside
those in the files that have the name of what it changed, `test_log.py` of `log.py`."""

NO_TESTS = 5
"""pytest's exit code where it was given no test to run."""

FACTOR, FLOOR = 4.0, 10.0
"""How long a test may take: so many times what the slowest takes, and so many seconds more."""

STEPS = (0.02, 0.1, 0.5, 2.0)
"""Tests are sorted by seconds no finer than this, so that those of a file share its fixtures."""


# --- the record -----------------------------------------------------------------------------------


class Recorder:
    """Notes which of the product's functions are called while each test runs, in any thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._ours = {str(path): path.relative_to(ROOT).as_posix() for path in source_files()}
        self._codes: dict[int, tuple[CodeType, set[int] | None]] = {}
        self._touched: dict[str, dict[int, set[int]]] = {}
        self._seconds: dict[str, float] = {}
        self._collected: dict[str, float] = {}
        self._slow: list[str] = []
        self._now: int | None = None

    def _called(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, self._tests_of(code))
        tests = known[1]
        if tests is not None and self._now is not None:
            tests.add(self._now)

    def _tests_of(self, code: CodeType) -> set[int] | None:
        module = self._ours.get(os.path.realpath(code.co_filename))
        if module is None:
            return None
        return self._touched.setdefault(module, {}).setdefault(code.co_firstlineno, set())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, T, T]:
        """Note how long the tests of a file are looked for."""
        start = time.monotonic()
        try:
            return (yield)
        finally:
            if isinstance(collector, pytest.Module):
                self._collected[collector.nodeid] = time.monotonic() - start

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note whose calls these are, its fixtures' as well."""
        self._now = len(self._seconds)
        self._seconds[item.nodeid] = 0.0
        if item.get_closest_marker("slow"):
            self._slow.append(item.nodeid)
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            self._now = None
            sys.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a part of a test took."""
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write what was found."""
        touched = {
            module: {line: sorted(tests) for line, tests in lines.items()}
            for module, lines in self._touched.items()
        }
        record: Record = {"seconds": self._seconds, "collected": self._collected}
        record |= {"slow": self._slow, "touched": touched}
        self._file.write_text(json.dumps(record), "utf-8")


class Order:
    """Leaves the tests of a list alone, in its order."""

    def __init__(self, file: Path) -> None:
        names = file.read_text("utf-8").splitlines()
        self._places = {name: place for place, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out and sort."""
        chosen = [item for item in items if item.nodeid in self._places]
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])


def pytest_addoption(parser: pytest.Parser) -> None:
    """What the plugin does is asked for."""
    parser.addoption("--record", type=Path, default=None, help="write who calls what")
    parser.addoption("--order", type=Path, default=None, help="run these tests, in this order")


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    for name, kind in (("record", Recorder), ("order", Order)):
        file = config.getoption(name)
        if file is not None:
            config.pluginmanager.register(kind(file), f"nearest-{name}")


# --- one mutant -----------------------------------------------------------------------------------


def changed(before: str, after: str) -> set[int]:
    """The lines, counted from 1, in which a text was changed."""
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return {
        line + 1
        for tag, start, stop, _, _ in matcher.get_opcodes()
        if tag != "equal"
        for line in range(start, max(stop, start + 1))
    }


def functions_at(source: str, line: int) -> set[int] | None:
    """The first lines of the functions in which a line runs; None where it runs on import.

    That is the innermost one; of its own first line also those around it, which make it.
    """
    inside: set[int] = set()
    every = [compile(source, "", "exec", dont_inherit=True)]
    for code in every:
        inner = [each for each in code.co_consts if isinstance(each, CodeType)]
        every += inner
        # Of all that is compiled only the bodies of modules and classes have no fast locals.
        if code.co_flags & CO_OPTIMIZED:
            if code.co_firstlineno <= line <= _last(code):
                inside.add(code.co_firstlineno)
        elif line in _own(code):
            return None
    if not inside:
        return None
    innermost = max(inside)
    return inside if innermost == line else {innermost}


def evaluated(source: str, line: int, column: int) -> bool:
    """Whether a place is none in the annotation of a local name, which nothing ever evaluates."""
    return not any(first <= (line, column) < last for first, last in _local_annotations(source))


@cache
def _local_annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where those of the names and attributes that functions set begin and end."""

    def within(node: ast.AST, *, local: bool) -> Iterator[ast.expr]:
        for each in ast.iter_child_nodes(node):
            if local and isinstance(each, ast.AnnAssign):
                yield each.annotation
            function = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            left = isinstance(each, ast.ClassDef)
            yield from within(each, local=function or (local and not left))

    return [
        ((each.lineno, each.col_offset), (each.end_lineno or 0, each.end_col_offset or 0))
        for each in within(ast.parse(source), local=False)
    ]


def _own(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line is not None}


def _last(code: CodeType) -> int:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return max([*_own(code), *map(_last, inner)])


def nearest(record: Record, module: str, before: str, after: str) -> set[str]:
    """The tests that ran through what was changed.

    Where it runs on import, those that ran through anything in the module, and those of FROZEN,
    which look at what an import makes. All where none ran through it.
    """
    touched = {int(line): tests for line, tests in record["touched"].get(module, {}).items()}
    names = list(record["seconds"])
    found, on_import = set[int](), False
    for line in changed(before, after):
        functions = functions_at(before, line)
        lines = touched.keys() if functions is None else functions
        found.update(at for first in lines for at in touched.get(first, ()))
        on_import = on_import or functions is None
    if found and on_import:
        found |= {at for at, name in enumerate(names) if file_of(name) == FROZEN}
    return {names[at] for at in found} or {*names}


def ordered(record: Record, tests: Collection[str]) -> list[str]:
    """These tests, the fastest first."""
    seconds = record["seconds"]
    known = [name for name in seconds if name in tests]
    return sorted(known, key=lambda name: sum(seconds[name] > step for step in STEPS))


def within(record: Record, tests: Collection[str], budget: float) -> set[str]:
    """Of these tests the fastest, as many as take so many seconds together, and one at least."""
    known = sorted(tests, key=lambda name: record["seconds"][name])
    sums = accumulate(record["seconds"][name] for name in known)
    return {*known[:1], *(name for name, sum_ in zip(known, sums, strict=True) if sum_ <= budget)}


def by_name(tests: Collection[str], module: str) -> set[str]:
    """Of these tests those in the files that have the module's name."""
    return {name for name in tests if Path(file_of(name)).name == f"test_{Path(module).name}"}


def in_parts(record: Record, tests: Collection[str]) -> list[set[str]]:
    """These tests in three parts: those in files that are soon done, the rest, and slow ones."""
    slow = {*record["slow"]} & {*tests}
    costs: dict[str, float] = {}
    for name in {*tests} - slow:
        file = file_of(name)
        costs[file] = costs.get(file, record["collected"][file]) + record["seconds"][name]
    files = sorted(costs, key=lambda file: costs[file])
    sums = accumulate(costs[file] for file in files)
    near = {file for file, cost in zip(files, sums, strict=True) if cost <= NEAR}
    soon = {name for name in tests if file_of(name) in near} - slow
    return [soon, {*tests} - soon - slow, slow]


def file_of(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def tried(command: Sequence[str], tests: Sequence[str], slowest: float) -> int:
    """The exit code of pytest for these tests, in this order; 0 where there are none.

    A test may take a few times the seconds of the slowest one: a mutant may never end.
    """
    if not tests:
        return 0
    env = {**os.environ, "URIM_SECONDS": f"{FLOOR + FACTOR * slowest:.1f}"}
    files = sorted(set(map(file_of, tests)))
    with TemporaryDirectory() as folder:
        order = Path(folder) / "order"
        order.write_text("\n".join(tests), "utf-8")
        asked = [*command, "-p", "tests.nearest", f"--order={order}", *files]
        code = subprocess.run(asked, env=env, check=False).returncode
    return 0 if code == NO_TESTS else code


def main(record_file: str, module: str, original: str, *command: str) -> int:
    """Try the mutant that lies in the working directory."""
    record: Record = json.loads(Path(record_file).read_text("utf-8"))
    before, after = (Path(path).read_text("utf-8") for path in (original, module))
    slowest = max(record["seconds"].values(), default=0.0)
    near = nearest(record, module, before, after)
    tests = within(record, near, BUDGET) | by_name(near, module)
    parts = in_parts(record, tests)
    for part in parts:
        if code := tried(command, ordered(record, part), slowest):
            if part is parts[-1]:
                print(SLOW_ALONE)
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
