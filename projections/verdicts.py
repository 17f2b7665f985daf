"""Disputes and rulings in words: what is open, what was ruled, which ruling is contradicted."""

from collections.abc import Iterator, Mapping

from ..events import roll as rolled
from ..events import ruling
from ..events.codec import RecordedEvent
from .disputes import dependents, under_dispute
from .lexicon import name_text
from .rollstate import RollState
from .rulings import declared_instead, open_disputes, rulings_on
from .tables import TableState


def dispute_notes(state: TableState, roll: RollState) -> Iterator[tuple[int, str]]:
    """What to add to lines of a roll: open disputes, and the roll that it is in place of."""
    depends = [each.number for each in dependents(state, roll)] if open_disputes(roll) else []
    rolls = ", ".join(f"roll {number}" for number in depends)
    more = f"; {rolls} depend{'s' if len(depends) == 1 else ''} on it"
    for seq in open_disputes(roll):
        yield seq, f"no ruling yet{more if depends else ''}"
    declared = roll.trail[0]
    above = [number for number in under_dispute(state, roll) if number != roll.number]
    if above:
        disputed = ", ".join(f"roll {number}" for number in above)
        yield declared.seq, f"depends on {disputed}, under dispute"
    if not declared.first:  # only a ruling declares a roll in the midst of its commit
        for other in state.rolls.values():
            if roll.number in declared_instead(other):
                yield declared.seq, f"in place of roll {other.number}"


RULED: Mapping[str, str] = {
    "stands": "stands",
    "amend": "is amended",
    "void": "is void",
    "replay": "is void, and is declared again",
}
"""What a ruling says of its roll."""


def ruled(state: TableState, event: ruling.RulingMade) -> str:
    """A ruling as a sentence."""
    instead = "" if event.instead is None else f" as roll {event.instead}"
    what = f"roll {event.roll} {RULED[event.ruling]}{instead}"
    return f"{name_text(state, event.by)} rules on the dispute of entry {event.dispute}: {what}."


CONTRADICTING = (ruling.RulingMade, ruling.RollAmended, rolled.RollVoided)
"""Events of which the first of a commit may contradict an earlier ruling."""


def contradicted(state: TableState, record: RecordedEvent) -> str:
    """Which ruling a void, an amendment or another ruling contradicts: the latest before it.

    Only a narrator's does; a roller may take an own declaration back.
    """
    event = record.event
    if not (record.first and isinstance(event, CONTRADICTING) and event.roll in state.rolls):
        return ""
    made = rulings_on(state.rolls[event.roll], before=record.seq)
    stands = isinstance(event, ruling.RulingMade) and event.ruling == "stands"
    narrates = event.by in state.seats and state.seats[event.by].role == "narrator"
    contradicts = bool(made) and narrates and not stands
    return f" This replaces the ruling of entry {made[-1]}." if contradicts else ""
