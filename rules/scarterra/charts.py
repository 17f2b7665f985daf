"""Scarterra's charts of difficulties and of degrees of success, with the book's examples."""

from collections.abc import Mapping
from typing import NamedTuple

from ...errors import Refused

LEAST, STANDARD, MOST = 2, 6, 10
"""Difficulties a roll can have, and the one it has unless another is named (Basic Dice Rolls)."""


class Line(NamedTuple):
    """A line of a chart: what a number is called, and what it is like."""

    name: str
    example: str


DIFFICULTIES: Mapping[int, Line] = {
    3: Line("easy", "sharpening a blade"),
    4: Line("routine", "calming a trained dog"),
    5: Line("straightforward", "seducing someone who is already in the mood"),
    6: Line("standard", "swinging a sword"),
    7: Line("challenging", "firing an arrow at long range"),
    8: Line("difficult", "forging a fine blade"),
    9: Line("extremely difficult", "fighting blind"),
}
"""Each number on a die that a difficulty asks for (Difficulty Chart)."""

HARDLY_WORTH_ROLLING: Mapping[int, str] = {
    2: "almost impossible to fail",
    10: "about as likely to botch as to succeed",
}
"""Difficulties outside the chart, and why it is mostly idle to roll at them (Difficulty Chart)."""

DEGREES: tuple[Line, ...] = (
    Line("marginal", "landing a glancing blow"),
    Line("moderate", "making a handicraft that is ugly but functional"),
    Line("complete", "fixing something so it is as good as new"),
    Line("exceptional", "making a perfect translation of an obscure text"),
    Line("phenomenal", "creating a masterwork"),
)
"""What 1, 2, 3, 4, and 5 or more successes are (Degree of Success Chart)."""

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


def degree_of(successes: int) -> Line:
    """The chart's line for so many net successes, 1 or more."""
    return DEGREES[min(successes, len(DEGREES)) - 1]
