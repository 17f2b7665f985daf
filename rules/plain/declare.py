"""What is declared before plain dice fall: an expression."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...events.base import Effect
from ..forms import field
from ..ruleset import Rollable, Sheet
from .dice import KINDS
from .hands import again, matching
from .notation import EXPRESSION_MOST, Compare, Dice, located, refuse
from .options import Options

AGAIN_MOST = 100
"""Dice that are thrown again and again; as half of their faces stop, a throw stays below 1,000."""


EXAMPLES = ("3d6", "1d20+5 >= 15", "4d6kh3", "6d10>=7", "3d6!", "2d6ro<3+3", "4dF", "1d%")


class Declaration(Struct, frozen=True, forbid_unknown_fields=True):
    """What is rolled."""

    expression: Annotated[
        str,
        Meta(min_length=1, max_length=EXPRESSION_MOST, examples=list(EXAMPLES)),
        field(
            "Dice",
            "What is thrown, in the usual notation, as 4d6kh3+2, 1d20+5 >= 15, 6d10>=7 or 4dF: at"
            " most 60 characters, 20 terms and 1,000 dice.",
        ),
    ]


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The declaration as it is; it costs nothing. Raises Refused, with a caret where."""
    text = declaration.expression
    expression, starts = located(text)
    often = 0
    for term, start in zip(expression.terms, starts, strict=True):
        if isinstance(term, Dice):
            _check_again(text, start, term, options)
            often += term.count if again(term, options) else 0
            if often > AGAIN_MOST:
                refuse(text, start, f"at most {AGAIN_MOST} dice are thrown again and again")
    return declaration, ()


def _check_again(text: str, start: int, dice: Dice, options: Options) -> None:
    """Refuse a modifier that would never act, and one that would hardly ever end."""
    points: dict[str, Compare | Literal["highest"]] = {}
    if dice.explode is not None:
        points["!"] = dice.explode
    if dice.reroll is not None:
        points["r"] = dice.reroll[1]
    for letter, compare in points.items():
        at = text.lower().find(letter, start)
        faces = matching(dice, compare, options)
        if not faces:
            refuse(text, at, f"no face of {dice.kind} is meant")
        if 2 * len(faces) > len(KINDS[dice.kind]):
            refuse(text, at, f"at most half of the faces of {dice.kind} are thrown again")


COMMON = ("1d20", "1d20 adv", "1d20 dis", "1d100", "2d6", "3d6", "4d6kh3", "1d6", "1d12", "4dF")
"""What is thrown at most tables."""


def rollables(options: Options, sheet: Sheet) -> tuple[Rollable, ...]:
    """The dice that are thrown at most tables, whatever the sheet has."""
    return tuple(Rollable(dice, {"expression": dice}) for dice in COMMON)
