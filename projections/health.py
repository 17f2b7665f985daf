"""A character's health: its tracks now, and each blow that led there, step by step.

Every application is recomputed from the log, so that a voided or amended roll changes what later
ones met; what was announced then is kept beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ..rules.ruleset import Damage
from .corrections.changes import every_change
from .tables import TableState
from .tracks import TrackChange


class Application(Struct, frozen=True):
    """One blow as it counts now.

    `amount` and `figures` are the rules' for the roll and the sheet as it was at entry `seq`:
    location and why that one, each layer before and after. `announced` is what the entry holds,
    None where it holds nothing.
    """

    seq: int
    at: int
    roll: int
    amount: int
    figures: Mapping[str, Any]
    announced: Damage | None

    @property
    def differs(self) -> bool:
        """Whether it now counts otherwise than was announced."""
        then = self.announced
        return then is not None and (then.amount, then.figures) != (self.amount, self.figures)


class Health(Struct, frozen=True):
    """A character's tracks now, and the blows it took, oldest first."""

    character: str
    name: str
    tracks: Mapping[str, int]
    applications: tuple[Application, ...]


def health(state: TableState, character: str) -> Health:
    """The health of one character. Raises KeyError for one that is not at the table."""
    own = (change for change in every_change(state) if _hits(change, character))
    blows = tuple(applications(own))
    tracks = dict(sorted(state.tracks[character].items()))
    return Health(character, state.name_of(character), tracks, blows)


def _hits(change: TrackChange, character: str) -> bool:
    return change.damage is not None and change.damage.target == character


def applications(changes: Iterable[TrackChange]) -> Iterator[Application]:
    """The blows among these changes, in their order."""
    for each in changes:
        if each.damage is not None and each.roll is not None:
            amount, figures = each.damage.amount, each.damage.figures
            yield Application(each.seq, each.at, each.roll, amount, figures, each.announced)
