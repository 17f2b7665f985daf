"""What is declared before the dice fall in Age of Magic, and how half points are written.

Points come in halves. They are declared as numbers (12.5) and reckoned in half points, whole
numbers, so that nothing is ever rounded.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from ...errors import Refused
from ..forms import CHARACTER, SHEET, among, chart, empty, field, filled, labels, outside
from ..ruleset import Rollable, Sheet
from .options import Options

POINTS_MOST = 200  # far beyond any character; keeps a throw within what is accepted

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]
Points: TypeAlias = Annotated[float, Meta(ge=-POINTS_MOST, le=POINTS_MOST)]
"""Points, in steps of ½."""

Kind: TypeAlias = Literal["simple", "attack", "trance", "tiring", "damage", "soak"]
Fate: TypeAlias = Literal["luck", "unluck"]
Wish: TypeAlias = Literal[3, -3]

TIREDNESS: tuple[tuple[str, int], ...] = (
    ("Fresh", 0),
    ("Normal", 0),
    ("Slightly tired", -1),
    ("Quite tired", -2),
    ("Tired", -3),
    ("Very tired", -4),
    ("Exhausted", -6),
    ("Reeling", -8),
    ("Unconscious", -8),
)
"""The tiredness levels, best first, each with its penalty in half points (the author's table).

Who drops Unconscious by a push rolls once more, at the penalty for Reeling.
"""

SCORES = ("skill", "specialism", "characteristic")
"""The fields below that name a score."""

SPECIALISMS_MOST = 10  # a skill's, beside the first

FRESH, NORMAL = 0, 1
UNCONSCIOUS = len(TIREDNESS) - 1

SETTLED = (
    "skill_halves",
    "specialism_halves",
    "specialisms_halves",
    "characteristic_halves",
    "tired",
    "margin_halves",
    "damage_halves",
)
"""The fields below that nobody declares: they are taken from a sheet, or from the roll before."""


CHARTS = (
    labels(
        "kinds",
        "Kinds of rolls",
        {
            "simple": "Simple",
            "attack": "Attack",
            "trance": "Trance, which needs 5 where no difficulty is named",
            "tiring": "Tiring",
            "damage": "Damage of a hit",
            "soak": "Soak of damage",
        },
    ),
    labels("fates", "Luck and unluck", {"luck": "Luck", "unluck": "Unluck"}),
    labels(
        "wishes",
        "Which way the roll is bent",
        {3: "+3, for the higher result", -3: "−3, for the lower result"},
    ),
)

SCORED, CHANGES, AIM, BEFORE = "Scores", "Bonuses and penalties", "Aim", "The roll before"
"""The headings of the form."""

FIRST = outside("link", "damage", "soak")
"""Of a roll that follows another these are taken from that one."""


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A roll: one skill, one characteristic, what changes them, and what is needed.

    The damage of an attack, rolled with ST alone, and the soak follow as rolls of their own, which
    need not name their kind.
    """

    skill: Annotated[
        Name | None,
        field(
            "Skill",
            "By its name on the sheet.",
            group=SCORED,
            when=outside("link", "damage"),
            picks=SHEET,
        ),
    ] = None
    specialism: Annotated[
        Name | None,
        field(
            "Specialism",
            "By its name on the sheet.",
            group=SCORED,
            when=filled("skill"),
            picks=SHEET,
        ),
    ] = None
    specialisms: Annotated[
        Annotated[tuple[Name, ...], Meta(max_length=SPECIALISMS_MOST)] | UnsetType,
        field(
            "Further specialisms",
            "By their names on the sheet.",
            group=SCORED,
            when=filled("specialism"),
            picks=SHEET,
        ),
    ] = UNSET
    characteristic: Annotated[
        Name | None,
        field("Characteristic", "By its name on the sheet.", group=SCORED, picks=SHEET, said="+"),
    ] = None
    points: Annotated[
        dict[Name, Points],
        Meta(max_length=len(SCORES) + SPECIALISMS_MOST),
        field(
            "Points",
            "The values of these scores, by name, where they are not on the sheet; in steps of ½.",
            group=SCORED,
        ),
    ] = {}
    modifiers: Annotated[
        dict[Name, Points],
        Meta(max_length=50),
        field("Modifiers", "Bonuses and penalties, by name.", group=CHANGES),
    ] = {}
    talent: Annotated[
        bool,
        field(
            "Talent",
            "A talent in the skill; a sheet that has `talent:SKILL` has it in every roll.",
            group=CHANGES,
            when=(filled("skill"), empty("limitation")),
        ),
    ] = False
    limitation: Annotated[
        bool,
        field(
            "Limitation",
            "A limitation in the skill; a sheet that has `limitation:SKILL` has it in every roll.",
            group=CHANGES,
            when=(filled("skill"), empty("talent")),
        ),
    ] = False
    push: Annotated[bool, field("Push", "A tiredness level for +3.", group=CHANGES)] = False
    no_knowledge: Annotated[
        bool, field("No knowledge", "The referee's penalty.", group=CHANGES)
    ] = False
    luck: Annotated[
        Wish | None,
        field("Luck", "The roller's own.", group=CHANGES, picks=chart("wishes")),
    ] = None
    difficulty: Annotated[
        Points | None,
        field("Difficulty", "What the result must reach.", group=AIM, when=FIRST, said="vs"),
    ] = None
    targets: Annotated[
        tuple[Name, ...],
        Meta(max_length=20),
        field(
            "Targets",
            "Those whom the roll is aimed at, an attack at one; they too may be lucky or unlucky.",
            group=AIM,
            when=FIRST,
            picks=CHARACTER,
            said="vs",
        ),
    ] = ()
    kind: Annotated[
        Kind, field("Kind", "What the result decides.", group=AIM, picks=chart("kinds"))
    ] = "simple"
    weapon: Annotated[
        Points,
        field("Weapon", "What it adds to the damage.", group=AIM, when=among("kind", "attack")),
    ] = 0
    skill_halves: Annotated[int, field("Skill", "In half points.", group=SCORED)] = 0
    specialism_halves: Annotated[int, field("Specialism", "In half points.", group=SCORED)] = 0
    specialisms_halves: Annotated[
        tuple[int, ...] | UnsetType,
        field("Further specialisms", "Each in half points.", group=SCORED),
    ] = UNSET
    characteristic_halves: Annotated[
        int, field("Characteristic", "In half points.", group=SCORED)
    ] = 0
    tired: Annotated[
        int,
        field(
            "Tiredness",
            "The level whose penalty counts, 0 (Fresh) to 8 (Unconscious).",
            group=CHANGES,
        ),
    ] = 0
    margin_halves: Annotated[
        int, field("Margin of the attack", "By how much it hit, in half points.", group=BEFORE)
    ] = 0
    damage_halves: Annotated[
        int, field("Damage", "What is soaked, in half points.", group=BEFORE)
    ] = 0


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Luck or unluck on somebody's roll."""

    fate: Annotated[
        Fate,
        field(
            "Fate",
            "Luck is the lucky character's to choose, unluck the referee's, for the unlucky one.",
            picks=chart("fates"),
        ),
    ]
    modifier: Annotated[
        Wish, field("Modifier", "Which way the roll is bent.", picks=chart("wishes"))
    ]


def further(declaration: Declaration) -> tuple[str, ...]:
    """The specialisms beside the first one."""
    return declaration.specialisms or ()


def halves(name: str, points: float) -> int:
    """Points as half points. Raises Refused for what is no whole number of halves."""
    doubled = points * 2
    if doubled != int(doubled):
        raise Refused(
            "malformed", f"{name} = {points} is not in steps of ½", allowed=["12", "12.5"]
        )
    return int(doubled)


def shown(halves: int) -> str:
    """Half points as points: `12½`, `−½`, `0`."""
    whole, half = divmod(abs(halves), 2)
    digits = f"{whole or ''}½" if half else str(whole)
    return f"−{digits}" if halves < 0 else digits


def penalty(level: int) -> tuple[str, int]:
    """A tiredness level's name and its penalty in half points."""
    return TIREDNESS[max(0, min(level, UNCONSCIOUS))]


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The characters whom the roll is aimed at."""
    return declaration.targets


NO_SKILLS = ("ST", "armour", "luck", "unluck")
"""Ratings that these rules name, and that are no skill."""


def rollables(options: Options, sheet: Sheet) -> tuple[Rollable, ...]:
    """A roll for each rating that may be a skill; its characteristic and difficulty are asked."""
    skills = (name for name in sheet.attributes if ":" not in name and name not in NO_SKILLS)
    return tuple(
        Rollable(name, {"skill": name}, ("characteristic", "difficulty")) for name in skills
    )
