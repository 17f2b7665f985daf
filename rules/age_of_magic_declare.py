"""What is said before the dice fall in Age of Magic, and how its text is understood.

Points come in halves. They are declared as numbers (12.5) and reckoned in half points, whole
numbers, so that nothing is ever rounded.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from ..errors import Refused
from .readings import reading

POINTS_MOST = 1_000  # far beyond any character; keeps what is settled within what is accepted

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]
Points: TypeAlias = Annotated[float, Meta(ge=-POINTS_MOST, le=POINTS_MOST)]
"""Points, in steps of ½."""

Kind: TypeAlias = Literal["simple", "attack", "trance", "tiring", "damage", "soak"]
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
"""The tiredness levels, best first, each with its penalty in half points (the author's table)."""

NORMAL = 1
UNCONSCIOUS = len(TIREDNESS) - 1


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of Age of Magic, with their defaults."""

    ceiling: Annotated[
        Literal["basic", "none"],
        reading(
            "The result is always less than or equal to the basic value.",
            heading="Dice rolls",
            assumed='As it says. "none": as in the author\'s worked examples, which exceed it.',
        ),
    ] = "basic"
    overdraw_dice: Annotated[
        int,
        reading(
            "Three points of the basic value buy one die.",
            heading="Dice rolls",
            assumed="No more dice than the basic value can pay for, but so many.",
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
            assumed='A push that would make one Unconscious is refused. "allow": it is rolled first.',
        ),
    ] = "refuse"
    luck_v_unluck: Annotated[
        Literal["cancel", "majority"],
        reading(
            "A lucky or unlucky roll is made twice, and one of the two results is chosen.",
            heading="Luck and unluck",
            assumed="Wishes for either result that oppose cancel the second throw, however many."
            ' "majority": the more numerous wish holds, and only a tie cancels it.',
        ),
    ] = "cancel"
    same_n_twice: Annotated[
        bool,
        reading(
            "The dice roll is made twice.",
            heading="Luck and unluck",
            assumed="With the same risk. False: the risk is chosen anew for the second throw.",
        ),
    ] = True


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A dice roll: one skill, one characteristic, what changes them, and what is needed.

    `points` give a skill, specialism or characteristic that is not on the sheet, or in half points.
    `modifiers` are bonuses and penalties by name. `talent` and `limitation`: in this skill. `push`:
    a tiredness level for +3. `luck`: the roller's own, +3 or -3. `difficulty`: what the result must
    reach, fixed beforehand by the referee (`narrator`), as is `no_knowledge`. `targets`: characters
    whom the roll is aimed at; they may be lucky or unlucky too. `kind` says what the result decides;
    an attack has a `weapon`, and its damage and the soak follow as rolls of their own.

    Settling fills in from the sheet, in half points: `skill_halves`, `characteristic_halves`; and
    `tired`, the tiredness level that the penalty is taken from. Following fills in `margin_halves`,
    by how much the attack hit, and `damage_halves`, the result that is soaked.
    """

    skill: Name | None = None
    specialism: Name | None = None
    characteristic: Name | None = None
    points: Annotated[dict[Name, Points], Meta(max_length=10)] = {}
    modifiers: Annotated[dict[Name, Points], Meta(max_length=50)] = {}
    talent: bool = False
    limitation: bool = False
    push: bool = False
    no_knowledge: bool = False
    luck: Wish | None = None
    difficulty: Points | None = None
    targets: Annotated[tuple[Name, ...], Meta(max_length=20)] = ()
    kind: Kind = "simple"
    weapon: Points = 0
    skill_halves: int = 0
    characteristic_halves: int = 0
    tired: int = 0
    margin_halves: int = 0
    damage_halves: int = 0


SETTLED = ("skill_halves", "characteristic_halves", "tired", "margin_halves", "damage_halves")


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Luck or unluck on somebody's roll, and which way it bends the dice roll: +3 or -3.

    `fate` "luck" is the lucky character's to choose, "unluck" the referee's, for the unlucky one.
    """

    fate: Literal["luck", "unluck"]
    modifier: Wish


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


def points_of(declaration: Declaration, sheet: Mapping[str, int], name: str) -> int:
    """A score in half points: as declared, else as on the sheet. Raises Refused for an unknown one."""
    if name in declaration.points:
        return halves(name, declaration.points[name])
    if name not in sheet:
        raise Refused("unknown", f"no score for {name!r}", allowed=[*sheet, "points"])
    return 2 * sheet[name]
