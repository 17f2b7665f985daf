"""A play as JSON Lines for other programs: what is played, one object a step, how it ended.

    {"type": "scenario", "title", "system", "dice", "level", "table", "options"}
    {"type": "step", "step", "do", "seat", "entries", "refused", "failures"}    step 0: the seating
    {"type": "end", "steps", "size", "root", "characters", "failures", "passed"}

An entry is {"seq", "at", "class", "event"}, its event as stored, null where it is erased; the first
of a commit has "asked", {"request", "body"}, too. A refusal is {"code", "why", "allowed"},
and "left_out", how many more would be allowed, where that is not 0; a failure {"step", "what",
"expected", "found"}. The salts of entries are left out.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import to_builtins
from msgspec.json import decode

from ...errors import Refused
from ...events.base import JSON
from ...events.entry import Entry
from ...projections.health import health
from .tracks import here_by_entrance

if TYPE_CHECKING:  # most that is shown was no scenario
    from ..scenario import Failure, Play, Played


def play_objects(play: "Play") -> Iterator[JSON]:
    """The play as objects that JSON can carry, in order."""
    aggregate, state = play.aggregate, play.aggregate.opened
    game = state.game
    yield {
        "type": "scenario",
        "title": play.scenario.title,
        "system": game.ruleset.name,
        "dice": state.source,
        "level": state.level,
        "table": state.id,
        "options": to_builtins(game.options),
    }
    of_steps = {entry.seq for played in play.steps for entry in played.entries}
    seating = [entry for entry in aggregate.entries if entry.seq not in of_steps]
    yield step_object(0, "seat everybody", state.by, seating)
    for played in play.steps:
        failures = [failure for failure in play.failures if failure.step == played.number]
        yield _played(played, failures)
    yield {
        "type": "end",
        "steps": len(play.steps),
        "size": len(aggregate.entries),
        "root": aggregate.frontier.root().hex(),
        "characters": {
            id: {"name": known.name, "tracks": dict(known.tracks)}
            for id in here_by_entrance(state)
            for known in [health(state, id)]
        },
        "failures": list(map(failure_object, play.failures)),
        "passed": not play.failures,
    }


def step_object(
    number: int,
    do: str,
    seat: str,
    entries: Iterable[Entry],
    refused: Refused | None = None,
    failures: "Iterable[Failure]" = (),
) -> JSON:
    """One step: what was asked by which seat, the entries it added, the refusal it met."""
    return {
        "type": "step",
        "step": number,
        "do": do,
        "seat": seat,
        "entries": list(map(entry_object, entries)),
        "refused": refusal_object(refused) if refused else None,
        "failures": list(map(failure_object, failures)),
    }


def _played(played: "Played", failures: "Iterable[Failure]") -> JSON:
    do = str(played.step.get("do"))
    return step_object(played.number, do, played.seat, played.entries, played.refused, failures)


def entry_object(entry: Entry) -> JSON:
    """An entry with its event, without its salt."""
    found = {} if entry.payload is None else decode(entry.payload)
    known = {"seq": entry.seq, "at": entry.at, "class": entry.kind, "event": found.get("event")}
    return {**known, "asked": found["asked"]} if "asked" in found else known


def refusal_object(error: Refused) -> JSON:
    """A refusal with its code."""
    return {"code": error.code, "why": error.why, **error.listed()}


def failure_object(failure: "Failure") -> JSON:
    """An expectation that did not hold."""
    found: JSON = to_builtins(failure, enc_hook=str)
    return found
