"""What must be said of each file, a line each in said.jsonl.

A line is [name, exit, [step, entry] or null, {seat: numbers}, {look: count}]: the first step that
fails and the first entry that it names, then the numbers of each seat that has any (throws,
dropped, broken off, sealed, at the table, asked, passed over, kept back).
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SAID = Path(__file__).with_name("said.jsonl")

NUMBERS = ("throws", "dropped", "broken", "sealed", "at_table", "asked", "passed", "kept")


def outcome(found: Mapping[str, Any]) -> list[Any]:
    """What a verifier says with `--json`, as far as all of them must say the same."""
    first = found.get("first")
    seats = {seat: numbers(of) for seat, of in sorted(found.get("seats", {}).items())}
    place = [first["step"], first["entry"]] if first else None
    rows = {seat: row for seat, row in seats.items() if any(row)}
    return [found["exit"], place, rows, dict(sorted(found.get("looks", {}).items()))]


def numbers(of: Mapping[str, Any]) -> list[int]:
    """The columns of a seat."""
    return [len(of[name]) if isinstance(of[name], list) else of[name] for name in NUMBERS]


def expected() -> dict[str, list[Any]]:
    """What must be said of each file, by its name."""
    rows = (json.loads(line) for line in SAID.read_text("utf-8").splitlines())
    return {name: rest for name, *rest in rows}


def write(said: Mapping[str, list[Any]]) -> None:
    """Keep what is said of each file."""
    lines = (json.dumps([name, *row], separators=(",", ":")) for name, row in said.items())
    SAID.write_text("".join(f"{each}\n" for each in lines), "utf-8")
