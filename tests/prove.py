"""Tries the laws marked `prove` very often, and writes down in tests/proof.md what came of each.

`make prove` runs this. `COUNT`, `SEED` and `LIMIT` are its arguments, and `ONLY`: words that choose
some of the laws. The lines of all others stay as they are.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree as ET

from tests import bounded
from tests.tree import ROOT

PROOF = ROOT / "tests" / "proof.md"

HELD_OR_NOT = (0, 1)
"""The exit codes of pytest after which its report is whole: all passed, or some failed."""

LIMIT = 3600.0
"""How many seconds a law may take."""

CRASHED = "its process crashed, or was ended because it could not be stopped"

HEAD = """# Proof

Written by `make prove` and `make mutate`; do not edit.

A law is a test marked `prove`. It tries the count of examples, or what it reports under "tried".
Each line is from the last run of its law on that version of Python.
"""

Lines: TypeAlias = "dict[tuple[str, str], Line]"
"""Lines by law and minor version of Python."""


@dataclass(frozen=True)
class Line:
    """What came of a law when it was run last: a row of the page. The fields are its columns."""

    law: str
    count: str
    tried: str
    seed: str
    commit: str
    Python: str
    took: str
    failures: str

    @property
    def key(self) -> tuple[str, str]:
        """The law, and the minor version of Python, as in 3.11."""
        return self.law, ".".join(self.Python.split(".")[:2])


def commit() -> str:
    """The commit that is tried, and whether the files differ from it."""
    try:
        head = git("rev-parse", "--short=12", "HEAD").strip()
        changed = git("status", "--porcelain", "--", ".", ":!tests/proof.md").strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"`{head}`{' with local changes' if changed else ''}"


def git(*words: str) -> str:
    """What git answers."""
    command = ["git", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def expression(only: str) -> str:
    """The words as pytest's -k takes them: several mean any of them, unless they say how."""
    words = only.split()
    return only if {"and", "or", "not"} & set(words) else " or ".join(words)


def run(count: int, seed: int, report: Path, only: str = "", limit: float = LIMIT) -> int:
    """Run the laws. Gives pytest's exit code; 5 where there are none."""
    command = [sys.executable, "-m", "pytest", "-m", "prove", "-q", "--numprocesses", "auto"]
    command += ["--dist", "worksteal"]  # some laws take minutes and others a moment
    # The newer form of the report has no room for a test's file, nor for what it reports itself.
    command += ["--override-ini=junit_family=xunit1", f"--junitxml={report}"]
    command += [f"--hypothesis-seed={seed}", "-k", expression(only)]
    asked = {"URIM_COUNT": f"{count}", "URIM_SEED": f"{seed}", "URIM_SECONDS": f"{limit}"}
    return bounded.run(command, None, cwd=ROOT, env=os.environ | asked)


def outcomes(report: Path, count: int, seed: int) -> Lines:
    """The line of every law that was run."""
    at = commit()
    python = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    found: Lines = {}
    # The report was written by our own pytest a moment ago.
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314
        law = f"{case.get('file')}::{case.get('name')}"
        tried = case.find("properties/property[@name='tried']")
        line = Line(
            law=law,
            count=f"{count:,}",
            tried="" if tried is None else tried.get("value", ""),
            seed=f"{seed}",
            commit=at,
            Python=python,
            took=f"{float(case.get('time', '0')):,.1f} s",
            failures=_failure(case),
        )
        found[line.key] = line
    return found


def _failure(case: ET.Element) -> str:
    """Whether a law failed, and whether it was because it did not end."""
    bad = [child for child in case if child.tag in {"failure", "error", "skipped"}]
    if not bad:
        return "0"
    message = bad[0].get("message", "")
    if stopped := re.search(r"stopped after [\d,.]+ s", message):
        return f"1: {stopped[0]}"
    return f"1: {CRASHED}" if "crashed while running" in message else "1"


def read(page: str) -> Lines:
    """The lines of the laws on the page."""
    rows = re.findall(r"^\| `(.+?)` \| (.*) \|$", _laws_of(page), flags=re.MULTILINE)
    lines = (Line(name.replace("\\|", "|"), *others.split(" | ")) for name, others in rows)
    return {line.key: line for line in lines}


def proof(lines: Lines) -> str:
    """The part of the page that shows the laws."""
    failures = sum(line.failures != "0" for line in lines.values())
    facts = f"Laws: {len(lines):,}. Failures: {failures:,}.\n"
    columns = [field.name for field in fields(Line)]
    table = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    table += [_row(lines[key]) for key in sorted(lines)]
    return "\n".join([HEAD, facts, *table]) + "\n"


def _row(line: Line) -> str:
    law, *others = astuple(line)
    name = law.replace("|", "\\|")
    return f"| {' | '.join([f'`{name}`', *others])} |"


def with_section(page: str, heading: str, section: str) -> str:
    """The page with this section in place of the one under the same heading, or at its end."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    kept = [part.rstrip("\n") + "\n" for part in parts if not part.startswith(f"{heading}\n")]
    return "\n".join([*kept, section])


def _laws_of(page: str) -> str:
    """The part of the page that shows the laws."""
    return re.split(r"^## ", page, maxsplit=1, flags=re.MULTILINE)[0]


def main(words: Sequence[str] | None = None) -> int:
    """Try the laws, write their lines, and say by the exit code whether all held."""
    parser = argparse.ArgumentParser(description="Try the laws marked `prove`, many times.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="words of test ids, as pytest's -k takes them")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that a law may take")
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = run(asked.count, asked.seed, report, asked.only, asked.limit)
        lines = outcomes(report, asked.count, asked.seed) if report.exists() else {}
    if code not in HELD_OR_NOT or not lines:
        print(f"nothing was proved: pytest ended with {code} and tried {len(lines)} laws")
        return code or 1
    page = PROOF.read_text("utf-8") if PROOF.exists() else ""
    others = page[len(_laws_of(page)) :]
    # A full run drops the lines of laws that are no more; other versions of Python keep theirs.
    pythons = {python for _, python in lines}
    old = read(page).items()
    kept = {key: line for key, line in old if asked.only.strip() or key[1] not in pythons}
    PROOF.write_text(proof(kept | lines) + (f"\n{others}" if others else ""), "utf-8")
    print(f"wrote {len(lines)} lines to {PROOF.name}")
    return code


if __name__ == "__main__":
    sys.exit(main())
