"""Runs a part of the tests on a second Python, the newest that is here: `python -m tests.second`.

It says which Pythons that Urim is for are not here. `make test` tries the package on each that is.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests import tree
from tests.engine.testing import pythons

PART = ("events", "releases")
"""Folders of tests that run there: how faces, numbers and bytes come about. That
scenarios of all systems give the same bytes there, tests/engine/testing/test_determinism.py shows.
"""

DISK = ("backup", "crash", "damage", "disk", "kill", "reading", "scrub", "shared")
LEFT_OUT = ("tests/events/postgres", *(f"tests/events/sqlite/test_{name}.py" for name in DISK))
"""Not run there: servers and disks are the same under every Python."""


def second(found: Mapping[tuple[int, int], Path]) -> tuple[tuple[int, int], Path] | None:
    """The newest of the supported Pythons but the one that runs this; None where there is none."""
    others = {
        version: path
        for version, path in found.items()
        if version != sys.version_info[:2] and version <= pythons.NEWEST
    }
    return max(others.items()) if others else None


def words(python: Path) -> list[str]:
    """The command that runs the tests."""
    folders = [f"tests/{name}" for name in PART]
    ignored = [f"--ignore={name}" for name in LEFT_OUT]
    plugins = ["-p", "urim.engine.testing.plugin", "-p", "no:cacheprovider"]
    return [
        *(str(python), "-m", "pytest", *plugins, "--quiet"),
        *("--numprocesses", "auto", "-m", "not slow", *ignored, *folders),
    ]


def run(python: Path) -> int:
    """Run the tests on a Python that has what they need; gives the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "urim").symlink_to(tree.ROOT)  # so the checkout is the package
        env = {**os.environ, "PYTHONPATH": folder, "PYTHONPYCACHEPREFIX": str(pythons.COMPILED)}
        return subprocess.run(words(python), cwd=tree.ROOT, env=env, check=False).returncode


def main() -> int:
    """Say what is here, and run them. Without a second Python it fails."""
    found = pythons.pythons()
    print(pythons.in_words(found), flush=True)
    other = second(found)
    if other is None:
        print(pythons.MISSING.format("Python {}.{}".format(*next(iter(found)))), file=sys.stderr)
        return 1
    version, path = other
    print(f"On Python {version[0]}.{version[1]}: the tests of {', '.join(PART)}.", flush=True)
    return run(pythons.prepared(path))


if __name__ == "__main__":
    sys.exit(main())
