"""Every roll's outcome: as it was announced, and as the rules give it from the log now."""

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Refused
from ..rules.ruleset import Outcome
from .rollstate import Game, RollState
from .tables import TableState


class Derived(Struct, frozen=True):
    """A resolved roll's outcome.

    `announced` is the outcome of its last settlement; `derived` what the rules make of the roll as
    the log has it. They `differ` only where the rules were changed, or the log was not written by
    them.
    """

    roll: int
    character: str
    announced: Outcome
    derived: Outcome

    @property
    def differs(self) -> bool:
        """Whether what was announced is not what the rules give, whatever tracks took of it."""
        return replace(self.announced, effects=()) != replace(self.derived, effects=())


def outcomes(state: TableState) -> tuple[Derived, ...]:
    """Every resolved roll that was not voided, by number."""
    rolls = sorted(state.rolls.values(), key=lambda roll: roll.number)
    found = (outcome_of(state.game, roll) for roll in rolls)
    return tuple(each for each in found if each is not None)


def outcome_of(game: Game, roll: RollState) -> Derived | None:
    """The outcome of one roll; None for one that is not resolved, or was voided."""
    announced = roll.roll.outcome
    if announced is None or roll.state == "voided":
        return None
    derived = game.ruleset.outcome(replace(roll.roll, outcome=None, damaged=False))
    return Derived(roll.number, roll.roll.character, announced, derived)


def so_far(game: Game, roll: RollState) -> Outcome | None:
    """A roll's outcome as of now: the announced one, else that of the dice on the table.

    A missing hand counts as none. None before the first throw and for a voided roll. It shows how
    far a roll of several rounds is.
    """
    if roll.state == "voided":
        return None
    if roll.roll.outcome is not None:
        return roll.roll.outcome
    try:
        return game.ruleset.outcome(roll.roll)
    except Refused:
        return None
