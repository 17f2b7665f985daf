"""What the figures of an outcome or of damage are, and the sums that they make.

An outcome holds figures as flat facts: whole numbers in the system's unit, names, letters, dice. It
holds no sentence and no formatted number, so that a log is short and belongs to no language. A
system declares here, once, what each of its figures is, and how its numbers add up; its words are
beside it. An account of a roll is made from these and from what was announced, nothing else.

A figure's key is a name, or a name and parts after it: `successes`, `modifiers:darkness`,
`helper_net:c3`. What is declared is the name; `parts` says what each part is.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Defect

Form: TypeAlias = Literal[
    "number", "halves", "flag", "name", "names", "character", "characters", "letter", "letters"
]
"""How a figure's value is written and read.

`number`: a whole number. `halves`: a whole number of halves, 15 is 7½. `flag`: true or false.
`name`: a word of the system's or of the table's, `character`: a character's id, `letter`: what a
die shows, or letters that dice spell. The plural ones are lists of those.
"""

Part: TypeAlias = Literal["name", "character", "number", "die", "place"]
"""What a part of a figure's key is: a word, a character's id, a count, a die's id, a place."""

Counts: TypeAlias = Literal["for", "against", "no"]
"""What a die does for its side: one that cancels a success counts against it."""

Value: TypeAlias = int | bool | str | list[str]
"""The value of a figure."""

NUMBERS: tuple[Form, ...] = ("number", "halves")
"""The forms that can be in a sum."""

TYPES: Mapping[Form, type] = {
    "number": int,
    "halves": int,
    "flag": bool,
    "name": str,
    "character": str,
    "letter": str,
}
"""The type of a value, by its form; the other forms are lists of str."""

MARGIN, AMOUNT = "margin", "amount"
OUTSIDE = (MARGIN, AMOUNT)
"""The numbers of a sum that are beside the figures: an outcome's margin, the amount of damage.

A system declares them as figures for their form, unit and heading.
"""


class Figure(Struct, frozen=True, kw_only=True):
    """One figure that outcomes or damage of a system may hold, or a family of them.

    `unit`: what a number counts, a key of the system's words (`unit.success`). `heading`: the part
    of the book that has its rule. `readings`: those that may decide it. `parts`: what the parts of
    its key after the name are. A number is the total or a term of a sum, unless it is a `fact`, as
    a rating or a difficulty is. `dice`: it is the `count` of the dice that `counts` names for it,
    or the `sum` of their faces; each of them counts for its side, against it, or not by this figure
    (`counts`). `whose` it is, where its label does not say: `roller`, of damage
    also `target`, or the key of a figure that holds a character.
    """

    form: Form = "number"
    unit: str = ""
    heading: str = ""
    readings: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    fact: bool = False
    dice: Literal["", "count", "sum"] = ""
    counts: Counts = "for"
    whose: str = ""


def owned(figures: Mapping[str, Figure], whose: str, *but: str) -> dict[str, Figure]:
    """The same figures, all but those named of one character: the roller, or another."""
    return {
        name: figure if name in but else replace(figure, whose=whose)
        for name, figure in figures.items()
    }


class Term(Struct, frozen=True):
    """One line of a sum: a figure, `times` a whole number.

    -1: it is taken away; 0: it does not count, as what is below 0 where the book counts from 0 up.
    With a `constant` it is a number of the book that is announced nowhere; `figure` then is its key
    among the words alone.
    """

    figure: str
    times: int = 1
    constant: int | None = None


class Sum(Struct, frozen=True, kw_only=True):
    """How a number comes out: the sum of its terms, and then what is done to it, in this order.

    Divided by `per` and rounded down (or `up`); not below `least`; not above `most`. Each of these
    is a number, or the key of a figure. `total` is a figure's key, or `margin`, or `amount`. Terms
    that add nothing are not written, unless it is `whole`: a margin is, for it compares.
    """

    total: str
    terms: tuple[Term, ...]
    per: int | str = 1
    up: bool = False
    least: int | str | None = None
    most: int | str | None = None
    whole: bool = False


Numbers: TypeAlias = Mapping[str, object]
"""The figures of an outcome or of damage, with `margin`, and of damage `amount`, among them."""


def name_of(key: str) -> str:
    """The name of a figure's key, without its parts."""
    return key.partition(":")[0]


def parts_of(key: str) -> tuple[str, ...]:
    """The parts of a figure's key, after its name; the last one keeps its colons."""
    return tuple(key.split(":")[1:])


def form_within(declared: Mapping[str, Figure], sum_: Sum) -> Form:
    """The form in which the terms of a sum are written, and what they are divided by.

    That is the form of the total, or before a division the form of the first figure: of half points
    10 are 5 points, whatever there is one of for each 5.
    """
    keys = (term.figure for term in sum_.terms if term.constant is None)
    key = sum_.total if sum_.per == 1 else next(keys, sum_.total)
    return declared.get(name_of(key), Figure()).form


def number(numbers: Numbers, key: int | str) -> int:
    """A number, or the one of that key. Raises Defect where there is none."""
    found = numbers.get(key) if isinstance(key, str) else key
    if type(found) is not int:
        raise Defect(f"a sum asks for {key!r}, which is {found!r}, no number")
    return found


def term_value(numbers: Numbers, term: Term) -> int:
    """What a term adds. Raises Defect where its figure is no number."""
    one = number(numbers, term.figure) if term.constant is None else term.constant
    return term.times * one


def value_of(numbers: Numbers, sum_: Sum) -> int:
    """The value of a sum. Raises Defect where it asks for a figure that is no number."""
    found = sum(term_value(numbers, term) for term in sum_.terms)
    per = number(numbers, sum_.per)
    found = -(-found // per) if sum_.up else found // per
    if sum_.least is not None:
        found = max(found, number(numbers, sum_.least))
    return found if sum_.most is None else min(found, number(numbers, sum_.most))
