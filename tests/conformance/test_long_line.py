"""A line of a gigabyte is refused, in memory that does not grow with it."""

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

MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command from a small process: what forks has its memory counted with that of its child."""


@pytest.mark.parametrize("language", COMMANDS)
def test_a_line_of_a_gigabyte_is_refused_in_little_memory(language: str, tmp_path: Path) -> None:
    path = tmp_path / "long.urim.jsonl"
    with path.open("wb") as file:
        file.truncate(GIGABYTE)  # it takes no room on the disk
    words = [sys.executable, "-c", MEASURED, *map(str, COMMANDS[language]), str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    said, code, kilobytes = done.stdout.rsplit(maxsplit=2)
    assert (said, code) == ("Refused: line 1: more than 1048576 bytes, or cut off", "2")
    assert int(kilobytes) < MOST
