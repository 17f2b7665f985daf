"""Where blows landed: every application of damage that counts, with its place on the body."""

from collections.abc import Mapping

from msgspec import Struct

from .tables import TableState
from .tracks import steps


class Hit(Struct, frozen=True):
    """One blow: the roll it came from, whom it hit, where (None where the system has no places)."""

    roll: int
    seq: int
    target: str
    location: str | None
    amount: int
    figures: Mapping[str, object]


def hits(state: TableState) -> tuple[Hit, ...]:
    """Every blow of the table that counts, oldest first."""
    found: list[Hit] = []
    for step in steps(state.game, state.ratings, state.sheets, state.rolls):
        if step.damage is not None and step.roll is not None:
            damage = step.damage
            place = damage.figures.get("location")
            where = None if place is None else str(place)
            found.append(
                Hit(step.roll, step.seq, damage.target, where, damage.amount, damage.figures)
            )
    return tuple(found)
