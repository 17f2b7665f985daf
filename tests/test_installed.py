"""What was built installs in an empty environment, with each extra, on every Python here."""

import re
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from tests import second, tree
from tests.engine.helpers.stages.serving import listening, started
from tests.engine.testing.pythons import MISSING, NEWEST, in_words, prepared, pythons
from tests.installs import (
    HASHED,
    HASHES,
    PINS,
    dist,
    environment,
    expect_success,
    hashed,
    install,
    run,
    stranger,
)
from tests.releases.keep import HERE
from tests.test_package import PROJECT
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

BUNDLE = HERE / __version__.rpartition(".")[0] / "milhamahfair.urim.jsonl"


def expect_imports(python: Path, *modules: str) -> None:
    """Import these modules, and Urim."""
    words = f"import {', '.join(('urim', *modules))}"
    expect_success(run(python, "-c", words, cwd=python.parent))


def expect_it_works(python: Path) -> None:
    """Import what the extras for users are for, play the demo, list the systems, audit a bundle."""
    expect_imports(python, *(name for names in EXTRAS.values() for name in names))
    program = python.with_name("urim")
    for words in (("demo",), ("systems",), ("audit", BUNDLE)):
        done = run(program, *words, cwd=python.parent)
        expect_success(done)
        assert done.stdout
    said = run(program, "--version", cwd=python.parent).stdout
    assert said.startswith(f"urim {__version__},".encode())


def test_every_extra_is_tried() -> None:
    assert {*EXTRAS, *OURS} == set(PROJECT["project"]["optional-dependencies"])


@pytest.mark.sampled(0, rest=1)
@pytest.mark.parametrize("extra", EXTRAS)
def test_the_wheel_installs_with_each_extra(dist: Path, tmp_path: Path, extra: str) -> None:
    expect_imports(stranger(tmp_path, next(dist.glob("*.whl")), extra), *EXTRAS[extra])


@pytest.mark.slow
def test_the_sdist_installs_and_works(dist: Path, tmp_path: Path) -> None:
    """With all extras; what it needs, and what builds it, comes from the index."""
    python = environment(tmp_path, ())
    install(python, f"{next(dist.glob('*.tar.gz'))}[{','.join(EXTRAS)}]")
    expect_it_works(python)


@pytest.mark.slow
def test_it_installs_on_every_python_that_is_here(dist: Path, tmp_path: Path) -> None:
    """Nothing is fetched: what it needs is there. `make second` says which are not here."""
    here = sys.version_info[:2]
    others = [path for each, path in pythons().items() if here != each <= NEWEST]
    if not others:
        pytest.skip(MISSING.format("Python {}.{}".format(*sys.version_info)))
    for number, path in enumerate(others):
        base = tmp_path / str(number)
        base.mkdir()
        [site] = (prepared(path).parent.parent / "lib").glob("python*/site-packages")
        python = environment(base, site.iterdir(), path)
        install(python, f"{next(dist.glob('*.whl'))}[{','.join(EXTRAS)}]", "--no-index")
        expect_it_works(python)


@pytest.mark.sampled(0, rest=0)
def test_the_extras_for_work_on_urim_can_be_installed(dist: Path, tmp_path: Path) -> None:
    """Their versions fit each other and our pins; what `make dev` installed is not fetched."""
    what = f"{next(dist.glob('*.whl'))}[{','.join(OURS)}]"
    install(Path(sys.executable), what, "--dry-run")


# --- by its hashes, and in one command ------------------------------------------------------------


@pytest.mark.slow
def test_what_users_need_installs_by_its_hashes_alone(dist: Path, tmp_path: Path) -> None:
    """As docs/deploy/Containerfile does it."""
    python = environment(tmp_path, ())
    install(python, "--require-hashes", "--only-binary", ":all:", "--requirement", HASHES)
    install(python, "--no-deps", "--no-index", next(dist.glob("*.whl")))
    expect_imports(python, *(name for extra in HASHED for name in EXTRAS[extra]))
    asked = run(sys.executable, "-m", "pip", "--python", python, "check", cwd=tmp_path)
    expect_success(asked)


@pytest.mark.slow
def test_a_file_of_another_hash_is_refused(tmp_path: Path) -> None:
    [part] = [part for words, part in hashed().items() if words.startswith("h11==")]
    other = re.sub(r"(?<=sha256:)\w", lambda found: "10"[found[0] == "1"], part)
    (tmp_path / "other.txt").write_text(other, encoding="utf-8")
    python = environment(tmp_path, ())
    words = ("install", "--no-deps", "--require-hashes", "--requirement", "other.txt")
    done = run(sys.executable, "-m", "pip", "--python", python, *words, cwd=tmp_path)
    assert done.returncode != 0
    assert b"DO NOT MATCH THE HASHES" in done.stderr


RUNNERS: Mapping[str, tuple[str, ...]] = {
    "pipx": ("pipx", "run", "--pip-args", f"--constraint '{PINS}'", "--spec"),
    "uvx": ("uv", "tool", "run", "--python", sys.executable, "--constraints", str(PINS), "--from"),
}
"""What runs Urim from a wheel in one command, up to the word that says where it is."""


@pytest.mark.slow
@pytest.mark.parametrize("runner", RUNNERS)
def test_it_is_played_in_one_command(dist: Path, tmp_path: Path, runner: str) -> None:
    around = {"XDG_DATA_HOME": str(tmp_path), "PIPX_HOME": str(tmp_path / "pipx")}
    around |= {"UV_CACHE_DIR": str(tmp_path / "uv")}
    words = ("-m", *RUNNERS[runner], f"{next(dist.glob('*.whl'))}[server]", "urim")
    said = run(sys.executable, *words, "--version", cwd=tmp_path, **around)
    expect_success(said)
    assert said.stdout.startswith(f"urim {__version__},".encode())
    playing = ("play", "--no-browser", "--port", "0", "--json")
    with listening(started(*playing, program=words, **around)) as running:
        assert httpx.get(running.url).is_success
        assert running.end(signal.SIGINT)[0] == 0


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
