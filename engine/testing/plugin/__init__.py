"""The pytest plugin `urim`: tables, specifications, golden logs and scenarios for anybody's tests.

urim_table      a table as the marker `urim` describes it: `@pytest.mark.urim("a system", seed="7")`
urim_tables     a function that makes tables, as many as are asked for
urim_golden     compares a table with its golden log; `--urim-update` writes it
urim_scenario   plays a scenario file, named from the test's own folder
urim_evening    the file of a recorded evening, of a test that `urim_recorded` made
*.urim.toml     is a test: a scenario that must play as it expects

A test that fails reports the history of its latest tables and scenarios that reproduce them. One
that passes fails all the same if it leaves queued faces over, or a `when` without its `then`.
With `--urim-record DIR` one that passes leaves the logs of its tables there, its latest three.
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

RECORDED = ".urim.jsonl"
"""How the files of recorded evenings end."""

UPDATE = "--urim-update"
RECORD = "--urim-record"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Two options: to write golden logs, and to keep what tests play."""
    group = parser.getgroup("urim")
    group.addoption(
        UPDATE, action="store_true", help="write Urim's golden logs, over those that are there"
    )
    group.addoption(
        RECORD,
        metavar="DIR",
        type=Path,
        help="keep the logs of the tables that tests of Urim play, in this folder",
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


# --- recorded evenings ----------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that `urim_recorded` made is one of each file that fits its pattern."""
    pattern: str | None = getattr(metafunc.function, "urim_recorded", None)
    if pattern is None:
        return
    folder = metafunc.definition.path.parent
    files = sorted(folder.glob(pattern))
    if not files:
        pytest.fail(f"urim_recorded: no file in {folder} fits {pattern!r}", pytrace=False)
    names = [file.relative_to(folder).as_posix().removesuffix(RECORDED) for file in files]
    metafunc.parametrize("urim_evening", files, ids=names)


def _record(item: pytest.Item, watch: Watch) -> None:
    """Keep the logs of a test's tables, where the option asks for it."""
    folder: Path | None = item.config.getoption(RECORD)
    if folder is None:
        return
    from ..golden import file_name
    from ..recorded import keep

    for number, reported in enumerate(watch.reported, 1):
        name = file_name(f"{item.path.stem}-{item.name}-{number}")
        keep(reported.aggregate, folder / f"{name}{RECORDED}")


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
    if result.passed and result.when == "call" and watch:
        _record(item, watch)
    if result.failed and watch and watch.reported:
        from .report import sections

        result.sections.extend(sections(watch))
    return result
