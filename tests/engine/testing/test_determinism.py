"""The same scenario gives the same bytes: in any process, hash seed, locale, zone and Python."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests import plays, tree
from tests.engine.testing import determinism, pythons
from urim.engine.scenario import read_scenario

SCRIPT = Path(determinism.__file__)
PART = 20
"""In other surroundings, and on one other Python, every so many of them are played; all of them, on
every Python, where laws are proven."""

SURROUNDINGS: Mapping[str, Mapping[str, str]] = {
    "another process": {},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed at random": {"PYTHONHASHSEED": "random", "TZ": "Asia/Jerusalem"},
    "C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "a Turkish locale": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"},
    "a Hebrew locale": {"LC_ALL": "he_IL.UTF-8", "TZ": "Asia/Jerusalem"},
    "far east": {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "2"},
    "half an hour off": {"TZ": "America/St_Johns"},
    "no time zone": {"TZ": "No/Where"},
    "without asserts": {"PYTHONOPTIMIZE": "2"},
}


@cache
def repeating() -> list[Path]:
    """Every scenario whose dice repeat."""
    kinds = ("scripted", "seeded:")
    return [path for path in plays.files() if read_scenario(path).dice.startswith(kinds)]


def digests(
    python: str | Path, files: Sequence[Path], folder: Path, **env: str
) -> Mapping[str, str]:
    """The digest of each file, played in a process of its own."""
    path = folder / "path"
    if not path.is_dir():
        path.mkdir()
        (path / "urim").symlink_to(tree.ROOT)
    done = subprocess.run(
        [str(python), str(SCRIPT), *map(str, files)],
        env=tree.plain_environment(
            **{"PYTHONPATH": str(path), "PYTHONPYCACHEPREFIX": str(pythons.COMPILED), **env}
        ),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return dict(zip(map(str, files), lines, strict=True))


@cache
def here(path: Path) -> str:
    """The digest of a file, played in this process."""
    return f"{determinism.digest(path)}  {path.name}"


def expect_same(found: Mapping[str, str]) -> None:
    """Fail with every scenario that came to other bytes than here."""
    assert found == {name: here(Path(name)) for name in found}


def test_there_are_scenarios_of_both_kinds() -> None:
    dice = {read_scenario(path).dice.partition(":")[0] for path in repeating()}
    assert dice == {"scripted", "seeded"}
    assert len(repeating()) > 100


def test_other_faces_are_other_bytes(tmp_path: Path) -> None:
    seeded = next(path for path in repeating() if read_scenario(path).dice.startswith("seeded:"))
    text = seeded.read_text(encoding="utf-8").replace('dice = "seeded:', 'dice = "seeded:other-')
    kept = [line for line in text.splitlines() if not line.startswith("expect = ")]
    (tmp_path / seeded.name).write_text("\n".join(kept), encoding="utf-8")
    assert determinism.digest(tmp_path / seeded.name) != determinism.digest(seeded)


@pytest.mark.sampled(0, rest=2)
@pytest.mark.prove
@pytest.mark.parametrize("name", SURROUNDINGS)
def test_the_same_bytes_in_other_surroundings(name: str, tmp_path: Path, count: int) -> None:
    start = list(SURROUNDINGS).index(name)
    files = repeating() if count >= 100 else repeating()[start % PART :: PART]
    expect_same(digests(sys.executable, files, tmp_path, **SURROUNDINGS[name]))


@pytest.mark.slow
@pytest.mark.prove
def test_the_same_bytes_on_another_python(tmp_path: Path, count: int) -> None:
    found = pythons.pythons()
    if len(found) < 2:
        pytest.skip(pythons.MISSING.format("Python {}.{}".format(*next(iter(found)))))
    others = [(version, path) for version, path in found.items() if path != Path(sys.executable)]
    for version, path in others if count >= 100 else others[-1:]:
        env = {"PYTHONHASHSEED": str(version[1]), "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
        files = repeating() if count >= 100 else repeating()[version[1] % PART :: PART]
        expect_same(digests(pythons.prepared(path), files, tmp_path, **env))


# --- the Pythons ----------------------------------------------------------------------------------


def test_this_python_is_one_of_them() -> None:
    assert pythons.pythons()[sys.version_info[:2]] == Path(sys.executable)


def test_what_is_no_python_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python3.12").write_text("#!/bin/sh\necho cpython 3 12 True; exit 1\n")
    (tmp_path / "python3.13").write_text("#!/bin/sh\necho pypy 3 13 True\n")
    (tmp_path / "python3.14").write_text("not executable")
    (tmp_path / "python3.15").write_text("#!/bin/sh\necho cpython 3 10 True\n")
    (tmp_path / "python3.16").write_text("#!/bin/sh\necho cpython 3 16 False\n")
    for path in tmp_path.iterdir():
        path.chmod(0o644 if path.name == "python3.14" else 0o755)
    monkeypatch.setattr(pythons, "candidates", lambda: sorted(tmp_path.iterdir()))
    assert pythons.pythons() == {}


def test_a_python_is_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("#!/bin/sh\necho cpython 3 99 True\n")
    mine.chmod(0o755)
    monkeypatch.setenv("URIM_PYTHONS", str(mine))
    assert pythons.pythons()[3, 99] == mine


def test_one_python_alone_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pythons, "pythons", lambda: {(3, 11): Path(sys.executable)})
    with pytest.raises(pytest.skip.Exception) as skipped:
        test_the_same_bytes_on_another_python(Path(), 1)
    assert "only Python 3.11 was found" in str(skipped.value)
    assert "URIM_PYTHONS=" in str(skipped.value)
