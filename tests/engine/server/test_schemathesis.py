"""A running server holds its OpenAPI document: see `conforming`, a program of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tree import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.prove
def test_every_operation_holds_the_document_for_every_role(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    words = [sys.executable, "-m", "tests.engine.server.conforming", f"{count}", f"{seed}"]
    done = subprocess.run(
        [*words, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tried(done.stdout.strip().splitlines()[-1])
