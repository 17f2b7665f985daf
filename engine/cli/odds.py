"""The command `urim odds`: the exact odds of a roll that is not thrown yet."""

import sys
from collections.abc import Sequence
from typing import Any

import click
from msgspec import inspect, to_builtins

from ...errors import Refused
from ...projections.aims import SAID
from ...rules import ruleset_named, ruleset_names
from ...rules.ruleset import NoReaction
from ..core.aggregate import table_of
from ..core.odds import Question, answer, question
from ..render.odds import odds_parts
from ..render.text import page, pen_of
from ..table import Table
from .database import entries_of, seen_by
from .fields import read_fields, read_map
from .frame import NUMBER, LogPlace, command
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
        default="",
        metavar="AIM",
        help=f"What is wanted: {', '.join(SAID)}; success is a margin of 0 or more. Without it, the"
        " aim of the system.",
    ),
    _option("--rating", "NAME=NUMBER", "A rating of both characters' sheets"),
    _option("--react", "FIELD=VALUE", "c2, the other character, reacts so, and else declines"),
    _option("--reading", "NAME=VALUE", "A reading of the rules, or table data"),
    click.Option(["--roll"], type=NUMBER, metavar="N", help="A roll of a table, DB TABLE."),
    click.Option(["--at"], type=NUMBER, metavar="SEQ", help="As it was after this entry."),
    click.Option(["--seat"], metavar="SEAT", help="What this seat may see of it."),
)
def odds_of(
    words: Sequence[str],
    *,
    aim: str,
    rating: Sequence[str],
    react: Sequence[str],
    reading: Sequence[str],
    roll: int | None,
    at: int | None,
    seat: str | None,
    as_json: bool,
) -> None:
    """Show the exact odds of a roll, before any die falls.

    Each degree with its chance, then each margin. Where there is something to decide, who has
    to does what is best for the aim, and the opponent what is worst for it. No points are spent.
    The roller is c1, the other character c2. With --roll it is a roll of a table, DB TABLE, and
    what may still come of it. What is too much to count is refused.
    """
    if roll is not None:
        asked = _of_table(words, roll, at, seat)
    else:
        asked = _declared(words, rating, react, reading)
    found = answer(asked, aim)
    if as_json:
        print_objects([{"type": "odds", **to_builtins(found)}])
        return
    out = page(sys.stdout)
    for part in odds_parts(found, pen_of(out)):
        out.print(part)


def _declared(
    words: Sequence[str], rating: Sequence[str], react: Sequence[str], reading: Sequence[str]
) -> Question:
    """A roll of words, declared at a table that is thrown away; all reactions are given."""
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
    return question(table.state, roll.state.number)


def _system(words: Sequence[str]) -> tuple[str, Sequence[str] | dict[str, Any]]:
    """The system that words begin with, and its fields; of an expression the plain one."""
    first, *others = words
    if first in ruleset_names():
        return first, others
    return PLAIN, {"expression": " ".join(words)}


def _of_table(words: Sequence[str], number: int, at: int | None, seat: str | None) -> Question:
    """A roll of a table as it is now, or was then, as a seat may see it."""
    if len(words) != len(("DB", "TABLE")):
        why = "--roll is for a roll of a table"
        raise Refused("malformed", why, allowed=["DB TABLE --roll N"])
    entries = seen_by(entries_of(LogPlace().convert(words[0], None, None), words[1]), seat)
    if at is not None and not 0 <= at < len(entries):
        raise Refused("out-of-range", f"no entry {at}", allowed=[f"0 to {len(entries) - 1}"])
    return question(table_of(entries if at is None else entries[: at + 1]).opened, number)
