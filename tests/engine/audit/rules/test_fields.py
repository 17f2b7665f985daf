"""One field of one event is changed, and the whole log signed again: the audit finds every one.

What was asked is left as it was. Some changes have no meaning, and some cannot be seen by anybody:
those are named and counted, and are never passed for another reason.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from io import BytesIO
from random import Random
from typing import Any, TypeAlias

import pytest
from msgspec import Struct
from msgspec.structs import fields

from tests import plays
from tests.engine.helpers.audited import evening
from tests.engine.helpers.tables.trials import TRIALS
from tests.sealing import sealed_raw
from urim.engine.audit import Report, audit
from urim.engine.bundle.write import end_line, header_line
from urim.engine.core.decide_table import CORES
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import EVENTS, decode, event_json
from urim.events.entry import Entry
from urim.events.line import entry_line
from urim.events.merkle import root_of
from urim.events.table import TableOpened

PRIVATE = bytes(range(32))
EVENINGS = 3
"""Evenings of each system: one at each level."""

EACH = 2
"""Changes for each one that the count asks for, all systems together."""

Path: TypeAlias = tuple[str | int, ...]
Change: TypeAlias = Callable[[Random, Any], Any]


class Changed(Struct, frozen=True):
    """A log with a field of one event changed: which entry, which field, and how."""

    entries: tuple[Entry, ...]
    seq: int
    path: Path
    how: str


# --- logs -----------------------------------------------------------------------------------------


@cache
def logs(system: str, seed: int) -> tuple[tuple[Entry, ...], ...]:
    """Honest evenings of a system, and the logs of its scenarios."""
    played = [evening(system, number, seed).aggregate.entries for number in range(EVENINGS)]
    kept = (plays.kept_of(path).log for path in plays.files())
    scenarios = [log for log in kept if opened(log).ruleset == system]
    return (*map(tuple, played), *map(tuple, scenarios))


def opened(entries: Sequence[Entry]) -> TableOpened:
    """The opening of a table."""
    found = decode(entries[0].payload or b"").event
    assert isinstance(found, TableOpened)
    return found


def audited(entries: Sequence[Entry], honest: Sequence[Entry]) -> Report:
    """The audit of a bundle that a host signs over these entries, its header fitted to them."""
    try:
        opening = opened(entries)
    except Damaged:
        opening = opened(honest)
    origin = f"urim.local/t/{opening.table}"
    try:
        key = public_key(origin, PRIVATE)
    except ValueError:
        origin = f"urim.local/t/{opened(honest).table}"
        key = public_key(origin, PRIVATE)
    root = root_of(entry.leaf for entry in entries)
    note = sign(Checkpoint(origin, len(entries), root), PRIVATE)
    lines = [header_line(note, [key], opening), *map(entry_line, entries)]
    return audit(BytesIO(b"".join([*lines, end_line(len(entries))])), key=key.vkey)


# --- changes --------------------------------------------------------------------------------------


HEX = "ab" * 32
ADDED: Mapping[str, Any] = {
    "commit": HEX,
    "entries": 3,
    "effects": [["c1", "luck", 1]],
    "faces": {"d7": ["a"]},
    "follows": [1, "damage"],
    "instead": 2,
    "key": "IDFeTEYTRG+kLENEkgFuEa3tH3nnmn10WKBfvlFuZpk=",
    "left": ["p9"],
    "level": "table",
    "needless": [3],
    "one_machine": True,
    "option": 1,
    "outcome": {"degree": "a wonder"},
    "part": "toe",
    "proof": {"throw": 0, "source": "manual"},
    "seed": HEX,
    "taken": 1,
    "throw": 0,
}
"""What is added where an event does not have it."""


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every value inside a JSON value, but the event's type."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in items:
        if path or key != "type":
            yield (*path, key)
            if isinstance(each, (dict, list)):
                yield from places(each, (*path, key))


def _other(chance: Random, value: Any) -> Any:
    """Another value of the same type; or 1 for true, which Python takes for the same."""
    if isinstance(value, bool):
        return chance.choice((not value, int(value)))
    if isinstance(value, int):
        if value in (0, 1) and chance.randrange(4) == 0:
            return bool(value)
        return chance.choice((value + 1, value - 1, value + chance.randrange(2, 40), -value - 1))
    if isinstance(value, float):
        return value + chance.choice((1.0, -1.0, 0.5))
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        return value[:at] + chance.choice([c for c in "0a1fx" if c != value[at]]) + value[at + 1 :]
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return chance.choice((value[:at] + value[at + 1 :], [*value, value[at]]))
    if isinstance(value, dict) and value:
        gone = chance.choice(sorted(value))
        return {key: each for key, each in value.items() if key != gone}
    return {str: "x", list: [0], dict: {"x": 1}, type(None): 1}[type(value)]


def changed(chance: Random, entries: Sequence[Entry]) -> Changed:
    """A log with one field changed, as chance will have it."""
    entry = chance.choice([each for each in entries if each.payload is not None])
    payload = json.loads(entry.payload or b"")
    event = payload["event"]
    if chance.randrange(8) == 0 and (absent := sorted(_absent(event))):
        name = chance.choice(absent)
        event[name] = ADDED[name]
        return _sealed(entries, entry, payload, (name,), "added")
    path = chance.choice(list(places(event)))
    holder = event
    for step in path[:-1]:
        holder = holder[step]
    key = path[-1]
    if isinstance(holder, dict) and chance.randrange(8) == 0:
        how = "dropped"
        del holder[key]
    else:
        before, holder[key] = holder[key], _other(chance, holder[key])
        how = f"{before!r} is {holder[key]!r}"
    return _sealed(entries, entry, payload, path, how)


def _absent(event: dict[str, Any]) -> set[str]:
    """The optional fields that an event does not have."""
    return set(EVENTS[event["type"]].__struct_encode_fields__) - set(event)


def _sealed(entries: Sequence[Entry], entry: Entry, payload: Any, path: Path, how: str) -> Changed:
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    assert entry.salt is not None
    new = sealed_raw(entry.seq, entry.at, body, entry.salt, entry.kind, entry.commit)
    log = (*entries[: entry.seq], new, *entries[entry.seq + 1 :])
    return Changed(log, entry.seq, path, how)


# --- what cannot be seen --------------------------------------------------------------------------


def without_meaning(honest: Sequence[Entry], made: Changed) -> bool:
    """Whether the event is the same as before, however it is written."""
    before, after = honest[made.seq].payload or b"", made.entries[made.seq].payload or b""
    try:
        return event_json(decode(before).event) == event_json(decode(after).event)
    except Damaged:
        return False


def unopened(honest: Sequence[Entry], made: Changed) -> bool:
    """Whether the change is of a commitment that nothing in the log opens: nobody knows better."""
    event = json.loads(honest[made.seq].payload or b"")["event"]
    kind, path = event["type"], made.path
    if kind == "epoch-begun/1" and len(path) == 3 and path[2] == 2:
        roll = event["commits"][int(path[1])][0]
    elif (path == ("commit",) and kind == "roll-declared/1") or path == ("proof", "next"):
        roll = event["roll"]
    else:
        return False
    return made.how != "dropped" and not _opened(honest, made.seq, roll)


def _opened(honest: Sequence[Entry], seq: int, roll: int) -> bool:
    for entry in honest[seq + 1 :]:
        event = {} if entry.payload is None else json.loads(entry.payload)["event"]
        if event.get("roll") != roll:
            continue
        proof = event.get("proof") or {}
        if proof.get("committed") is not None or event.get("nonce_commit"):
            return bool(proof.get("committed") == seq or event.get("committed") == seq)
        if event["type"] == "roll-voided/1":
            return event.get("seed") is not None
    return False


def of_rules_not_known(report: Report, made: Changed) -> bool:
    """Whether the change names rules that are not known here: no fault, and nothing is checked."""
    named = made.seq == 0 and made.path in (("ruleset",), ("version",), ("core",))
    return named and report.rules.verdict == "unchecked"


def of_another_core(made: Changed) -> bool:
    """Whether the change names another core that is known, and this log is the same under both."""
    event = json.loads(made.entries[0].payload or b"")["event"]
    return (made.seq, made.path) == (0, ("core",)) and event.get("core") in CORES


def named(report: Report, honest: Sequence[Entry], made: Changed) -> str:
    """What a change is that the audit does not find; empty for one that it ought to."""
    if without_meaning(honest, made):
        return "no meaning"
    if unopened(honest, made):
        return "a commitment that nothing opens"
    if of_rules_not_known(report, made):
        return "rules not known here"
    if of_another_core(made):
        return "a core that decides the same"
    return ""


# --- the law --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("system", TRIALS)
def test_the_honest_logs_pass(system: str, seed: int) -> None:
    for entries in logs(system, seed):
        report = audited(entries, entries)
        assert report.exit == 0, report.failed


def test_every_field_that_an_event_may_lack_is_added() -> None:
    optional = {f.encode_name for event in EVENTS.values() for f in fields(event) if not f.required}
    assert set(ADDED) == optional


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_every_field_that_is_changed_is_found(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Tries EACH times the count, shared by all systems, at least 20 of each."""
    chance = Random(f"urim fields {seed} {system}")  # noqa: S311 - forgeries are no secret
    found = Counter[str]()
    missed: list[str] = []
    share = max(20, count * EACH // len(TRIALS))
    for _ in range(share):
        honest = chance.choice(logs(system, seed))
        made = changed(chance, honest)
        try:
            report = audited(made.entries, honest)
        except Refused as error:
            if error.code != "unreadable":
                raise
            found["no bundle"] += 1
            continue
        if report.failed:
            found[report.failed[0]] += 1
            continue
        why = named(report, honest, made)
        found[why or "missed"] += 1
        if not why:
            event = json.loads(honest[made.seq].payload or b"")["event"]
            missed.append(f"{made.path}: {made.how}, entry {made.seq}, {event}")
    tried(f"{share:,} changes: " + ", ".join(f"{why} {n:,}" for why, n in found.most_common()))
    assert not missed, "\n".join(missed)
