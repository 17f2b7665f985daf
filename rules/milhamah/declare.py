"""What a player declares before the dice fall in Milhamah: an action, or a reaction to one."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from .letters import COLOURS, Colour
from .options import LETTERS_MOST, Name

TARGETS: Mapping[str, int] = {
    "beginner": 1,
    "untrained": 1,
    "average": 2,
    "challenging": 3,
    "professional": 4,
    "expert": 5,
    "heroic": 6,
    "legendary": 7,
    "miraculous": 8,
}
"""Successes that a general difficulty asks for (Difficulty)."""

Circumstance = Literal[
    "already fighting", "unnoticed", "partial cover", "complete cover", "ambushed"
]
CIRCUMSTANCES: Mapping[Circumstance, int] = {
    "already fighting": -1,
    "unnoticed": -1,
    "partial cover": 1,
    "complete cover": 1,
    "ambushed": 1,
}
"""Steps by which an attack becomes easier (below 0) or harder (Combat modifiers)."""

RATING_MOST = 100  # far beyond any character; keeps what is settled within what is accepted

Points = Annotated[int, Meta(ge=-RATING_MOST, le=RATING_MOST)]
Rating: TypeAlias = Points
Count = Annotated[int, Meta(ge=0, le=RATING_MOST)]
Gained = Annotated[int, Meta(ge=0)]
DiceByColour: TypeAlias = Annotated[dict[Colour, Count], Meta(max_length=len(COLOURS))]


class Status(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A status effect in force, by the units it changes, which another page of the author's names.

    `R`: dice that may be rerolled. `D`: dice in the first throw. `C`: dice that may be flipped.
    `rerolls`: each a further reroll, with its own number of dice ("X": as many as the first).
    `no_reroll` forbids every reroll. `colours`: the only ones allowed; none named allows all.
    """

    R: Points = 0
    D: Points = 0
    C: Points = 0
    rerolls: Annotated[tuple[Count | Literal["X"], ...], Meta(max_length=20)] = ()
    no_reroll: bool = False
    colours: Annotated[tuple[Colour, ...], Meta(max_length=len(COLOURS))] = ()


Statuses: TypeAlias = Annotated[dict[Name, Status], Meta(max_length=20)]


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The opponent's answer to an opposed roll; each field as in Declaration."""

    root: Annotated[str, Meta(max_length=LETTERS_MOST)] | None = None
    rating: Rating | None = None
    attribute: Name | None = None
    skill: Name | None = None
    dice: DiceByColour | None = None
    status: Statuses = {}


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the initiator wants to do.

    `root` None: that of `skill`, else of `attribute`. `rating` None: `attribute` + `skill` on the
    sheet, in dice, −100 to 100. `target`: the successes needed, a difficulty's name or 1 to 100;
    where the roll has an opponent it holds if he declines (in combat: under one value of
    `declined`). `modifiers`: named disadvantages above 0 and advantages below, in steps of the
    target or, opposed, of dice in the total and X. `dice` None: shared by the first two colours
    allowed. `opponent`: a character's id; it makes the roll opposed. `combat`: a critical success
    wounds. `circumstances`: those of the attack. `leave`: the narrator's, for roots of other
    lengths than two to four letters, the reaction's as well. `xr`, `pocketed` and `idle` are filled
    in when the declaration is settled: dice more to reroll, and successes, gained by another's
    earlier botch; and such successes that this turn, no attack, cannot use.
    """

    root: Annotated[str, Meta(max_length=LETTERS_MOST)] | None = None
    rating: Rating | None = None
    attribute: Name | None = None
    skill: Name | None = None
    target: Name | Annotated[int, Meta(ge=1, le=RATING_MOST)] = "average"
    modifiers: Annotated[dict[Name, Points], Meta(max_length=20)] = {}
    dice: DiceByColour | None = None
    status: Statuses = {}
    opponent: Name | None = None
    combat: bool = False
    circumstances: Annotated[tuple[Circumstance, ...], Meta(max_length=len(CIRCUMSTANCES))] = ()
    leave: bool = False
    xr: Gained = 0
    pocketed: Gained = 0
    idle: Gained = 0
