"""What was built from the checkout, once for all who ask, and environments to install it in.

An environment links what this one has installed, as far as it is needed there: pip is asked to
install what was built without an index, so it fails where anything is missing.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import tree
from tests.engine.testing.pythons import alone

PINS = tree.ROOT / "constraints.txt"
HASHES = tree.ROOT / "hashes.txt"

HASHED = ("server", "client", "postgres")
"""The extras whose packages hashes.txt has, beside what all of Urim needs."""


def hashed() -> dict[str, str]:
    """The parts of hashes.txt by the words NAME==VERSION that they begin with."""
    parts = re.split(r"^(?=\w)", HASHES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {part.split(maxsplit=1)[0]: part for part in parts[1:]}


def run(*words: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program in a plain environment, with nothing to read."""
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=tree.plain_environment(**env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def expect_success(done: subprocess.CompletedProcess[bytes]) -> None:
    """Fail with all that a program said, where it did not succeed."""
    said = (done.stdout + done.stderr).decode("utf-8", "backslashreplace")
    assert done.returncode == 0, said


def made_once(
    factory: pytest.TempPathFactory, worker_id: str, name: str, make: Callable[[], Path]
) -> Path:
    """A folder of that name, made elsewhere, once for all processes that run tests."""
    base = factory.getbasetemp()
    found = (base if worker_id == "master" else base.parent) / "made" / name
    found.parent.mkdir(exist_ok=True)
    with alone(found):
        if not found.exists():
            make().rename(found)
    return found


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""

    def make() -> Path:
        checkout = tree.copy_tree(tmp_path_factory.mktemp("checkout") / "urim")
        fresh = checkout.with_name("dist")
        words = ("-m", "build", "--no-isolation", "--outdir", fresh, checkout)
        expect_success(run(sys.executable, *words, cwd=checkout.parent))
        return fresh

    return made_once(tmp_path_factory, worker_id, "dist", make)


def needed(name: str, extras: set[str]) -> dict[str, list[Requirement]]:
    """What an installed distribution needs, directly or not: who asks for what, by its name.

    What is asked for and not installed needs nothing.
    """
    waiting = [(name, frozenset(extras))]
    asked: dict[str, list[Requirement]] = {}
    seen = set(waiting)
    while waiting:
        name, known = waiting.pop()
        try:
            lines = distribution(name).requires or ()
        except ModuleNotFoundError:
            continue
        for wanted in map(Requirement, lines):
            if wanted.marker and not any(wanted.marker.evaluate({"extra": e}) for e in known):
                continue
            other = canonicalize_name(wanted.name)
            asked.setdefault(other, []).append(wanted)
            step = (other, frozenset({*wanted.extras, ""}))
            if step not in seen:
                seen.add(step)
                waiting.append(step)
    return asked


def files_of(names: Iterable[str]) -> Iterator[Path]:
    """The files and folders of installed distributions, as site-packages holds them."""
    for name in names:
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
        yield from (Path(str(found.locate_file(top))) for top in tops)


def environment(base: Path, links: Iterable[Path], python: Path = Path(sys.executable)) -> Path:
    """The Python of a new environment that has these files and folders, and nothing else."""
    expect_success(run(python, "-m", "venv", "--without-pip", "env", cwd=base))
    [site] = (base / "env" / "lib").glob("python*/site-packages")
    for path in links:
        (site / path.name).symlink_to(path)
    return base / "env" / "bin" / "python"


def install(python: Path, *what: str | Path) -> None:
    """Let pip install this, in the versions of our pins; options of pip may be among it."""
    # Most of what comes is never imported: what is gets compiled by then.
    words = ("--python", python, "--quiet", "install", "--no-compile", "--constraint", PINS)
    # What it builds with is pinned too.
    env = {"PIP_CONSTRAINT": str(PINS)}
    expect_success(run(sys.executable, "-m", "pip", *words, *what, cwd=python.parent, **env))


def stranger(base: Path, wheel: Path, extra: str = "") -> Path:
    """The Python of an environment that has the wheel, what it needs for an extra, nothing else."""
    names = sorted(needed("urim", {"", extra}))
    python = environment(base, files_of(names))
    install(python, f"{wheel}[{extra}]" if extra else wheel, "--no-index")
    return python
