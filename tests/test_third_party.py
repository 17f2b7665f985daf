"""A game system of somebody else's touches no file of ours: installed, it keeps every law."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tree

HOME = tree.ROOT / "tests" / "third_party" / "tidewater"
MODULE = HOME / "tidewater.py"

SCENARIO = """
title = "Two boats"
system = "tidewater"

[[character]]
name = "Gull"
attributes = { grit = 1 }

[[character]]
name = "Heron"

[[step]]
do = "declare"
as = "Gull"
dice = 2
opponent = "Heron"

[[step]]
do = "react"
dice = 2

[[step]]
do = "roll"
hand = "roller"
faces = [7, 2]

[[step]]
do = "reroll"
dice = ["d2"]
faces = [8]

[[step]]
do = "roll"
hand = "reactor"
faces = [6, 1]

[[step]]
do = "resolve"
expect = { degree = "won", margin = 1 }
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the other distribution is installed beside ours."""
    work = tmp_path_factory.mktemp("third-party")
    source = work / "source"
    source.mkdir()
    for file in HOME.iterdir():
        if file.is_file():
            (source / file.name).write_bytes(file.read_bytes())
    site = work / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(site), str(source)], check=True
    )
    return {**os.environ, "PYTHONPATH": str(site)}


def test_it_is_small() -> None:
    assert len(MODULE.read_text(encoding="utf-8").splitlines()) <= 140


def test_no_file_of_ours_knows_of_it() -> None:
    ours = [tree.ROOT / "errors.py", tree.ROOT / "__init__.py"]
    for folder in ("engine", "events", "projections", "rules"):
        ours += (tree.ROOT / folder).rglob("*.py")
    assert not [path for path in ours if "tidewater" in path.read_text(encoding="utf-8").lower()]


@pytest.mark.slow
def test_it_keeps_every_law(installed: dict[str, str], tmp_path: Path) -> None:
    script = HOME / "check_tidewater.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        env=installed, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "Tidewater keeps every law.\n"), done.stderr


def test_the_command_line_knows_it(installed: dict[str, str], tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "urim", "systems"],
        env=installed, cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Tidewater" in shown.stdout


def test_a_scenario_of_it_plays(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "boats.toml").write_text(SCENARIO, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "urim", "run", "boats.toml"],
        env=installed, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "won" in done.stdout


# --- a system that is broken ----------------------------------------------------------------------

RECORD = """
from msgspec import Struct
from urim.rules.ruleset import NoReaction, Ruleset


class Options(Struct):
    {options}


RULESET = Ruleset(
    name="{name}", version=1, title="T", source="S", triggers=(), Declaration=NoReaction,
    Options=Options, faces=dict, settle=print, offers=print, outcome=print,
)
"""

BROKEN = {
    "absent": (None, "ModuleNotFoundError: No module named 'absent'"),
    "nameless": ("", "AttributeError: module 'nameless' has no attribute 'RULESET'"),
    "misspelt": ("def f(:", "SyntaxError: invalid syntax (misspelt.py, line 1)"),
    "failing": ("raise ValueError('one\\ntwo')", "ValueError: one two"),
    "leaving": ("raise SystemExit('bye')", "SystemExit: bye"),
    "another": ("RULESET = 3", "what is registered as 'another' is no Ruleset of that name"),
    "renamed": (
        RECORD.format(name="other", options="pass"),
        "what is registered as 'renamed' is no Ruleset of that name",
    ),
    "unset": (RECORD.format(name="unset", options="limit: int"), "TypeError: Missing required "),
}
"""Modules that are registered as systems, and what is wrong with each; None: it is not there."""


def registered(site: Path, name: str, module: str | None, dist: str = "") -> None:
    """Put a distribution into a folder that registers a module as a system of its name."""
    dist = dist or name
    about = site / f"{dist}-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1\n", "utf-8")
    entry = f"[urim.rules]\n{name} = {name}:RULESET\n"
    (about / "entry_points.txt").write_text(entry, "utf-8")
    if module is not None:
        (site / f"{name}.py").write_text(module, "utf-8")


def listed(path: str, *words: str) -> subprocess.CompletedProcess[str]:
    """What `urim systems` prints with these folders on the path."""
    return subprocess.run(
        [sys.executable, "-m", "urim", "systems", *words],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with every broken system in it."""
    site = tmp_path_factory.mktemp("broken") / "site"
    for name, (module, _) in BROKEN.items():
        registered(site, name, module)
    return str(site)


def test_each_broken_system_is_one_line_of_the_list(broken: str) -> None:
    done = listed(broken)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Milhamah" in done.stdout
    lines = done.stdout.splitlines()
    for name, (_, why) in BROKEN.items():
        [line] = [each for each in lines if f"'{name}' " in each]
        assert why in line


def test_a_broken_system_is_an_object_for_programs(broken: str) -> None:
    done = listed(broken, "--json")
    found = {each["name"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert set(BROKEN) <= set(found)
    assert set(found["absent"]) == {"type", "name", "broken"}
    assert BROKEN["absent"][1] in found["absent"]["broken"]
    assert found["sagatafl"]["version"] == 1


@pytest.mark.parametrize("name", ["absent", "leaving", "unset"])
def test_a_broken_system_asked_for_by_name_is_refused_in_one_line(broken: str, name: str) -> None:
    done = listed(broken, name)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert BROKEN[name][1] in line


def test_two_distributions_that_register_one_name_are_listed_once(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        module = RECORD.format(name="twice", options="pass")
        registered(tmp_path / folder, "twice", module, folder)
    path = os.pathsep.join([str(tmp_path / "one"), str(tmp_path / "two")])
    names = [json.loads(line)["name"] for line in listed(path, "--json").stdout.splitlines()]
    assert names.count("twice") == 1
