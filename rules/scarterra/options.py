"""Every way in which Scarterra's text had to be understood, one option each."""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct

from ...errors import Refused
from ...events.base import Face
from ..readings import reading

LEVELS_MOST = 20  # more health levels than any creature has
DAMAGE_MOST = 100

Penalty = Annotated[int, Meta(ge=-LEVELS_MOST, le=0)]
Soak: TypeAlias = Literal["Stamina", "Stamina + Armor", "Armor"]
"""What damage can be soaked with (Reflexive Dice Rolls)."""

LEAST, STANDARD, MOST = 2, 6, 10
"""Difficulties a roll can have, and the one it has unless another is named (Basic Dice Rolls)."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of Scarterra with their defaults."""

    resisted_tie: Annotated[
        Literal["defender", "attacker", "neither"],
        reading(
            "The successes left over in a resisted roll are the winner's net successes.",
            heading="Resisted Rolls",
            assumed='Where both have as many, the defender holds; "attacker": he barely succeeds;'
            ' "neither": a standoff.',
        ),
    ] = "defender"
    tie_at_zero: Annotated[
        Literal["failure", "tie"],
        reading(
            "The successes left over in a resisted roll are the winner's net successes.",
            heading="Resisted Rolls",
            assumed="Where neither side has a success, neither has achieved anything;"
            ' "tie": it is a tie like any other.',
            since=2,
            before="failure",
        ),
    ] = "failure"
    below_zero: Annotated[
        Literal["counts", "stops"],
        reading(
            'Each "1" counts as a negative success; all who cooperate pool their successes.',
            heading="Difficulty Chart",
            assumed="Who has more of them than successes takes from the pool, and gives to one who"
            ' resists him with success; "stops": nobody has less than none.',
            since=2,
            before="stops",
        ),
    ] = "counts"
    declined: Annotated[
        Literal["zero", "simple"],
        reading(
            "Two characters roll against each other; nobody is said to roll who does not resist.",
            heading="Resisted Rolls",
            assumed="Who declines to resist has no net successes, and the outcome says"
            ' so; "simple": the roll is a simple one.',
        ),
    ] = "zero"
    resisted_extended: Annotated[
        Literal["lead", "own"],
        reading(
            "A resisted roll can be extended: it goes on until one contestant meets a threshold of"
            " net successes.",
            heading="Resisted Rolls",
            assumed="Net successes are what one side is ahead by, so a lead meets it;"
            ' "own": the sum of a side\'s own net successes does, and where both meet it at once'
            " the higher sum.",
        ),
    ] = "lead"
    extended_botch: Annotated[
        Literal["ruin", "setback"],
        reading(
            "A botch probably ruins the whole endeavor, or is at least a severe setback.",
            heading="Extended Rolls",
            assumed='It ruins it; "setback": what was gained is lost, and the work goes on.',
        ),
    ] = "ruin"
    cooperative_botch: Annotated[
        Literal["all", "any"],
        reading(
            "All the characters involved pool their successes into one pool.",
            heading="Cooperative Rolls",
            assumed='All must botch for a botch; "any": one is enough.',
        ),
    ] = "all"
    retry_step: Annotated[
        int,
        reading(
            "Anybody who fails can usually try again, in many cases at +1 difficulty.",
            heading="Trying it Again",
            assumed="Each try that is marked as one is so much harder than the last, 10 at most.",
            others=(0, 2),
            ge=0,
            le=8,
        ),
    ] = 1
    actions_by: Annotated[
        Literal["turn", "each"],
        reading(
            "Multiple actions may be taken as long as no dice pool is reduced to zero.",
            heading="Taking Multiple Actions",
            assumed="A pool must bear the penalty of the turn's last action, whichever is rolled;"
            ' "each": only that of its own action.',
        ),
    ] = "turn"
    health_levels: Annotated[
        tuple[Penalty, ...],
        reading(
            "Rolls suffer wound penalties; the book names no figures.",
            heading="Reflexive Dice Rolls",
            assumed="One level of health a wound, each with its penalty in dice; one wound more and"
            " a character is out.",
            others=((0, -1, -3), (0, 0, -1, -1, -2, -2, -5)),
            min_length=1,
            max_length=LEVELS_MOST,
        ),
    ] = (0, -1, -1, -2, -2, -5)
    soak_pays_wounds: Annotated[
        bool,
        reading(
            "Of reflexive rolls only those by attribute + ability suffer wound penalties.",
            heading="Reflexive Dice Rolls",
            assumed="Stamina + Armor takes no ability and suffers none; True: it does.",
        ),
    ] = False
    soak_by: Annotated[
        Soak,
        reading(
            "Damage is soaked with Stamina, Stamina + Armor or Armor, by its source and type.",
            heading="Reflexive Dice Rolls",
            assumed="With these, where an attack names none.",
        ),
    ] = "Stamina + Armor"
    soak_difficulty: Annotated[
        int,
        reading(
            "The difficulty is 6 unless the Storyteller names another; of a soak none is named.",
            heading="Reflexive Dice Rolls",
            assumed="Every soak is rolled at 6, or at this number.",
            others=(8,),
            ge=LEAST,
            le=MOST,
        ),
    ] = STANDARD
    weapon_damage: Annotated[
        int,
        reading(
            "A hit's degree of success parts a glancing blow from a lethal strike.",
            heading="Resisted Rolls",
            assumed="Each net success is a point of damage; a weapon that is not declared adds"
            " so many.",
            others=(1, 2),
            ge=0,
            le=DAMAGE_MOST,
        ),
    ] = 0


