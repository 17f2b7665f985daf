"""Tries every law marked `prove` very often, and writes down in tests/proof.md what came of it.

`make prove` runs this; `COUNT` and `SEED` are its arguments.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from tests.tree import ROOT

PROOF = ROOT / "tests" / "proof.md"

HELD_OR_NOT = (0, 1)
"""The exit codes of pytest after which its report is whole: all passed, or some failed."""


def commit() -> str:
    """The commit that is tried, and whether the files differ from it."""
    try:
        head = git("rev-parse", "HEAD").strip()
        changed = git("status", "--porcelain", "--", ".", f":!{PROOF.relative_to(ROOT)}").strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"`{head}`{' with local changes' if changed else ''}"


def git(*words: str) -> str:
    """What git answers."""
    command = ["git", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def run(count: int, seed: int, report: Path) -> int:
    """Run the laws. Gives pytest's exit code; 5 where there are none."""
    command = [sys.executable, "-m", "pytest", "-m", "prove", "-q", "--numprocesses", "auto"]
    command += ["--dist", "worksteal"]  # some laws take minutes and others a moment
    # The newer form of the report has no room for what a test says of itself.
    command += ["--override-ini=junit_family=xunit1", f"--junitxml={report}"]
    command += [f"--hypothesis-seed={seed}"]
    env = os.environ | {"URIM_COUNT": str(count), "URIM_SEED": str(seed)}
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


class Law(NamedTuple):
    """A law that was tried: whether it held, and how often it says that it was tried.

    A test says so by the fixture `tried` where that is not the count.
    """

    name: str
    held: bool
    tried: str = ""


def outcomes(report: Path) -> list[Law]:
    """Every law that was tried."""
    # The report was written by our own pytest a moment ago.
    cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314
    found: list[Law] = []
    for case in cases:
        broken = any(child.tag in {"failure", "error", "skipped"} for child in case)
        said = case.find("properties/property[@name='tried']")
        tried = "" if said is None else said.get("value", "")
        found.append(Law(f"{case.get('classname')}::{case.get('name')}", not broken, tried))
    return sorted(found)


def proof(laws: list[Law], count: int, seed: int, seconds: float) -> str:
    """The page that says what was tried and what failed."""
    failed = [law for law in laws if not law.held]
    facts = [
        ("laws", str(len(laws))),
        ("count", f"{count:,}"),
        ("seed", str(seed)),
        ("commit", commit()),
        ("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        ("took", f"{seconds:,.0f} s"),
        ("failures", str(len(failed))),
    ]
    lines = ["# Proof", "", "Written by `make prove`; do not edit.", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts]
    lines += [
        "",
        "A law is a test marked `prove`; it tries the count of examples, or as many as it says.",
        "",
    ]
    lines += map(_line, laws)
    return "\n".join(lines) + "\n"


def _line(law: Law) -> str:
    tried = f" · {law.tried}" if law.tried else ""
    return f"- {'held' if law.held else '**failed**'}: `{law.name}`{tried}"


def with_section(page: str, heading: str, section: str) -> str:
    """The page with this section in place of the one under the same heading, or at its end."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    kept = [part.rstrip("\n") + "\n" for part in parts if not part.startswith(f"{heading}\n")]
    return "\n".join([*kept, section])


def _sections(page: str) -> str:
    """What other commands wrote below the laws."""
    found = re.search(r"^## ", page, flags=re.MULTILINE)
    return "\n" + page[found.start() :] if found else ""


def main() -> int:
    """Try the laws, write the page, and say by the exit code whether all held."""
    parser = argparse.ArgumentParser(description="Try every law marked `prove`, many times.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        start = time.monotonic()
        code = run(asked.count, asked.seed, report)
        laws = outcomes(report) if report.exists() else []
    if code not in HELD_OR_NOT or not laws:
        print(f"nothing was proved: pytest ended with {code} and tried {len(laws)} laws")
        return code or 1
    others = _sections(PROOF.read_text("utf-8")) if PROOF.exists() else ""
    page = proof(laws, asked.count, asked.seed, time.monotonic() - start)
    PROOF.write_text(page + others, "utf-8")
    print(f"wrote {PROOF.relative_to(ROOT)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
