"""What ends a roll without an outcome: the roll and what follows it, each with its seed opened."""

from ...events import roll as rolled
from ...events.codec import Event
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from .attempt import Attempt
from .commands import Void
from .guards import must_name_ruling
from .sources import Source


def voided(table: TableState, seat: str, roll: RollState, source: Source) -> tuple[Event, ...]:
    """The roll voided, and behind it all that follow it; outstanding seeds are opened."""
    event = rolled.RollVoided(seat, roll.number)
    if roll.outstanding is not None:
        throw = roll.outstanding.throw
        seed = source.open(table.id, roll.number, throw)
        event = rolled.RollVoided(seat, roll.number, throw, seed)
    followers = (voided(table, seat, child, source) for child in table.followers(roll.number))
    return (event, *(each for events in followers for each in events))


def voided_by_narrator(command: Void, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The roll voided as a narrator asks.

    A ruling on it must be named; those on rolls that follow it need not be, for theirs is no deed
    of their own.
    """
    must_name_ruling(attempt.known_roll, command.against)
    return voided(attempt.table, attempt.seat, attempt.known_roll, source)
