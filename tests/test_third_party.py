"""A game system of somebody else's touches no file of ours: installed, it keeps every law."""

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
    assert len(MODULE.read_text(encoding="utf-8").splitlines()) <= 120


def test_no_file_of_ours_knows_of_it() -> None:
    ours = [tree.ROOT / "errors.py", tree.ROOT / "__init__.py"]
    for folder in ("engine", "events", "projections", "rules"):
        ours += (tree.ROOT / folder).rglob("*.py")
    assert not [path for path in ours if "tidewater" in path.read_text(encoding="utf-8").lower()]


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
