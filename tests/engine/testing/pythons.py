"""The Pythons of this machine that Urim supports, each with what Urim needs installed for it.

URIM_PYTHONS   more of them, paths as in PATH; beside those of PATH, pyenv and uv
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests import tree

OLDEST = (3, 11)
NEWEST = (3, 14)
"""The Pythons that Urim is for: those between, and these."""

NAMES = ("python3", *(f"python3.{minor}" for minor in range(OLDEST[1], OLDEST[1] + 20)))
ASK = """
import sys
print(sys.implementation.name, *sys.version_info[:2], sys.prefix == sys.base_prefix)
"""

COMPILED = Path(sys.prefix) / "pythons" / "compiled"
"""Where other Pythons keep what they compiled: none of it is written beside the sources."""

MISSING = (
    "a second Python is missing: that the same scenario gives the same bytes is shown on two or"
    " more of them, and only {} was found. Install another from 3.11 on (pyenv install 3.13,"
    " uv python install 3.13, or your system's packages), or name it:"
    " URIM_PYTHONS=/path/to/python3.13"
)
"""What to say where there is one Python only."""


def candidates() -> Iterator[Path]:
    """Where there may be a Python."""
    yield Path(sys.executable)
    named = os.environ.get("URIM_PYTHONS", "")
    yield from (Path(path) for path in named.split(os.pathsep) if path)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield from (Path(folder) / name for name in NAMES)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob("versions/*/bin/python3"))
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local/share/uv/python")
    yield from sorted(uv.glob("*/bin/python3"))


def pythons() -> Mapping[tuple[int, int], Path]:
    """One CPython of each minor version that is supported, this one for its own."""
    found: dict[tuple[int, int], Path] = {}
    seen: set[Path] = set()
    for path in candidates():
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        version = version_of(path)
        if version is not None and version >= OLDEST:
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def in_words(found: Mapping[tuple[int, int], Path]) -> str:
    """Which of the supported Pythons are here, and which are not."""
    wanted = [(OLDEST[0], minor) for minor in range(OLDEST[1], NEWEST[1] + 1)]
    here = [f"{major}.{minor}" for major, minor in wanted if (major, minor) in found]
    lacking = [f"{major}.{minor}" for major, minor in wanted if (major, minor) not in found]
    text = f"Pythons here: {', '.join(here)}."
    return f"{text} Not here, and so not tried: {', '.join(lacking)}." if lacking else text


@cache
def version_of(path: Path) -> tuple[int, int] | None:
    """The version of a CPython; None for what is none, or does not run."""
    try:
        done = subprocess.run(
            [path, "-I", "-c", ASK], capture_output=True, text=True, check=False, timeout=60
        )
    except OSError:
        return None
    words = done.stdout.split()
    if done.returncode != 0 or words[:1] != ["cpython"]:
        return None
    own = path == Path(sys.executable)
    # Another's virtual environment may go away; what it was made from is listed for itself.
    return (int(words[1]), int(words[2])) if own or words[3] == "True" else None


EXTRAS = ("server", "client", "postgres", "testing")
MORE = ("pytest-xdist", "icepool", "python-bidi")
"""What every prepared Python has beside Urim's own needs: extras, and what `make second` needs."""


@cache
def prepared(path: Path) -> Path:
    """A Python of the same version that has what Urim needs. Raises RuntimeError with why not.

    Its environment is made once for each version and set of pins, beside this one's packages.
    """
    if path == Path(sys.executable):
        return path
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for name in EXTRAS for each in project["optional-dependencies"][name]]
    needed = [*project["dependencies"], *extras, *MORE]
    pins = tree.ROOT / "constraints.txt"
    key = sha256(b"\n".join([os.fsencode(path), pins.read_bytes(), repr(needed).encode()]))
    home = Path(sys.prefix) / "pythons" / f"{path.parent.parent.name}-{key.hexdigest()[:12]}"
    home.parent.mkdir(exist_ok=True)
    with alone(home):
        if not home.is_dir():
            fresh = Path(tempfile.mkdtemp(prefix=".fresh-", dir=home.parent))
            try:
                run([str(path), "-m", "venv", "--without-pip", str(fresh)])
                pip = [sys.executable, "-m", "pip", "--python", str(fresh / "bin" / "python")]
                pip += ["install", "--quiet", "--no-compile"]
                run([*pip, "--constraint", str(pins), *needed])
                fresh.rename(home)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    return home / "bin" / "python"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Only one process at a time makes what is to be at this path."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(words: list[str]) -> None:
    """Run a program. Raises RuntimeError with its output where it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} fails:\n{done.stdout}{done.stderr}")
