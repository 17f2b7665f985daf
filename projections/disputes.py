"""Which rolls depend on a roll under dispute."""

from collections.abc import Iterator

from .rollstate import RollState
from .rulings import open_disputes
from .tables import TableState


def under_dispute(state: TableState, roll: RollState) -> tuple[int, ...]:
    """The rolls under dispute that a roll depends on: itself, and those that it follows.

    The oldest comes first. A voided roll depends on none.
    """
    if roll.state == "voided":
        return ()
    return tuple(each.number for each in reversed((roll, *_followed(state, roll)))
                 if open_disputes(each))  # fmt: skip


def dependents(state: TableState, roll: RollState) -> Iterator[RollState]:
    """The rolls that follow a roll, those that follow them, and so on, less what was voided."""
    for follower in state.followers(roll.number):
        yield follower
        yield from dependents(state, follower)


def _followed(state: TableState, roll: RollState) -> Iterator[RollState]:
    """The roll that a roll follows, the one that this follows, and so on."""
    while roll.follows is not None and roll.follows[0] in state.rolls:
        roll = state.rolls[roll.follows[0]]
        yield roll
