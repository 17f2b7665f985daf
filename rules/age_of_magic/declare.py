"""What is declared before the dice fall in Age of Magic, and how half points are written.

Points come in halves. They are declared as numbers (12.5) and reckoned in half points, whole
numbers, so that nothing is ever rounded.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from ...errors import Refused

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

FRESH, NORMAL = 0, 1
UNCONSCIOUS = len(TIREDNESS) - 1

SETTLED = (
    "skill_halves",
    "specialism_halves",
    "characteristic_halves",
    "tired",
    "margin_halves",
    "damage_halves",
)
"""The fields below that nobody declares: they are taken from a sheet, or from the roll before."""


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A roll: one skill, one characteristic, what changes them, and what is needed.

    `skill`, `specialism`, `characteristic`: names of scores on the sheet. `points`: their values,
    -200 to 200 in steps of ½, where they are not on the sheet. `modifiers`: bonuses and penalties
    by name. `talent` or `limitation` in the skill; a sheet that has `talent:SKILL` has it in
    every roll. `push`: a tiredness level for +3. `luck`: the roller's own, +3 or -3.
    `no_knowledge`: the referee's penalty. `difficulty`: what the result must reach. `targets`: the
    ids of those whom the roll is aimed at; they too may be lucky or unlucky.

    `kind`: what the result decides; trance needs 5 where no difficulty is named. An attack has one
    target and a `weapon`; its damage, rolled with ST alone, and the soak follow as rolls of their
    own, which need not name their kind.

    Filled in when it is settled, in half points: `skill_halves`, `specialism_halves`,
    `characteristic_halves`; `tired`, the tiredness level (0 Fresh to 8 Unconscious) whose penalty
    counts. Filled in where the roll follows another: of damage `targets`, `weapon` and
    `margin_halves`, by how much the attack hit; of a soak `damage_halves`, what is soaked.
    """

    skill: Name | None = None
    specialism: Name | None = None
    characteristic: Name | None = None
    points: Annotated[dict[Name, Points], Meta(max_length=3)] = {}
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
    specialism_halves: int = 0
    characteristic_halves: int = 0
    tired: int = 0
    margin_halves: int = 0
    damage_halves: int = 0


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Luck or unluck on somebody's roll, and which way it bends the roll: +3 or -3.

    `fate`: luck is the lucky character's to choose, unluck the referee's, for the unlucky one.
    """

    fate: Fate
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


def signed(halves: int) -> str:
    """Half points as points with their sign: `+3`, `−½`; nothing is `0`."""
    return f"+{shown(halves)}" if halves > 0 else shown(halves)


def penalty(level: int) -> tuple[str, int]:
    """A tiredness level's name and its penalty in half points."""
    return TIREDNESS[max(0, min(level, UNCONSCIOUS))]


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The characters whom the roll is aimed at."""
    return declaration.targets
