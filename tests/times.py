"""What the tests take: by room, by file, by the programs they start, and the dearest of them.

    URIM_TIMES=times.tsv python -m pytest -p tests.times

`make times` runs this. Wall clock depends on what else runs; CPU time is that of the process of the
test, and of every process that it started and that ended with it. What a fixture of a whole module
takes is counted with the first test that uses it. URIM_TIMES names a file that gets a line a test:
seconds, CPU, kind, test.
"""

import os
import resource
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import tools

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "browser": tools.PROGRAMS["chromium"].names,
    "PostgreSQL": ("postgres", "initdb", "pg_ctl", "pg_basebackup", "pg_dump"),
    "strace": ("strace",),
    "Node": ("node",),
    "Python": ("python",),
}
"""Kinds of tests, the dearest first: by the names of the programs that make them one."""

QUICK = 0.02
"""Seconds: what takes less is of the kind "quick", where it starts nothing."""

ROOMS = ("engine", "events", "rules")
"""Folders of tests that hold a folder a room."""

DEAREST = 40
"""How many tests are named."""


class Taken(NamedTuple):
    """What one test took, in seconds, and its kind."""

    test: str
    kind: str
    wall: float
    cpu: float

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.test.partition("::")[0]

    @property
    def room(self) -> str:
        """The folder of tests that it belongs to."""
        parts = Path(self.file).parts[1:-1]
        return "/".join(parts[:2] if parts and parts[0] in ROOMS else parts[:1]) or "tests"


STARTED: set[str] = set()
"""The names of the programs that this process has started since the test began."""


def notice(event: str, words: tuple[Any, ...]) -> None:
    """An audit hook: which programs are started."""
    if event == "subprocess.Popen":
        STARTED.update(Path(os.fsdecode(word)).name for word in (words[0], words[1][0]) if word)
    elif event == "os.fork":
        STARTED.add("python")


def processor() -> float:
    """Seconds of CPU that this process took, and its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def kind_of(started: Iterable[str], fixtures: Iterable[str]) -> str:
    """What a test is by what it starts; the empty text where that is nothing."""
    names = {name.rstrip("0123456789.") for name in started}
    if "browser" in fixtures:
        return "browser"
    found = (kind for kind, programs in PROGRAMS.items() if names.intersection(programs))
    return next(found, "other programs" if names else "")


class Worker:
    """Measures each test where it runs."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Begin to count."""
        STARTED.clear()
        self.before = processor()
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """With the last report goes what was counted."""
        if call.when == "teardown":
            kind = kind_of(STARTED, getattr(item, "fixturenames", ()))
            item.user_properties.append(("taken", (kind, processor() - self.before)))


class Controller:
    """Gathers what the workers measured, and prints it."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = {}
        self.taken: list[Taken] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Sum what the phases of a test took."""
        name = report.nodeid
        self.wall[name] = self.wall.get(name, 0.0) + report.duration
        if report.when == "teardown":
            known: dict[str, Any] = dict(report.user_properties)
            kind, cpu = known["taken"]
            wall = self.wall.pop(name)
            kind = kind or ("quick" if wall < QUICK else "in this process")
            self.taken.append(Taken(name, kind, wall, cpu))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The tables."""
        for line in told(self.taken):
            terminalreporter.write_line(line)
        if path := os.environ.get("URIM_TIMES"):
            rows = (f"{t.wall:.3f}\t{t.cpu:.3f}\t{t.kind}\t{t.test}\n" for t in self.taken)
            Path(path).write_text("".join(rows), encoding="utf-8")


def told(taken: Iterable[Taken]) -> Generator[str]:
    """What the tests took, as Markdown."""
    every = sorted(taken, key=lambda each: -each.wall)
    wall, cpu = sum(each.wall for each in every), sum(each.cpu for each in every)
    yield f"{len(every):,} tests: {wall:,.0f} s, {cpu:,.0f} s of CPU."
    for most in (100, 500):
        yield f"The {most} dearest: {sum(each.wall for each in every[:most]):,.0f} s."
    for name, key in PARTS.items():
        yield from ("", f"| {name} | tests | seconds | CPU |", "|---|---|---|---|")
        groups: dict[str, list[Taken]] = {}
        for each in every:
            groups.setdefault(key(each), []).append(each)
        rows = sorted(groups.items(), key=lambda row: -sum(each.wall for each in row[1]))
        for group, own in rows[:DEAREST]:
            took = sum(each.wall for each in own), sum(each.cpu for each in own)
            yield f"| {group} | {len(own):,} | {took[0]:,.1f} | {took[1]:,.1f} |"
    yield from ("", "| test | kind | seconds | CPU |", "|---|---|---|---|")
    for each in every[:DEAREST]:
        yield f"| {each.test} | {each.kind} | {each.wall:,.1f} | {each.cpu:,.1f} |"


PARTS: Mapping[str, Callable[[Taken], str]] = {
    "kind": lambda each: each.kind,
    "room": lambda each: each.room,
    "file": lambda each: each.file,
}
"""By what the tests are put together."""


def pytest_configure(config: pytest.Config) -> None:
    """Measure where tests run; gather where there is a terminal."""
    sys.addaudithook(notice)
    config.pluginmanager.register(Worker())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Controller())
