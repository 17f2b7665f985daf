"""How the text of Age of Magic is understood: its readings, with their defaults."""

from typing import Annotated, Literal

from msgspec import Struct

from ...events.base import Face
from ..readings import reading


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of Age of Magic."""

    ceiling: Annotated[
        Literal["basic", "none"],
        reading(
            "The result is always less than or equal to the basic value.",
            heading="Dice rolls",
            assumed='As written. "none": as in the author\'s worked examples, which exceed it.',
        ),
    ] = "basic"
    overdraw_dice: Annotated[
        int,
        reading(
            "Points of the basic value are exchanged for dice, three for one.",
            heading="Dice rolls",
            assumed="No more dice than the basic value can pay for. A number: so many beyond that.",
            others=(1, 2),
            ge=0,
            le=20,
        ),
    ] = 0
    push_floor: Annotated[
        Literal["refuse", "allow"],
        reading(
            "A push costs one tiredness level.",
            heading="Pushing dice rolls",
            assumed="One that would leave the character Unconscious is refused."
            ' "allow": it is rolled, at the penalty for Reeling, and then the character drops.',
        ),
    ] = "refuse"
    best_result: Annotated[
        Literal["by_role", "by_modifier"],
        reading(
            "Of the two results the one that is best for the lucky character, or worst for the"
            " unlucky one, is chosen.",
            heading="Luck and unluck",
            assumed="High is good for the roller and bad for a target, whichever way the roll"
            ' was bent. "by_modifier": +3 is a wish for the higher result, -3 for the lower.',
        ),
    ] = "by_role"
    luck_v_unluck: Annotated[
        Literal["cancel", "majority"],
        reading(
            "A lucky or unlucky roll is made twice, and one of the two results is chosen.",
            heading="Luck and unluck",
            assumed="Wishes for different results cancel the second throw, however many there are."
            ' "majority": the more numerous wish holds, and only a tie cancels it.',
        ),
    ] = "cancel"
    same_n_twice: Annotated[
        bool,
        reading(
            "The roll is made twice.",
            heading="Luck and unluck",
            assumed="At the same risk. False: a new risk is chosen for the second throw.",
        ),
    ] = True


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """One kind of die, the ordinary d6."""
    return {"d6": (1, 2, 3, 4, 5, 6)}
