"""Scenario files as tests: each `*.urim.toml` is one, and `urim_scenario` plays any file."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ....errors import Refused
from ....events.log.memory import MemoryLog
from ...core.aggregate import Aggregate
from ...scenario import Play, Scenario, play, read_scenario
from .watch import Refusal, note_history


class Performance:
    """A scenario that was played, for a failure to report."""

    example: object = None
    needs_scenario = False

    def __init__(self, played: Play) -> None:
        self.aggregate: Aggregate = played.aggregate
        self.refusal: Refusal | None = None


def perform(scenario: Scenario | Path) -> Play:
    """Play a scenario, or the one in a file, and check all that it expects.

    Raises AssertionError with every expectation that did not hold; Refused for a file that cannot
    be used, and for a step that is refused and does not say so.
    """
    __tracebackhide__ = True
    read = scenario if isinstance(scenario, Scenario) else read_scenario(scenario)
    with ThreadPoolExecutor(1) as thread:  # a test may have an event loop of its own running
        played = thread.submit(lambda: asyncio.run(play(read, MemoryLog()))).result()
    note_history(Performance(played))
    if played.failures:
        raise AssertionError("\n".join(map(str, played.failures)))
    return played


class ScenarioFile(pytest.File):
    """A file `*.urim.toml`, collected as one test."""

    def collect(self) -> Iterable[pytest.Item]:
        """The test that plays it."""
        yield ScenarioItem.from_parent(self, name="plays")  # pyright: ignore[reportUnknownVariableType]


class ScenarioItem(pytest.Item):
    """The test that a scenario plays as it expects."""

    def runtest(self) -> None:
        """Play it."""
        perform(self.path)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:  # fmt: skip
        """What did not hold, without a traceback: the file is the test."""
        if isinstance(excinfo.value, (AssertionError, Refused)):
            return "\n".join(
                f"{self.path.name}: {line}" for line in str(excinfo.value).splitlines()
            )
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test is, and what it is called."""
        return self.path, 0, f"scenario {self.path.name}"
