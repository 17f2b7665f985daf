"""What both verifiers count of a bundle: the page's own code, and `urim audit --json`.

NO_RULES names what the page cannot say, for it has no rules of a game; all else is the same.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from tests.verifier.nodejs import run
from urim.engine.audit import Report, audit
from urim.engine.render.audit import audit_objects, look_text, stated

NO_RULES = ("transitions", "rules")
"""The steps that need the rules of a game, which the page never passes; nothing counted does."""

COUNTS = {
    "throws": "throws",
    "narrators": "narrators",
    "passed_over": "passed",
    "asked": "asked",
    "left": "left",
}
"""Counts of throws at a level, as the audit names them and as the page does."""


class Given(Struct, frozen=True):
    """A bundle, and what its reader holds besides; `now` is the reader's clock in milliseconds."""

    bundle: bytes
    now: int
    key: str | None = None
    seen: Sequence[bytes] = ()
    seats: Mapping[str, bytes] = MappingProxyType({})


def on_the_page(cases: Mapping[str, Given], folder: Path) -> dict[str, Any]:
    """What the page's own code says of each case, in one run of Node."""
    asked: dict[str, Any] = {}
    for place, (name, given) in enumerate(cases.items()):
        file = folder / f"{place}.urim.jsonl"
        file.write_bytes(given.bundle)
        asked[name] = {
            "bundle": str(file),
            "key": given.key,
            "seen": [note.decode() for note in given.seen],
            "seats": {seat: b64encode(each).decode() for seat, each in given.seats.items()},
            "now": given.now,
        }
    (folder / "cases.json").write_text(json.dumps(asked), encoding="utf-8")
    done = run("verify.mjs", folder / "cases.json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def audited(given: Given) -> Report:
    """What `urim audit` finds."""
    stream = BytesIO(given.bundle)
    return audit(stream, key=given.key, seen=given.seen, seats=given.seats, now=given.now)


def counted(report: Report) -> list[tuple[str, str, int, list[int]]]:
    """What the audit's JSON counts: word, kind, how many, the first entries."""
    objects = audit_objects(report)
    kinds = [each for each in objects if each["type"] in ("look", "stated")]
    return [(each["type"], each["kind"], each["count"], each["entries"]) for each in kinds]


def counted_there(outcome: Mapping[str, Any]) -> list[tuple[str, str, int, list[int]]]:
    """The same of the page."""
    return [
        (each["word"], each["kind"], each["count"], each["entries"]) for each in outcome["seen"]
    ]


def facts(report: Report) -> dict[str, Any]:
    """What the audit says in its first lines, and of each step that needs no rules."""
    first = next(iter(audit_objects(report)))
    throws: Any = first["throws"]
    levels = {
        level: {there: throws[level][here] for here, there in COUNTS.items()}
        for level in ("table", "player", "server")
    }
    return {
        **{name: first[name] for name in ("source", "one_machine", "seats", "self_asserted_seats")},
        "throws": {**levels, "other": throws["other"]},
        "steps": {each.name: each.verdict for each in report.results if each.name not in NO_RULES},
        "fairness": report.results[-1].summary,
    }


def facts_there(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The same of the page."""
    return {
        "source": outcome["source"] or "",
        "one_machine": outcome["oneMachine"],
        "seats": outcome["seats"]["keyed"],
        "self_asserted_seats": outcome["seats"]["asserted"],
        "throws": outcome["levels"],
        "steps": {
            each["name"]: each["verdict"]
            for each in outcome["results"]
            if each["name"] not in NO_RULES
        },
        "fairness": outcome["results"][-1]["summary"],
    }


def said(report: Report) -> list[str]:
    """The audit's first lines, and its looks; not what became of the rules."""
    first = [f"{line}." for line in stated(report) if not line.startswith("Rules: ")]
    return [*first, *(f"Look: {look_text(each)}" for each in report.looks)]


def said_there(outcome: Mapping[str, Any]) -> list[str]:
    """The same of the page, which counts entries, throws and dice first."""
    _, *first = outcome["stated"]
    looks: list[str] = outcome["looks"]
    return [*(line for line in first if not line.startswith("Rules: ")), *looks]
