"""What was disputed of a roll, and what was ruled on it."""

from ..events import ruling
from .rollstate import RollState


def open_disputes(roll: RollState) -> tuple[int, ...]:
    """The entries of a roll's disputes that no ruling has decided.

    A void closes them all: a roll that counts for nothing has nothing left to rule on.
    """
    if roll.state == "voided":
        return ()
    ruled = {
        entry.event.dispute for entry in roll.trail if isinstance(entry.event, ruling.RulingMade)
    }
    raised = (e.seq for e in roll.trail if isinstance(e.event, ruling.DisputeRaised))
    return tuple(seq for seq in raised if seq not in ruled)


def rulings_on(roll: RollState, before: int | None = None) -> tuple[int, ...]:
    """The entries of the rulings made on a roll, oldest first; with `before`, those before it."""
    made = (entry.seq for entry in roll.trail if isinstance(entry.event, ruling.RulingMade))
    return tuple(seq for seq in made if before is None or seq < before)


def latest_ruling(roll: RollState) -> int | None:
    """The entry of the latest ruling on a roll, which a void or amendment must name; or None."""
    made = rulings_on(roll)
    return made[-1] if made else None


def declared_instead(roll: RollState) -> tuple[int, ...]:
    """The rolls that rulings on a roll had declared again in its place."""
    events = (entry.event for entry in roll.trail)
    made = (event.instead for event in events if isinstance(event, ruling.RulingMade))
    return tuple(number for number in made if number is not None)
