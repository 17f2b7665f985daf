"""Every way in which the text of Allies of Majesty had to be understood, one option each."""

from typing import Annotated, Literal

from msgspec import Struct

from ..readings import reading

HEADING = "Tutorial #5: Rolls"
"""The only one: the book's page is undivided."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of Allies of Majesty with their defaults."""

    epic_lock: Annotated[
        Literal["all", "prevailing"],
        reading(
            "The Epic die results included in an Epic Roll cannot be adjusted.",
            heading=HEADING,
            assumed='Every 1 and 12 that was thrown is included; "prevailing": those of the'
            " Epic Roll's own sign.",
        ),
    ] = "all"
    fewer_adjustments: Annotated[
        bool,
        reading(
            "A number of Adjustments goes to the character who has the greater value.",
            heading=HEADING,
            assumed="Fewer may be made, or none; False: all that the dice allow must be made.",
        ),
    ] = True
    wrap: Annotated[
        bool,
        reading(
            "An Adjustment changes the number on a die up or down by one; a die shows 1 to 12.",
            heading=HEADING,
            assumed="A 12 goes no higher and a 1 no lower; True: each is next to the other.",
        ),
    ] = False
    net_zero: Annotated[
        Literal["no effect", "negative"],
        reading(
            "Uncancelled positive results are what counts; a roll may end without any.",
            heading=HEADING,
            assumed='Without uncancelled results of either kind nothing happens; "negative": the'
            " roll went against the one who made it.",
        ),
    ] = "no effect"
    declined: Annotated[
        Literal["sheet", "no adjustments", "zero"],
        reading(
            "Every roll compares two opposing values.",
            heading=HEADING,
            assumed="What a character who declines to react has on its sheet is its value, 0 where"
            ' it has none. "zero": it is 0 all the same; "no adjustments": nobody adjusts.',
        ),
    ] = "sheet"
