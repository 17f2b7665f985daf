"""What is built is what is in the tree; a stranger can install it, run it and check types by it."""

import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from rich.cells import cell_len

import urim
from tests import tree
from tests.installs import (
    HASHED,
    PINS,
    dist,
    expect_success,
    hashed,
    needed,
    run,
    stranger,
)

__all__ = ["dist"]  # a fixture

PROJECT = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel, what it needs, and nothing else."""
    return stranger(tmp_path_factory.mktemp("stranger"), next(dist.glob("*.whl")))


BESIDE = {
    *("CHANGELOG.md", "LICENSE", "MANIFEST.in", "NOTICE.md", "PKG-INFO", "README.md"),
    *("constraints.txt", "hashes.txt", "pyproject.toml", "setup.cfg"),
}
"""What the sdist has beside what is installed: no tests, no pictures."""


# --- the lists ------------------------------------------------------------------------------------


def test_every_package_of_the_tree_is_listed() -> None:
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == tree.packages()


@pytest.mark.slow
def test_the_wheel_holds_the_tree_and_nothing_else(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == tree.installed_names()


@pytest.mark.slow
def test_the_sdist_holds_the_same_and_what_builds_it(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as sdist:
        files = {each.name.partition("/")[2] for each in sdist.getmembers() if each.isfile()}
    installed = {name.removeprefix("urim/") for name in tree.installed_names()}
    assert installed <= files
    assert {name for name in files - installed if ".egg-info/" not in name} == BESIDE


def test_the_version_is_told_in_one_way() -> None:
    assert urim.__version__ == PROJECT["project"]["version"]


def test_all_that_is_needed_is_pinned_and_fits() -> None:
    """Whoever asks for it, the extras for work on Urim too; of `make mutate` what it asks first."""
    versions = dict(line.split("==") for line in pins())
    pinned = {canonicalize_name(name): version for name, version in versions.items()}
    asked = needed("urim", {"", *PROJECT["project"]["optional-dependencies"]})
    assert asked.keys() <= pinned.keys()
    every = [each for wanted in asked.values() for each in wanted]
    assert not [
        each for each in every if pinned[canonicalize_name(each.name)] not in each.specifier
    ]


def test_the_pins_name_versions_only() -> None:
    assert not [line for line in pins() if not re.fullmatch(r"[\w.-]+==[\w.]+", line)]


def test_all_that_users_need_has_hashes_in_the_pinned_versions() -> None:
    pinned = {canonicalize_name(n): v for n, v in (line.split("==") for line in pins())}
    found = dict(words.split("==") for words in hashed())
    assert found.items() <= pinned.items()
    assert needed("urim", {"", *HASHED}).keys() <= found.keys()


def test_a_part_of_the_hashes_is_a_version_and_hashes_of_its_files() -> None:
    form = r"[\w.-]+==[\w.]+ \\\n(    --hash=sha256:[0-9a-f]{64} \\\n)*"
    form += r"    --hash=sha256:[0-9a-f]{64}\n"
    assert not [part for part in hashed().values() if not re.fullmatch(form, part)]


def pins() -> list[str]:
    """The lines of constraints.txt that pin something."""
    lines = PINS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


# --- the command ----------------------------------------------------------------------------------

TERMINALS = {
    "a pipe": {},
    "80 columns": {"COLUMNS": "80"},
    "no colours": {"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm-256color"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "no locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
COLOUR = re.compile(rb"\x1b\[[0-9;]*(?<![0-9])(?:[349][0-7]|10[0-7]|[34]8;[25])[;m]")


@pytest.mark.slow
@pytest.mark.parametrize("env", TERMINALS.values(), ids=TERMINALS)
def test_the_demo_plays_in_any_terminal(python: Path, tmp_path: Path, env: dict[str, str]) -> None:
    done = run(python.with_name("urim"), "demo", cwd=tmp_path, **env)
    expect_success(done)
    assert done.stdout.strip()
    assert b"Traceback" not in done.stdout + done.stderr
    assert not COLOUR.search(done.stdout)
    if "COLUMNS" in env:
        lines = done.stdout.decode("utf-8").splitlines()
        assert not [line for line in lines if cell_len(line) > int(env["COLUMNS"])]


@pytest.mark.slow
def test_the_package_is_the_command_from_any_folder(python: Path, tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()  # a folder of the checkout's name is not the installed one
    for words in (("--help",), ("--version",), ("systems",)):
        done = run(python, "-m", "urim", *words, cwd=tmp_path)
        expect_success(done)
        assert done.stdout == run(python.with_name("urim"), *words, cwd=tmp_path).stdout


def test_colours_are_told_from_other_codes() -> None:
    assert all(COLOUR.search(code) for code in (b"\x1b[31m", b"\x1b[1;38;5;9m", b"\x1b[97;1m"))
    assert not any(COLOUR.search(code) for code in (b"\x1b[1m", b"\x1b[0m", b"\x1b[131m"))


# --- the types ------------------------------------------------------------------------------------

STRANGER = '''
"""What somebody else might write."""

from urim import Refused, Table
from urim.events.roll import DiceRolled


def thrown(event: DiceRolled) -> int:
    return len(event.dice)


def play() -> str:
    table = Table("milhamah", dice="seeded:7")
    hero = table.character("Rachel", attributes={"BLE": 3})
    try:
        table.declare(hero)
    except Refused as refused:
        return refused.code
    return ""
'''
MISTAKEN = STRANGER + "\n\nnumber: int = play()\nTable(7)\n"


@pytest.mark.slow
def test_a_stranger_can_type_check_with_it(python: Path, tmp_path: Path) -> None:
    """Against what is installed there, and never against the checkout."""
    for name, text in (("good", STRANGER), ("mistaken", MISTAKEN)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    words = ("--strict", "--config-file=", "--python-executable", python, "good.py", "mistaken.py")
    done = run(sys.executable, "-m", "mypy", *words, cwd=tmp_path)
    *errors, summary = done.stdout.splitlines()
    assert all(line.startswith(b"mistaken.py:") for line in errors)
    assert b"[assignment]" in done.stdout
    assert b"[arg-type]" in done.stdout
    assert summary.startswith(b"Found 2 errors in 1 file")
