"""The pytest plugin `urim`: tables, specifications, golden logs and scenarios for anybody's tests.

urim_table      a table as the marker `urim` describes it: `@pytest.mark.urim("a system", seed="7")`
urim_tables     a function that makes tables, as many as are asked for
urim_golden     compares a table with its golden log; `--urim-update` writes it
urim_scenario   plays a scenario file, named from the test's own folder
*.urim.toml     is a test: a scenario that must play as it expects

A test that fails reports the history of its latest tables and scenarios that reproduce them. One
that passes fails all the same if it leaves queued faces over, or a `when` without its `then`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ....errors import Refused

if TYPE_CHECKING:
    from ...scenario import Play
    from ..golden import Golden
    from .tables import FixtureTable
    from .watch import Watch

# pytest imports this module at every start, for tests that have nothing to do with Urim too: the
# engine is imported only by who asks for it.
# ruff: noqa: PLC0415

MARKER = "urim(system, *, seed=None, dice=None, options=None, id=None, level='player')"
SUFFIX = ".urim.toml"
"""How the files end that are tests by themselves."""

UPDATE = "--urim-update"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option: to write golden logs."""
    group = parser.getgroup("urim")
    group.addoption(
        UPDATE, action="store_true", help="write Urim's golden logs, over those that are there"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The one marker."""
    use = "the table that the fixture `urim_table` makes; the nearest marker's words count"
    config.addinivalue_line("markers", f"{MARKER}: {use}")


# --- tables ---------------------------------------------------------------------------------------


@pytest.fixture
def urim_tables() -> Callable[..., FixtureTable]:
    """Makes a table: `urim_tables(system, seed=…, dice=…, options=…)`, as `FixtureTable` does."""
    from .tables import FixtureTable

    return FixtureTable


@pytest.fixture
def urim_table(request: pytest.FixtureRequest) -> FixtureTable:
    """The table that the test's markers `urim` describe."""
    from .tables import FixtureTable

    given: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("urim"))):
        named = dict(zip(("system",), marker.args, strict=False))
        if len(marker.args) > len(named):
            pytest.fail(f"the marker is {MARKER}, not urim{marker.args}", pytrace=False)
        if {"seed", "dice"} & marker.kwargs.keys():  # a nearer one of the two takes both places
            given = {key: value for key, value in given.items() if key not in ("seed", "dice")}
        given |= named | marker.kwargs
    try:
        return FixtureTable(**given)
    except TypeError as error:
        pytest.fail(f"the marker is {MARKER}: {error}", pytrace=False)
    except Refused as error:
        pytest.fail(f"the marker urim makes no table: {error}", pytrace=False)


@pytest.fixture
def urim_golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a table's events with the golden log of this test: `urim_golden(table)`."""
    from ..golden import Golden

    update = bool(request.config.getoption(UPDATE))
    owner = f"{request.cls.__name__}." if request.cls is not None else ""
    return Golden(request.path, f"{owner}{request.node.name}", update=update)


@pytest.fixture
def urim_scenario(request: pytest.FixtureRequest) -> Callable[[str | Path], Play]:
    """Plays a scenario file, named from the test's own folder, and gives the play."""
    from .scenario import perform

    folder = request.path.parent
    return lambda file: perform(folder / file)


# --- scenarios ------------------------------------------------------------------------------------


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A scenario file is a test."""
    if not file_path.name.endswith(SUFFIX):
        return None
    from .scenario import ScenarioFile

    found: pytest.Collector = ScenarioFile.from_parent(parent, path=file_path)
    return found


# --- what a test made -----------------------------------------------------------------------------

WATCH: pytest.StashKey[Watch] = pytest.StashKey()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Take note of the tables that a test makes."""
    from .watch import watching

    with watching() as watch:
        item.stash[WATCH] = watch
        result = yield
        del item.stash[WATCH]
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test that leaves something undone has not passed."""
    result = yield
    watch = item.stash.get(WATCH, None)
    owed = watch.owed() if watch else []
    if owed:
        pytest.fail("\n".join(owed), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report the history of a failing test's tables."""
    result = yield
    watch = item.stash.get(WATCH, None)
    if result.failed and watch and watch.reported:
        from .report import sections

        result.sections.extend(sections(watch))
    return result
