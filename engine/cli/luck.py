"""The command `urim luck`: whether anybody was lucky, and what each throw of a roll was worth."""

import sys
from collections.abc import Iterable, Iterator

import click
from msgspec import to_builtins

from ...errors import Refused
from ...events.base import JSON
from ...events.log.location import Location
from ..core.aggregate import table_of
from ..core.attempt import roll_of
from ..core.luck import Memory, Moment, luck_of, moments
from ..render.luck import CLAIMS, luck_parts, moments_table
from ..render.text import page, pen_of
from .ask import character_named
from .database import ANY_TABLE, AT, ROLL, SEEN_BY, seen_by, tables_of_file
from .frame import NUMBER, TableUrl, command
from .shared import print_objects
from .show import entries_given


@command(
    AT,
    ANY_TABLE,
    ROLL,
    click.Option(["--character"], metavar="CHARACTER", help="What this character threw alone."),
    click.Option(["--since"], type=NUMBER, metavar="SEQ", help="What fell after this entry alone."),
    SEEN_BY,
)
def luck(
    database: Location | TableUrl,
    table: str | None,
    *,
    roll: int | None,
    character: str | None,
    since: int | None,
    seat: str | None,
    as_json: bool,
) -> None:
    """Say whether anybody at a table was lucky: what fell, less what was to be expected.

    A throw counts for what it changed: the chance of a success, by exact odds, everybody doing
    what is best from there on; of plain dice their total. What was voided fell too, and counts. A
    seat is called lucky, or unlucky, only where fair dice hardly ever come to that, however often
    one looks; choose --since before the dice fall. With --roll, what each throw and decision of the
    roll was worth.
    """
    if table is None and not isinstance(database, TableUrl):
        given = {"--roll": roll, "--character": character, "--since": since, "--seat": seat}
        if named := [name for name, value in given.items() if value is not None]:
            why = f"{named[0]} without TABLE: it is of one table"
            raise Refused("malformed", why, allowed=[f"DB TABLE {named[0]}", "DB alone"])
        tables: Iterable[str] = tables_of_file(database)
    else:
        tables = [table or ""]
    memory: Memory = {}
    out = page(sys.stdout)
    pen = pen_of(out)
    for each in tables:
        entries = seen_by(entries_given(database, each), seat)
        state = table_of(entries).opened
        who = None if character is None else character_named(state, character)
        if roll is not None:
            roll_of(state, roll, seat or "")
        rolls = None if roll is None else [roll]
        found = [
            moment
            for moment in moments(entries, rolls, play=as_json or bool(roll), memory=memory)
            if who in (None, moment.character) and moment.seq > (-1 if since is None else since)
        ]
        aim = state.game.ruleset.aim
        total = luck_of(found, aim)
        if as_json:
            one = {"type": "luck", "table": state.id, **to_builtins(total)}
            print_objects([one, *(() if roll is None else _moments(found))])
            continue
        whole = roll is None
        parts = luck_parts(state, total, pen) if whole else [moments_table(state, found, aim, pen)]
        for part in parts:
            out.print(part)
    if roll is None and not as_json:
        out.print(pen.text(CLAIMS, "dim"))


def _moments(found: Iterable[Moment]) -> Iterator[JSON]:
    """Each throw and decision as JSON, numbers as floats; None what is not known."""
    for each in found:
        worths = {
            name: None if worth is None else float(worth)
            for name in ("before", "expected", "after", "luck", "play")
            for worth in [getattr(each, name)]
        }
        fields = ("seq", "roll", "character", "seat", "threw", "against", "stands", "why")
        yield {"type": "moment", **{name: getattr(each, name) for name in fields}, **worths}
