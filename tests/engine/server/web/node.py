"""Node runs the page's modules: with the import map of the page, and without a browser."""

import subprocess
from pathlib import Path

from tests.engine.helpers.nodejs import NODE
from tests.tree import plain_environment

IMPORTS = Path(__file__).parent / "imports.mjs"


def run(*words: str | Path, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """Run Node on a file with arguments, and give its output. Fails after so many seconds."""
    return subprocess.run(
        [str(NODE), "--no-warnings", "--import", IMPORTS.as_uri(), *map(str, words)],
        cwd=IMPORTS.parent,
        env=plain_environment(NO_COLOR="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )
