"""The rolls that are not done with: an index, so that nobody looks at all that once happened."""

from immutables import Map

from ..errors import Damaged, Refused
from ..rules.ruleset import Sheets
from .automaton import LIVE
from .rollstate import Game, RollState
from .rulings import open_disputes

OpenRolls = Map[int, None]
"""The numbers of the rolls in which somebody may be waited for, perhaps with a few others."""


def followed(known: OpenRolls, roll: RollState, game: Game, sheets: Sheets) -> OpenRolls:
    """The index after one more entry of a roll, which is as that entry leaves it."""
    number = roll.number
    if not is_open(roll, game, sheets):
        return known.delete(number) if number in known else known
    return known if number in known else known.set(number, None)


def is_open(roll: RollState, game: Game, sheets: Sheets) -> bool:
    """Whether it goes on, is disputed, or has damage to come.

    A blind roll does not show its roller that it has ended: it is open until it is revealed.
    """
    if roll.state in LIVE or (roll.visibility == "blind" and roll.hidden) or open_disputes(roll):
        return True
    return roll.state == "resolved" and _damages(roll, game, sheets)


def _damages(roll: RollState, game: Game, sheets: Sheets) -> bool:
    if "apply_damage" not in game.ruleset.triggers:
        return False
    try:
        offered = game.ruleset.offers(roll.roll, sheets)
    except (ValueError, TypeError, LookupError, ArithmeticError, Refused, Damaged):
        return True  # a forged roll may break a system's code: it stays open
    return any(offer.trigger == "apply_damage" for offer in offered)
