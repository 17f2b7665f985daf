"""The command `urim luck`: whether anybody was lucky, and what each throw of a roll was worth."""

import sys
from collections.abc import Iterable, Iterator

import click
from msgspec import to_builtins

from ...events.base import JSON
from ...events.log.location import Location
from ..core.aggregate import table_of
from ..core.attempt import roll_of
from ..core.luck import Moment, luck_of, moments
from ..render.luck import luck_parts, moments_table
from ..render.text import page, pen_of
from .ask import character_named
from .database import AT, ROLL, SEEN_BY, TABLE, seen_by
from .frame import NUMBER, TableUrl, command
from .shared import print_objects
from .show import entries_given


@command(
    AT,
    TABLE,
    ROLL,
    click.Option(["--character"], metavar="CHARACTER", help="What this character threw alone."),
    click.Option(["--since"], type=NUMBER, metavar="SEQ", help="What fell after this entry alone."),
    SEEN_BY,
)
def luck(
    database: Location | TableUrl,
    table: str,
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
    entries = seen_by(entries_given(database, table), seat)
    state = table_of(entries).opened
    who = None if character is None else character_named(state, character)
    if roll is not None:
        roll_of(state, roll, seat or "")
    found = [
        each
        for each in moments(entries, None if roll is None else [roll], play=as_json or bool(roll))
        if who in (None, each.character) and each.seq > (-1 if since is None else since)
    ]
    aim = state.game.ruleset.aim
    total = luck_of(found, aim)
    if as_json:
        one = {"type": "luck", "table": state.id, **to_builtins(total)}
        print_objects([one, *(_moments(found) if roll is not None else ())])
        return
    out = page(sys.stdout)
    pen = pen_of(out)
    if roll is not None:
        out.print(moments_table(state, found, aim, pen))
        return
    for part in luck_parts(state, total, pen):
        out.print(part)


def _moments(found: Iterable[Moment]) -> Iterator[JSON]:
    """Each throw and decision as JSON, numbers as floats; None what is not known."""
    for each in found:
        worths = {
            name: None if worth is None else float(worth)
            for name in ("before", "expected", "after", "luck", "play")
            for worth in [getattr(each, name)]
        }
        fields = ("seq", "roll", "character", "seat", "threw", "against", "why")
        yield {"type": "moment", **{name: getattr(each, name) for name in fields}, **worths}
