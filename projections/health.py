"""How a character is: its tracks, and each blow that led there, step by step.

Every application is derived again from the log, so that a voided or amended roll changes what later
ones found in their way; what was announced then stands beside it.
"""

from collections.abc import Mapping

from msgspec import Struct

from ..errors import Defect
from ..rules.ruleset import Damage
from .tables import TableState
from .tracks import TrackChange, track_changes


class Application(Struct, frozen=True):
    """One blow as it counts now.

    `amount` and `figures` are the rules' for the roll and the sheet as it stood at entry `seq`:
    location and why that one, each layer before and after. `announced` is what was said then, None
    where nothing was.
    """

    seq: int
    at: int
    roll: int
    amount: int
    figures: Mapping[str, object]
    announced: Damage | None

    @property
    def differs(self) -> bool:
        """Whether it now counts otherwise than was announced."""
        said = self.announced
        return said is not None and (said.amount, said.figures) != (self.amount, self.figures)


class Health(Struct, frozen=True):
    """A character's tracks now, and the blows it took, oldest first."""

    character: str
    name: str
    tracks: Mapping[str, int]
    applications: tuple[Application, ...]


def health(state: TableState, character: str) -> Health:
    """The health of one character. Raises KeyError for one that is not at the table."""
    told = track_changes(state.game, state.ratings, state.sheets, state.rolls)
    blows = tuple(_application(step) for step in told if _hits(step, character))
    tracks = dict(sorted(state.tracks[character].items()))
    return Health(character, state.name_of(character), tracks, blows)


def _hits(step: TrackChange, character: str) -> bool:
    return step.damage is not None and step.damage.target == character


def _application(step: TrackChange) -> Application:
    damage, roll = step.damage, step.roll
    if damage is None or roll is None:
        raise Defect(f"entry {step.seq} applies no damage")
    return Application(step.seq, step.at, roll, damage.amount, damage.figures, step.announced)
