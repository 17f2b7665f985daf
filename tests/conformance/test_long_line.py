"""A line of a gigabyte is refused, in memory that does not grow with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.helpers.nodejs import NODE
from urim.engine.verifier import urimcheck

PYTHON = Path(str(urimcheck.__file__))
COMMANDS = {"Python": (sys.executable, PYTHON), "Node": (NODE, PYTHON.with_suffix(".js"))}

GIGABYTE = 1 << 30
MOST = 200 << 10
"""Kilobytes that a verifier may have in memory, far fewer than the line has."""


@pytest.mark.parametrize("language", COMMANDS)
def test_a_line_of_a_gigabyte_is_refused_in_little_memory(language: str, tmp_path: Path) -> None:
    path = tmp_path / "long.urim.jsonl"
    with path.open("wb") as file:
        file.truncate(GIGABYTE)  # it takes no room on the disk
    words = [*map(str, COMMANDS[language]), str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = running.stdout.read()
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = status >> 8
    assert said == "Refused: line 1: more than 1048576 bytes, or cut off\n"
    assert running.returncode == 2
    assert used.ru_maxrss < MOST
