"""Hold a verifier to the files: any command that takes what urimcheck does, or urimcheck itself.

python -m tests.conformance.run --verifier "node urimcheck.mjs"      holds a command to said.jsonl
python -m tests.conformance.run --write                              writes what urimcheck says
python -m tests.conformance.run --add KIND/NAME FILE [--key VKEY] [--seat S=KEY]... [--seen NOTE]...
                                                                     adds a file, and what it says
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

from tests.conformance import suite
from tests.conformance.suite import Case
from urim.engine.verifier import urimcheck

Verifier = Callable[[Case], dict[str, Any]]
"""Says of a file what it says with `--json`."""


def in_process(case: Case) -> dict[str, Any]:
    """urimcheck, by import."""
    try:
        report = urimcheck.check(case.bundle, key=case.key, seats=case.seats, seen=case.seen)
    except urimcheck.Unreadable:
        return {"exit": 2}
    return urimcheck.as_json(report)


def command(words: Sequence[str]) -> Verifier:
    """A command, which is given the file and `--json`, and `--key`, `--seat`, `--seen`."""

    def run(case: Case) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "table.urim.jsonl").write_bytes(case.bundle)
            more = ["--key", case.key] if case.key else []
            for seat, key in case.seats.items():
                more += ["--seat", f"{seat}={key}"]
            for number, note in enumerate(case.seen):
                (folder / f"{number}.note").write_text(note, "utf-8")
                more += ["--seen", str(folder / f"{number}.note")]
            asked = [*words, str(folder / "table.urim.jsonl"), "--json", *more]
            done = subprocess.run(asked, capture_output=True, check=False)
        found: dict[str, Any] = json.loads(done.stdout)
        assert found["exit"] == done.returncode, (done.returncode, done.stderr)
        return found

    return run


def differing(verifier: Verifier) -> list[str]:
    """The files of which the verifier says something else than must be said, with both."""
    found = {name: suite.outcome(verifier(case)) for name, case in suite.cases().items()}
    return [
        f"{name}: expected {suite.expected(name)}, found {said}"
        for name, said in found.items()
        if said != suite.expected(name)
    ]


def add(name: str, bundle: bytes, **given: Any) -> None:
    """Put a file into the archive, with what its reader holds beside it."""
    files = {**suite.archive(), suite.path_of(name): bundle}
    suite.FILES.write_bytes(suite.pack(files))
    suite.archive.cache_clear()
    row = {"file": name, **{key: value for key, value in given.items() if value}}
    rewrite({**suite.rows(), name: row})


def rewrite(rows: dict[str, dict[str, Any]]) -> None:
    """Write what urimcheck says of every file."""
    said = {name: suite.outcome(in_process(suite.case_of(name, row))) for name, row in rows.items()}
    suite.write({name: {**row, **said[name]} for name, row in rows.items()})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--verifier", default="", help="a command; without it urimcheck in process")
    parser.add_argument("--write", action="store_true", help="write what urimcheck says")
    parser.add_argument("--add", nargs=2, metavar=("NAME", "FILE"), help="add a file")
    parser.add_argument("--key", help="its log's vkey")
    parser.add_argument("--seat", action="append", default=[], help="a seat's key, S=KEY")
    parser.add_argument("--seen", action="append", default=[], help="a file with an earlier head")
    given = parser.parse_args()
    if given.add:
        name, file = given.add
        seats = dict(each.split("=", 1) for each in given.seat)
        seen = [Path(each).read_text("utf-8") for each in given.seen]
        add(name, Path(file).read_bytes(), key=given.key, seats=seats, seen=seen)
    elif given.write:
        rewrite(suite.rows())
    else:
        verifier = command(shlex.split(given.verifier)) if given.verifier else in_process
        wrong = differing(verifier)
        print("\n".join([*wrong, f"{len(wrong)} of {len(suite.cases())} differ"]))
        sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