class ChartLine(NamedTuple):
    """A line of a chart: what a number is called, and what it is like."""

    name: str
    example: str


HARDLY_WORTH_ROLLING: Mapping[int, ChartLine] = {
    2: ChartLine("hardly_fails", "almost impossible to fail"),
    10: ChartLine("botches_as_often", "about as likely to botch as to succeed"),
}
"""Difficulties outside the chart, and why it is mostly idle to roll at them (Difficulty Chart)."""


DIFFICULTIES: Mapping[int, ChartLine] = {
    3: ChartLine("easy", "sharpening a blade"),
    4: ChartLine("routine", "calming a trained dog"),
    5: ChartLine("straightforward", "seducing someone who is already in the mood"),
    6: ChartLine("standard", "swinging a sword"),
    7: ChartLine("challenging", "firing an arrow at long range"),
    8: ChartLine("difficult", "forging a fine blade"),
    9: ChartLine("extremely difficult", "fighting blind"),
}
"""Each number on a die that a difficulty asks for (Difficulty Chart)."""


DEGREES: tuple[ChartLine, ...] = (
    ChartLine("marginal", "landing a glancing blow"),
    ChartLine("moderate", "making a handicraft that is ugly but functional"),
    ChartLine("complete", "fixing something so it is as good as new"),
    ChartLine("exceptional", "making a perfect translation of an obscure text"),
    ChartLine("phenomenal", "creating a masterwork"),
)
"""What 1, 2, 3, 4, and 5 or more successes are (Degree of Success Chart)."""

EXAMPLES = (
    "glancing_blow",
    "ugly_but_functional",
    "good_as_new",
    "perfect_translation",
    "masterwork",
)
"""What the examples of the degrees are called in figures, in their order."""

BY_NAME: Mapping[str, int] = {line.name: number for number, line in DIFFICULTIES.items()}


def difficulty_named(named: str | int) -> int:
    """A difficulty as a number, 2 to 10, from its number or its name in the chart.

    Raises Refused for a name that is not in the chart, and for a number outside these bounds.
    """
    if isinstance(named, str):
        if named.lower() not in BY_NAME:
            raise Refused("unknown", f"no such difficulty: {named!r}", allowed=BY_NAME)
        return BY_NAME[named.lower()]
    if not LEAST <= named <= MOST:
        raise Refused(
            "out-of-range", f"a difficulty of {named}", allowed=[f"{LEAST} to {MOST}", *BY_NAME]
        )
    return named


def degree_of(successes: int) -> str:
    """What the chart calls so many net successes, 1 or more."""
    return DEGREES[min(successes, len(DEGREES)) - 1].name


def example_of(successes: int) -> str:
    """What the chart's example of so many net successes, 1 or more, is called in figures."""
    return EXAMPLES[min(successes, len(DEGREES)) - 1]


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The only kind of die, with ten faces."""
    return {"d10": tuple(range(1, 11))}
