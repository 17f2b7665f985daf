"""The readings of plain dice: what programs that roll dice understand by the same notation."""

from typing import Annotated, Literal

from msgspec import Struct

from ..readings import reading

HEADING = "Notation"
"""The only one: there is no book, but what Roll20, Foundry VTT and others document."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of plain dice with their defaults."""

    comparison: Annotated[
        Literal["count", "total"],
        reading(
            "6d10>=7 counts the dice that reach 7; 1d20+5>=15 compares the sum with 15.",
            heading=HEADING,
            assumed="A comparison behind like dice alone counts them, as in Roll20; behind several"
            ' terms, or a single die that is kept, it is for the total. "total": always for the'
            " total; successes are then written 6d10cs>=7.",
        ),
    ] = "count"
    greater: Annotated[
        Literal["strict", "or equal"],
        reading(
            "A number may stand behind > or <.",
            heading=HEADING,
            assumed='>7 begins with 8, as in Foundry VTT; "or equal": with 7, as in Roll20.',
        ),
    ] = "strict"
    r: Annotated[
        Literal["once", "until"],
        reading(
            "r<2 throws low dice again; ro does so once, rr until none is left.",
            heading=HEADING,
            assumed='r alone is ro, as in Foundry VTT; "until": it is rr, as in Roll20.',
        ),
    ] = "once"
    exploded: Annotated[
        Literal["apart", "added"],
        reading(
            "A die that explodes is thrown again and added.",
            heading=HEADING,
            assumed="Each further throw is kept, dropped and counted as a die of its own, as in"
            ' Roll20; "added": all throws of a die are one number, as when an ace is rolled.',
        ),
    ] = "apart"
