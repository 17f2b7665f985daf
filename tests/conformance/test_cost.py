"""What a file costs a verifier: memory and time that grow no faster than the file."""

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import forms, suite
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


def hands(size: int) -> bytes:
    """Hands that all have one die, and as many faces that it is put to."""
    log = forms.Log()
    log.declare(1)
    of = {"by": "p1", "roll": 1}
    for hand in range(size):
        about = {**of, "character": "c1", "hand": f"h{hand}", "dice": [["d1", "d6", 1]]}
        log.add({"do": "roll/1"}, {"type": "dice-rolled/1", **about})
    put = [["d1", face % 6 + 1] for face in range(10 * size)]
    log.add({"do": "adjust/1"}, {"type": "dice-adjusted/1", **of, "dice": put})
    return log.bundle()


def endings(size: int) -> bytes:
    """Seats that all threw in one roll, whose declaration is replaced as often."""
    log = forms.Log(source="manual")
    about = {"character": "c1", "declaration": {}, "visibility": "public"}
    event = {"type": "roll-declared/2", "by": "p1", "roll": 1, **about}
    log.add({"do": "declare/1", **about}, event)
    for throw in range(size):
        of = {"by": f"s{throw}", "roll": 1, "character": "c1", "hand": "h"}
        proof = {"throw": throw, "source": "manual"}
        dice = {**of, "dice": [["d1", "d6", 3]], "proof": proof}
        log.add({"do": "roll/1"}, {"type": "dice-rolled/1", **dice})
    replaced = {"type": "declaration-replaced/1", "by": "narrator", "roll": 1, "declared": {}}
    for _ in range(size):
        log.add({"do": "replace/1", "roll": 1}, replaced, text="So be it.")
    return log.bundle()


def epochs(size: int) -> bytes:
    """Seats that all threw in one roll, which an epoch names as often."""
    log = forms.Log(level="server")
    log.declare(1)
    for throw in range(size):
        of = {"by": f"s{throw}", "roll": 1, "character": "c1", "hand": "h"}
        dice = {**of, "dice": [], "proof": {"throw": throw, "source": "fair"}}
        log.add({"do": "roll/1"}, {"type": "dice-rolled/1", **dice})
    begun = {"type": "epoch-begun/1", "by": "narrator", "epoch": 1}
    log.add({"do": "begin-epoch/1"}, {**begun, "commits": [[1, 0, ""]] * 10 * size})
    return log.bundle()


@pytest.mark.parametrize("made", [hands, endings, epochs])
def test_memory_grows_as_the_file_does(made: Callable[[int], bytes]) -> None:
    peaks: list[float] = []
    for size in (150, 600):
        bundle = made(size)
        tracemalloc.start()
        log = urimcheck.check(bundle)
        said = sum(map(len, urimcheck.written(log, [])))
        peaks.append((tracemalloc.get_traced_memory()[1] + said) / len(bundle))
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_a_string_without_an_end_is_read_once(tmp_path: Path) -> None:
    """A program that goes over it again from each quote takes minutes."""
    first, *_, last = suite.cases()["kept/plainfair"].bundle.splitlines(keepends=True)
    path = tmp_path / "open.urim.jsonl"
    path.write_bytes(first + b'{"seq":0,"x":"' + b'\\"' * 500_000 + b"\n" + last)
    for words in COMMANDS.values():
        done = subprocess.run(
            [*map(str, words), str(path)], capture_output=True, check=False, timeout=60
        )
        assert (done.returncode, done.stdout[:17]) == (2, b"Refused: line 2: ")
