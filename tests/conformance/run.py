"""Run a verifier over the files: any command that takes what urimcheck does, or urimcheck itself.

python -m tests.conformance.run --verifier "node urimcheck.mjs"      holds a command to said.jsonl
python -m tests.conformance.run --write                              writes said.jsonl by urimcheck
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.cases import cases
from tests.conformance.forms import File
from tests.conformance.said import expected, outcome, write
from urim.engine.verifier import urimcheck

Verifier = Callable[[File], list[Any]]
"""Says of a file what `outcome` gives."""


def in_process(file: File) -> list[Any]:
    """urimcheck, by import."""
    seen = [note.decode() for note in file.seen]
    try:
        report = urimcheck.check(file.bundle, key=file.key, seats=file.seats, seen=seen)
    except urimcheck.Unreadable:
        return outcome({"exit": 2})
    return outcome(urimcheck.as_json(report))


def command(words: Sequence[str]) -> Verifier:
    """A command, which is given the file and `--json`, and `--key`, `--seat`, `--seen`."""

    def run(file: File) -> list[Any]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "table.urim.jsonl").write_bytes(file.bundle)
            more = ["--key", file.key] if file.key else []
            for seat, key in (file.seats or {}).items():
                more += ["--seat", f"{seat}={key}"]
            for number, note in enumerate(file.seen):
                (folder / f"{number}.note").write_bytes(note)
                more += ["--seen", str(folder / f"{number}.note")]
            asked = [*words, str(folder / "table.urim.jsonl"), "--json", *more]
            done = subprocess.run(asked, capture_output=True, check=False)
        found = json.loads(done.stdout)
        assert found["exit"] == done.returncode, (done.returncode, done.stderr)
        return outcome(found)

    return run


def differing(verifier: Verifier) -> list[str]:
    """The files of which the verifier says something else than must be said, with both."""
    wanted = expected()
    found = {name: verifier(file) for name, file in cases().items()}
    names = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
    return [f"{name}: expected {wanted.get(name)}, found {found.get(name)}" for name in names]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--verifier", default="", help="a command; without it urimcheck in process")
    parser.add_argument("--write", action="store_true", help="write what urimcheck says")
    given = parser.parse_args()
    verifier = command(shlex.split(given.verifier)) if given.verifier else in_process
    if given.write:
        write({name: verifier(file) for name, file in cases().items()})
        return
    wrong = differing(verifier)
    print("\n".join([*wrong, f"{len(wrong)} of {len(cases())} differ"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
