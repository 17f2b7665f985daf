"""In a stranger's project: the wheel, installed beside other plugins, serves a suite of its own."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import plays, tree
from tests.installs import dist, install, stranger

pytestmark = pytest.mark.slow

__all__ = ["dist"]  # a fixture

OTHERS = (
    "pytest-asyncio==1.5.0",
    "pytest-randomly==5.1.0",
    "pytest-timeout==2.4.0",
    "pytest-xdist",
)
"""The plugins of other people that are there too."""

SUITE = '''
"""A stranger's tests."""

import asyncio

import pytest
from hypothesis import given as example, settings

from urim import Refused, Table
from urim.engine.core.commands import Resolve, RollDice
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.spec import given, like, refused
from urim.engine.testing.strategies import tables
from urim.events.roll import RollResolved


@pytest.mark.urim("sagatafl")
def test_a_success(urim_table: FixtureTable) -> None:
    ruth = urim_table.character("Ruth", attributes={"Lockpicking": 3})
    urim_table.declare(ruth, trait="Lockpicking", rd=7)
    urim_table.dice("7 2 12")
    past = given(urim_table, ("p1", RollDice(1, "initiator")))
    past.when("narrator", Resolve(1)).then(like(RollResolved, outcome={"margin": 2}))
    past.when("p1", Resolve(1)).then(refused("wrong-state"))


@pytest.mark.parametrize("seed", range(4))
def test_golden(urim_tables, urim_golden, seed: int) -> None:
    table = urim_tables("scarterra", seed=str(seed))
    table.declare(table.character("Ruth"), dots=3).roll()
    urim_golden(table)


@settings(max_examples=20, deadline=None)
@example(table=tables("majesty", ended=True))
def test_every_roll_ends(table: Table) -> None:
    assert all(roll.state in ("resolved", "voided") for roll in table.state.rolls.values())


async def test_within_a_loop(urim_scenario) -> None:
    await asyncio.sleep(0)
    assert urim_scenario("duel.toml").failures == ()
'''

FAILING = """
import pytest

@pytest.mark.urim("milhamah")
def test_left(urim_table):
    urim_table.dice("רוח")
"""

OTHER = "def test_of_something_else(): assert 1 + 1 == 2"

INI = """
[pytest]
addopts = --strict-markers --strict-config -p no:cacheprovider
filterwarnings = error
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
timeout = 300
"""


def run(*words: str | Path, cwd: Path) -> str:
    """Run a program in a plain environment and give what it printed; it must succeed."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=tree.plain_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel, its extra, other plugins, and nothing else."""
    base = tmp_path_factory.mktemp("stranger")
    found = stranger(base, next(dist.glob("*.whl")), "testing")
    install(found, *OTHERS)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the suite."""
    (tmp_path / "pytest.ini").write_text(INI, encoding="utf-8")
    (tmp_path / "test_house.py").write_text(SUITE, encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "test_other.py").write_text(OTHER, encoding="utf-8")
    duel = plays.SCENARIOS / "milhamah" / "counter.toml"
    for name in ("duel.toml", "duel.urim.toml"):
        (tmp_path / name).write_bytes(duel.read_bytes())
    return tmp_path


def passed(output: str) -> int:
    """How many tests passed; none may have done anything else."""
    [last] = re.findall(r"^=+ (.*) in [\d.]+s.*=+$", output, re.MULTILINE)
    found = re.fullmatch(r"(\d+) passed", last)
    assert found, output
    return int(found[1])


def test_a_suite_of_its_own_passes(python: Path, project: Path) -> None:
    """It writes its golden logs alone, and compares them in two processes."""
    output = run(python, "-m", "pytest", "--urim-update", cwd=project)
    assert passed(output) == 9
    [plugins] = re.findall(r"^plugins: (.*)$", output, re.MULTILINE)
    names = {each.rpartition("-")[0] for each in plugins.split(", ")}
    assert names >= {"urim", "asyncio", "randomly", "timeout", "xdist", "hypothesis"}
    assert passed(run(python, "-m", "pytest", "-n", "2", cwd=project)) == 9


def test_without_the_plugin_tests_of_something_else_pass(python: Path, project: Path) -> None:
    output = run(python, "-m", "pytest", "-p", "no:urim", "other", cwd=project)
    assert passed(output) == 1
    assert "urim" not in re.findall(r"^plugins: (.*)$", output, re.MULTILINE)[0]


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_failure_is_told(python: Path, project: Path, options: tuple[str, ...]) -> None:
    (project / "test_failing.py").write_text(FAILING, encoding="utf-8")
    words = [str(python), "-m", "pytest", *options, "test_failing.py"]
    done = subprocess.run(
        words,
        cwd=project,
        env=tree.plain_environment(PYTHONUTF8="1"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert "faces left over: ר ו ח; nothing was thrown" in done.stdout
    assert "urim table fixture0: its history" in done.stdout
    assert 'system = "milhamah"' in done.stdout
