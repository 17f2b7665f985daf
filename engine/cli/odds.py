"""The command `urim odds`: the exact odds of a roll that is not thrown yet."""

import sys
from collections.abc import Sequence
from typing import Any

import click
from msgspec import inspect

from ...errors import Refused
from ...projections.aims import SAID, SUCCESS, aim_of
from ...projections.odds import odds, ways
from ...rules import ruleset_named, ruleset_names
from ...rules.ruleset import NoReaction
from ..core.offers import sheets
from ..render.odds import odds_object, odds_parts
from ..render.text import page, pen_of
from ..table import Table
from .fields import read_fields, read_map
from .frame import command
from .shared import print_objects

PLAIN, ROLLER, OTHER = "plain", "Roller", "Other"
"""The system of expressions; the characters of the table that a roll is thought of at."""


def _option(name: str, field: str, text: str) -> click.Option:
    return click.Option([name], multiple=True, metavar=field, help=f"{text}; repeat for more.")


@command(
    click.Argument(
        ["words"],
        nargs=-1,
        required=True,
        metavar="SYSTEM|EXPRESSION [FIELD=VALUE]...",
        help="A system and its declaration, as `urim systems NAME` shows it; or plain dice.",
    ),
    click.Option(
        ["--aim"],
        default=SUCCESS.words,
        metavar="AIM",
        help=f"What is wanted where there is a choice: {', '.join(SAID)}.",
        show_default=True,
    ),
    _option("--rating", "NAME=NUMBER", "A rating of both characters' sheets"),
    _option("--react", "FIELD=VALUE", "c2, the other character, reacts so, and else declines"),
    _option("--reading", "NAME=VALUE", "A reading of the rules, or table data"),
)
def odds_of(
    words: Sequence[str],
    *,
    aim: str,
    rating: Sequence[str],
    react: Sequence[str],
    reading: Sequence[str],
    as_json: bool,
) -> None:
    """Show the exact odds of a roll, before any die falls.

    Each degree with its chance, then each margin. Where there is something to decide, whoever has
    to does what is best for the aim, and the opponent what is worst for it. No points are spent.
    The roller is c1, the other character c2. What is too much to count is refused.
    """
    wanted = aim_of(aim)
    name, fields = _system(words)
    rules = ruleset_named(name)
    table = Table(name, dice="scripted", options=read_fields(reading, rules.Options))
    ratings = read_map(rating, inspect.type_info(float if rules.halves else int), "rating")
    one, two = (table.character(who, attributes=ratings) for who in (ROLLER, OTHER))
    declared = fields if isinstance(fields, dict) else read_fields(fields, rules.Declaration)
    roll = table.declare(one, **declared)
    reaction = read_fields(react, rules.Reaction) if react else None
    while any(offer.trigger == "react" and offer.due for offer in roll.offers):
        if reaction is None:
            roll.decline(two)
        else:
            roll.react(two, **reaction)
            reaction = None
    if reaction is not None:
        allowed = () if rules.Reaction is NoReaction else ("opponent=c2",)
        raise Refused("not-offered", "nobody is asked to react to this roll", allowed=allowed)
    asked = rules, roll.state.roll, sheets(table.state, roll.state), wanted
    decided = ways(*asked)
    spread = decided[0].spread if len(decided) > 1 else odds(*asked)
    if as_json:
        print_objects([odds_object(aim, spread, decided)])
        return
    out = page(sys.stdout)
    for part in odds_parts(aim, spread, decided, pen_of(out)):
        out.print(part)


def _system(words: Sequence[str]) -> tuple[str, Sequence[str] | dict[str, Any]]:
    """The system that words begin with, and its fields; of an expression the plain one."""
    first, *others = words
    if first in ruleset_names():
        return first, others
    return PLAIN, {"expression": " ".join(words)}
