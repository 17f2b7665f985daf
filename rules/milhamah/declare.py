"""What a player declares before the dice fall in Milhamah: an action, or a reaction to one."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from ..forms import CHARACTER, SHEET, chart, empty, field, numbers, root
from ..ruleset import Rollable, Sheet
from .letters import COLOURS, Colour
from .options import Name, Options

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

CHARTS = (
    numbers("difficulties", "Difficulties", TARGETS, unit="successes"),
    numbers("circumstances", "Circumstances of an attack", CIRCUMSTANCES, unit="steps"),
)

ROOT, DICE, TASK, FIGHT = "Root and rating", "Dice", "Difficulty", "Combat"
EARNED = "Earned by an earlier botch"
"""The headings of the form."""

RATING_MOST = 100  # far beyond any character; keeps what is settled within what is accepted

Points = Annotated[int, Meta(ge=-RATING_MOST, le=RATING_MOST)]
Rating: TypeAlias = Points
Count = Annotated[int, Meta(ge=0, le=RATING_MOST)]
Gained = Annotated[int, Meta(ge=0)]
DiceByColour: TypeAlias = Annotated[dict[Colour, Count], Meta(max_length=len(COLOURS))]


class Status(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A status effect in force, by the units it changes (another page of the author's)."""

    R: Annotated[Points, field("R", "Dice more, or fewer, that may be rerolled.")] = 0
    D: Annotated[Points, field("D", "Dice more, or fewer, in the first throw.")] = 0
    C: Annotated[Points, field("C", "Dice more, or fewer, that a cipher may flip.")] = 0
    rerolls: Annotated[
        tuple[Count | Literal["X"], ...],
        Meta(max_length=20),
        field(
            "Further rerolls",
            'Each with its own number of dice; "X": as many as the first.',
            when=empty("no_reroll"),
        ),
    ] = ()
    no_reroll: Annotated[bool, field("No reroll", "It forbids every reroll.")] = False
    colours: Annotated[
        tuple[Colour, ...],
        Meta(max_length=len(COLOURS)),
        field("Colours", "The only ones allowed; none named allows all."),
    ] = ()


SpokenRoot: TypeAlias = Annotated[
    Annotated[str, Meta(max_length=60)] | None,
    field(
        "Root",
        "The Hebrew letters that the dice shall show; points, cantillation, marks of direction and"
        " blanks around them are dropped. Left out, the root of the skill, else of the attribute.",
        group=ROOT,
        picks=root("skill_roots", "attribute_roots"),
    ),
]
DeclaredRating: TypeAlias = Annotated[
    Rating | None,
    field(
        "Rating",
        "In dice; left out, attribute + skill on the sheet.",
        group=ROOT,
    ),
]
Attribute: TypeAlias = Annotated[
    Name | None,
    field("Attribute", "By its name on the sheet.", group=ROOT, picks=SHEET, said="+"),
]
Skill: TypeAlias = Annotated[
    Name | None,
    field("Skill", "By its name on the sheet.", group=ROOT, picks=SHEET, said="+"),
]
DeclaredDice: TypeAlias = Annotated[
    DiceByColour | None,
    field(
        "Dice by colour",
        "How many dice of each colour are thrown; left out, the first two colours allowed share"
        " them.",
        group=DICE,
    ),
]
Statuses: TypeAlias = Annotated[
    dict[Name, Status],
    Meta(max_length=20),
    field("Status effects", "Those in force, by name, with what each changes.", group=DICE),
]


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The opponent's answer to an opposed roll."""

    root: SpokenRoot = None
    rating: DeclaredRating = None
    attribute: Attribute = None
    skill: Skill = None
    dice: DeclaredDice = None
    status: Statuses = {}
    modifiers: Annotated[
        dict[Name, Points] | UnsetType,
        field(
            "Modifiers",
            "By name, disadvantages above 0, advantages below: steps of dice in the total and X.",
            group=TASK,
        ),
    ] = UNSET


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the initiator wants to do."""

    root: SpokenRoot = None
    rating: DeclaredRating = None
    attribute: Attribute = None
    skill: Skill = None
    target: Annotated[
        Name | Annotated[int, Meta(ge=1, le=RATING_MOST)],
        field(
            "Difficulty",
            "The successes needed, or a name for them. Of an opposed roll it holds if the opponent"
            " declines (in combat: under one value of `declined`).",
            group=TASK,
            picks=chart("difficulties"),
            said="vs",
        ),
    ] = "average"
    modifiers: Annotated[
        dict[Name, Points],
        Meta(max_length=20),
        field(
            "Modifiers",
            "By name, disadvantages above 0 and advantages below: steps of the difficulty or, when"
            " opposed, of dice in the total and X.",
            group=TASK,
        ),
    ] = {}
    dice: DeclaredDice = None
    status: Statuses = {}
    opponent: Annotated[
        Name | None,
        field(
            "Opponent",
            "The character whom the action is turned against; it makes the roll opposed.",
            group=FIGHT,
            picks=CHARACTER,
            said="vs",
        ),
    ] = None
    combat: Annotated[bool, field("Combat", "A critical success wounds.", group=FIGHT)] = False
    circumstances: Annotated[
        tuple[Circumstance, ...],
        Meta(max_length=len(CIRCUMSTANCES)),
        field(
            "Circumstances",
            "Those of the attack; each makes it easier or harder.",
            group=FIGHT,
            picks=chart("circumstances"),
        ),
    ] = ()
    leave: Annotated[
        bool,
        field(
            "Leave",
            "For roots of other lengths than two to four letters, the reaction's as well.",
            group=ROOT,
        ),
    ] = False
    xr: Annotated[Gained, field("XR", "Dice more to reroll.", group=EARNED)] = 0
    pocketed: Annotated[
        Gained, field("Pocketed successes", "Successes that this attack adds.", group=EARNED)
    ] = 0
    idle: Annotated[
        Gained,
        field(
            "Idle successes",
            "Pocketed successes that this turn, no attack, cannot use.",
            group=EARNED,
        ),
    ] = 0


def rollables(options: Options, sheet: Sheet) -> tuple[Rollable, ...]:
    """A roll for each rating: a skill's names an attribute, one without a root names that."""
    return tuple(Rollable(name, *_begun(options, name)) for name in sheet.attributes)


def _begun(options: Options, name: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    against = ("target", "opponent")
    if name in options.skill_roots:
        return {"skill": name}, ("attribute", *against)
    return {"attribute": name}, against if name in options.attribute_roots else ("root", *against)
