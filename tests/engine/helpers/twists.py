"""Faults planted in the golden bundle: an entry says something else, sealed and signed anew."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.bundles import at, bundle, fixed, forged, honest, judged, place, wrong
from tests.sealing import Said, sealed
from tests.sealing import resealed as resealed_entry
from urim.engine.audit.report import Result
from urim.engine.core.limits import NARRATOR
from urim.events.codec import Event, decode
from urim.events.entry import Entry
from urim.events.table import Noted

WHOLE = bundle(honest())
VIEW = honest().aggregate.view("")
OTHER = fixed("another").hex()

Twist = Callable[[Any], Event]


def event(seq: int, entries: Sequence[Entry] = VIEW) -> Any:
    """The event of an entry."""
    return decode(entries[seq].payload or b"").event


def twisted(*twists: tuple[int, Twist], entries: Sequence[Entry] = VIEW) -> bytes:
    """A bundle signed anew, in which some entries say something else."""
    found = list(entries)
    for seq, twist in twists:
        said = twist(event(seq, entries))
        found[seq] = resealed_entry(found[seq], said, seq=seq, salt=fixed(f"salt {seq}"))
    return forged(found)


def proof(**values: Any) -> Twist:
    """A throw that is proved otherwise."""
    return lambda event: replace(event, proof=replace(event.proof, **values))


def having(**values: Any) -> Twist:
    """An event with other values."""
    return lambda event: replace(event, **values)


def instead(fact: Event) -> Twist:
    """Another event altogether."""
    return lambda event: fact


NOTHING = instead(Noted(NARRATOR, 0))
GIVEN = event(place("given"))
ASKED = event(place("asked"))
PLAN = event(place("plan"))


LOOKS = ("is broken off: p2 kept back", "begins: the host says that the log was restored")
"""Remarks of step 6 that are no failures: the golden play has a break and an epoch."""


def result(file: bytes, step: int) -> Result:
    """What a step found in a file, but looks; the five steps before the throws found nothing."""
    report = judged(file)
    assert not {"parse", "signature", "tree", "sequence", "payloads"} & wrong(report).keys()
    found = at(report, step)
    remarks = tuple(each for each in found.remarks if not each.why.endswith(LOOKS))
    return replace(found, remarks=remarks)


def forged_of(entries: Sequence[Entry], *twists: tuple[int, Twist]) -> bytes:
    """A bundle of another table; its signature is the golden key's, and fails."""
    return twisted(*twists, entries=entries)


def turned(event: Any) -> Any:
    """A throw whose first die shows the face of its second."""
    faces = [item.face for item in event.dice]
    dice = [replace(event.dice[0], face=faces[1]), *event.dice[1:]]
    return replace(event, dice=tuple(dice))


def changed(line: int, file: bytes = WHOLE, **values: Any) -> bytes:
    """A bundle with other values in a line."""
    lines = [json.loads(each) for each in file.splitlines()]
    lines[line] |= values
    return b"".join(json.dumps(each).encode() + b"\n" for each in lines)


def resealed(seq: int, said: Said, *, kind: Any = "open", at: int | None = None) -> list[Entry]:
    """The log with another event in an entry, sealed as if it had always been there."""
    entries, when = list(VIEW), VIEW[seq].at if at is None else at
    entries[seq] = sealed(seq, when, said, fixed(f"salt {seq}"), kind)
    return entries


def first_wrong(file: bytes, **given: Any) -> tuple[str, str]:
    """The first step that fails, and why."""
    return next(iter(wrong(judged(file, **given)).items()))
