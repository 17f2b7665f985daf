"""What was built installs in an empty environment, with each extra, on every Python here."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import second, tree
from tests.engine.testing.pythons import NEWEST, in_words, pythons
from tests.releases.keep import HERE
from tests.test_package import PROJECT, dist, expect_success, installed, run
from urim import __version__

__all__ = ["dist"]  # a fixture

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "server": ("urim.engine.server", "urim.engine.server.process"),
    "client": ("urim.engine.client",),
    "testing": ("urim.engine.testing.plugin", "urim.engine.testing.strategies"),
    "postgres": ("urim.events.log.postgres",),
}
"""The extras that are for users, and modules that need them."""

OURS = ("dev", "docs", "mutation")
"""Those for work on Urim: `make dev` and `make mutate` install them."""

OTHERS = {
    f"{major}.{minor}": path
    for (major, minor), path in pythons().items()
    if (major, minor) != sys.version_info[:2] and (major, minor) <= NEWEST
}
"""The other Pythons of this machine; `make second` says which are not here."""

BUNDLE = HERE / __version__.rpartition(".")[0] / "milhamahfair.urim.jsonl"


def expect_it_works(python: Path, folder: Path, *modules: str) -> None:
    """Import these modules, play the demo, list the systems, audit a bundle."""
    expect_success(run(python, "-c", f"import urim, {', '.join(modules) or 'sys'}", cwd=folder))
    program = python.with_name("urim")
    for words in (("demo",), ("systems",), ("audit", BUNDLE)):
        done = run(program, *words, cwd=folder)
        expect_success(done)
        assert done.stdout
    assert run(program, "--version", cwd=folder).stdout.startswith(f"urim {__version__},".encode())


def test_every_extra_is_tried() -> None:
    assert {*EXTRAS, *OURS} == set(PROJECT["project"]["optional-dependencies"])


def test_the_sdist_installs_and_works(dist: Path, tmp_path: Path) -> None:
    expect_it_works(installed(next(dist.glob("*.tar.gz")), tmp_path), tmp_path)


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_wheel_installs_with_each_extra(dist: Path, tmp_path: Path, extra: str) -> None:
    wheel = next(dist.glob("*.whl"))
    expect_it_works(installed(f"{wheel}[{extra}]", tmp_path), tmp_path, *EXTRAS[extra])


@pytest.mark.parametrize("version", OTHERS)
def test_it_installs_on_every_python_that_is_here(dist: Path, tmp_path: Path, version: str) -> None:
    wheel = next(dist.glob("*.whl"))
    python = installed(f"{wheel}[{','.join(EXTRAS)}]", tmp_path, OTHERS[version])
    expect_it_works(python, tmp_path, *(name for names in EXTRAS.values() for name in names))


def test_the_extras_for_work_on_urim_can_be_installed(dist: Path, tmp_path: Path) -> None:
    """Their versions fit each other and our pins; nothing is installed."""
    expect_success(run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=tmp_path))
    pins = tree.ROOT / "constraints.txt"
    what = f"{next(dist.glob('*.whl'))}[{','.join(OURS)}]"
    empty = tmp_path / "env" / "bin" / "python"
    words = ("--python", empty, "--quiet", "install", "--dry-run", "--constraint", pins, what)
    expect_success(run(sys.executable, "-m", "pip", *words, cwd=tmp_path))


def test_a_python_that_is_not_here_is_named() -> None:
    text = in_words({(3, 11): Path(), (3, 13): Path()})
    assert text == "Pythons here: 3.11, 3.13. Not here, and so not tried: 3.12, 3.14."
    every = {(3, minor): Path() for minor in range(11, 15)}
    assert in_words(every) == "Pythons here: 3.11, 3.12, 3.13, 3.14."


# --- the second Python ----------------------------------------------------------------------------


def test_the_second_python_is_the_newest_other_one() -> None:
    here, other = sys.version_info[:2], (3, 11 if sys.version_info[1] != 11 else 12)
    found = {here: Path("here"), other: Path("other"), (3, 99): Path("too new")}
    assert second.second(found) == (other, Path("other"))
    assert second.second({here: Path("here"), (3, 99): Path("too new")}) is None


def test_without_a_second_python_it_fails_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = {sys.version_info[:2]: Path(sys.executable)}
    monkeypatch.setattr("tests.engine.testing.pythons.pythons", lambda: alone)
    assert second.main() == 1
    printed = capsys.readouterr()
    assert "Not here, and so not tried: " in printed.out
    assert "a second Python is missing" in printed.err


def test_what_runs_there_is_in_the_tree() -> None:
    paths = [*(f"tests/{name}" for name in second.PART), *second.LEFT_OUT]
    assert [path for path in paths if not (tree.ROOT / path).exists()] == []
