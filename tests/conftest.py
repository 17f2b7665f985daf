"""What all tests share: no skip goes unnoticed, and chance is the same in every run.

URIM_NO_SKIP=1   a skipped test is a failed one
URIM_COUNT       how often a law is tried; small by default, large in `make prove`, where also the
                 cases run that are left out otherwise: from 100 on
URIM_SEED        where chance starts; without it every run is the same
URIM_SECONDS     how long a test may take: without it two and a half minutes
URIM_POSTGRES    the URL of a PostgreSQL for tests; without it they start their own
TMPDIR           where their files are; without it in memory, where there is room
"""

import asyncio
import faulthandler
import gc
import inspect
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

NO_SKIP = os.environ.get("URIM_NO_SKIP") == "1"
COUNT = int(os.environ.get("URIM_COUNT", "10"))
MANY = COUNT >= 100  # then nothing is left out of what is sampled
SEED = int(os.environ.get("URIM_SEED", "1"))
SECONDS = float(os.environ.get("URIM_SECONDS", "150"))

# A shell without job control has what it starts in the background ignore these, and so would what
# the tests start: some wait for the end that they bring.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)

# It changes what Hypothesis shows, and every pytest that a test runs would load it first.
os.environ.setdefault("PYTEST_ADDOPTS", "-p no:schemathesis")

pytest.register_assert_rewrite(
    "tests.engine.access.coming",
    "tests.engine.access.going",
    "tests.engine.service.vaults",
    "tests.engine.snapshots.stores",
)

settings.register_profile(
    "urim",
    max_examples=COUNT,
    # `make prove` gives a seed and means other examples than those of every day.
    derandomize="URIM_SEED" not in os.environ,
    database=None,
    deadline=None,
    # A busy machine is no property of the code.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("urim")


MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder in it for one user alone
ROOM = 4 * 1024**3
"""Bytes that must be free in memory for the files of tests to go there."""


def is_roomy(folder: Path) -> bool:
    """Whether a folder has room for the files of tests, and every user may write there."""
    if not folder.is_dir() or shutil.disk_usage(folder).free <= ROOM:
        return False
    return folder.stat().st_mode & 0o1777 == 0o1777


# Thousands of logs sync, and no test can see whether a disk did: those of crashes trace the calls.
if is_roomy(MEMORY):
    os.environ.setdefault("TMPDIR", str(MEMORY))
    tempfile.tempdir = None  # it may have been asked for already

HERE = Path(__file__)

SHARES = re.compile(r'scope="module"|^@(?:lru_)?cache\b', re.MULTILINE)
"""What a file has, or the conftest.py beside it, whose tests have something dear in common.

One process runs the tests of each such file."""


@cache
def together(path: Path) -> bool:
    """Whether one process runs the tests of a file."""
    return shares(path) or shares(path.with_name("conftest.py"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is sampled is slow but for some cases, and tests that stay together come first.

    Of those that are slow `rest` says how many are run at all, unless MANY are.

    For the last unit that a process begins should be a short one.
    """
    sampled: dict[tuple[str, int, int | None], list[pytest.Item]] = {}
    for item in items:
        if marked := item.get_closest_marker("sampled"):
            key = item.nodeid.partition("[")[0], marked.args[0], marked.kwargs.get("rest")
            sampled.setdefault(key, []).append(item)
    left: set[pytest.Item] = set()
    for (_, most, rest), cases in sampled.items():
        soon = spread(cases, most)
        late = [item for item in cases if item not in soon]
        left.update(() if MANY or rest is None else set(late) - spread(late, rest))
        for item in late:
            item.add_marker(pytest.mark.slow)
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: (POSTGRES not in item.path.parts, not together(item.path)))


def spread(cases: Sequence[pytest.Item], most: int) -> set[pytest.Item]:
    """So many cases, the first and others that are spread over them."""
    wanted = min(most, len(cases))
    return {cases[number * len(cases) // wanted] for number in range(wanted)}


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine runs to its end, in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    work = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    asyncio.run(work)
    return True


POSTGRES = "postgres"
"""Folders of this name need a server of PostgreSQL: one process runs their tests, with one."""


class Units(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Gives out the tests of a file as one unit where they stay together, else one by one.

    What pytest-xdist's own schedulers do at each test grows with the number of tests: with 20,000
    of them a minute of a processor.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        parts = file.split("/")
        if POSTGRES in parts:
            return POSTGRES
        return file if together(self.config.rootpath / file) else nodeid

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        for done in [scope for scope, tests in workload.items() if all(tests.values())]:
            del workload[done]
        return sum(len(tests) - sum(tests.values()) for tests in workload.values())

    def remove_node(self, node: WorkerController) -> str | None:
        """Give what a worker that crashed had left to others, but for the test that it died of.

        pytest-xdist would run that one again and again, a worker each.
        """
        work = self.assigned_work.pop(node)
        left: list[tuple[dict[str, bool], str]] = [
            (unit, test) for unit in work.values() for test, done in unit.items() if not done
        ]
        if not left:
            return None
        unit, died_of = left[0]
        unit[died_of] = True
        self.workqueue.update(
            {scope: tests for scope, tests in work.items() if not all(tests.values())}
        )
        for other in self.assigned_work:
            self._reschedule(other)
        return died_of

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """What a worker has collected."""
        super().add_node_collection(node, collection)
        self.registered_collections[node] = Places(collection)


class Places(list[str]):
    """A list of tests that knows where each is."""

    def __init__(self, tests: Iterable[str]) -> None:
        super().__init__(tests)
        self._places = {test: place for place, test in enumerate(self)}

    def index(self, test: str, *_: object) -> int:
        """Where that test is."""
        return self._places[test]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Units:
    """Units, in the order in which they are collected."""
    config.option.loadscopereorder = False
    return Units(config, log)


@cache
def shares(path: Path) -> bool:
    """Whether what a file says makes something that all tests of a module use."""
    return (
        path != HERE
        and path.is_file()
        and SHARES.search(path.read_text(encoding="utf-8")) is not None
    )


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later collection of garbage: it stays to the end."""
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many tests wait for a server, a browser or a disk."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def count() -> int:
    """How often a test of a law should try it."""
    return COUNT


@pytest.fixture(scope="session")
def seed() -> int:
    """Where a test's own chance should start."""
    return SEED


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Takes what a test of a law tried, for `make prove` to write down; without it, the count."""
    return partial(record_property, "tried")


class OutOfTime(BaseException):
    """A test took longer than URIM_SECONDS.

    No Exception: Hypothesis would run the same example again, which would not end either.
    """


@contextmanager
def limited() -> Generator[None]:
    """Raise OutOfTime in what takes longer than URIM_SECONDS."""

    def stop(*_: object) -> None:
        raise OutOfTime(f"stopped after {SECONDS:,g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Generator[None]:
    """Stop the fixtures of a test that do not end."""
    with limited():
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call() -> Generator[None]:
    """Stop a test that does not end."""
    with limited():
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """End the process of a test that cannot be stopped; xdist reports it and starts another one."""
    faulthandler.dump_traceback_later(2 * SECONDS, exit=True, file=2)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a test into a failure, where none is allowed."""
    report = yield
    # An expected failure is reported as skipped too, but it was run.
    if NO_SKIP and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which URIM_NO_SKIP forbids: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole module into a failure, where none is allowed."""
    report = yield
    if NO_SKIP and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which URIM_NO_SKIP forbids: {report.longrepr}"
    return report
