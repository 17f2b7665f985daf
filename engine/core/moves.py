"""What a seat may do now in a roll, what not, and why: for buttons, and for people who ask."""

from msgspec import Struct

from ...errors import Refused
from ...projections.automaton import TRIGGERS, Trigger
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from .attempt import Attempt, roll_of, seat_of
from .commands import RollCommand
from .machine import fire
from .visibility import must_know

ON_ROLLS: tuple[Trigger, ...] = tuple(trigger for trigger in TRIGGERS if trigger != "declare")


class Move(Struct, frozen=True):
    """One trigger as it stands for one seat: `offers` to take up, or a code and why not."""

    trigger: str
    allowed: bool
    offers: tuple[Offer, ...] = ()
    code: str | None = None
    why: str | None = None


def moves(table: TableState, seat: str, number: int, *, now: int | None = None) -> tuple[Move, ...]:
    """Every trigger of roll `number` for this seat, in the order of the table of transitions.

    `now` is the time in milliseconds since 1970, or the latest entry's: some moves wait for it.
    Raises Refused("unknown") for a seat or a roll that is not there.
    """
    seat_of(table, seat)
    roll = roll_of(table, number)
    return tuple(_move(table, seat, roll, trigger, now) for trigger in ON_ROLLS)


def _move(table: TableState, seat: str, roll: RollState, trigger: str, now: int | None) -> Move:
    try:
        return Move(trigger, allowed=True, offers=_possible(table, seat, roll, trigger, now))
    except Refused as error:
        return Move(trigger, allowed=False, code=error.code, why=str(error))


def _possible(
    table: TableState, seat: str, roll: RollState, trigger: str, now: int | None
) -> tuple[Offer, ...]:
    """The offers behind a trigger. Raises Refused where the seat may not fire it."""
    must_know(table, seat, roll, trigger)
    attempt = Attempt(table, seat, RollCommand(roll.number), roll, trigger, now=now)
    fire(attempt)
    return attempt.offers
