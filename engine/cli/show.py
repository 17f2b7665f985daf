"""The commands `urim tables` and `urim show`: what a log holds, one table of it, one roll."""

import sys
from collections.abc import Callable, Mapping

import click

from ...errors import Damaged, Refused, UrimError
from ...events.base import JSON
from ...events.entry import Entry
from ...events.log.listing import listed
from ...events.log.location import Location
from ...events.log.protocol import EventLog
from ...projections.account import Account, account
from ..core.aggregate import table_of
from ..core.attempt import roll_of
from ..core.luck import worths
from ..render.html import html
from ..render.luck import worth_text
from ..render.markdown import markdown
from ..render.table import about, summary, table_objects, table_parts, tables_table
from ..render.text import page, pen_of
from .database import (
    AT,
    DATABASE,
    ROLL,
    SEEN_BY,
    TABLE,
    entries_of,
    on_log,
    say_shorter,
    seen_by,
    signed_entries,
    sizes_outside,
)
from .frame import NUMBER, TableUrl, command
from .shared import PASSED, UNUSABLE, exit_with, print_objects, report

WALKS: Mapping[str, Callable[[Account], str]] = {"markdown": markdown, "html": html}
"""What writes an account for others, by the form."""


@command(DATABASE)
def tables(database: Location, *, as_json: bool) -> None:
    """List the tables of a log."""
    sizes = sizes_outside(database)  # before the log is read, which others may go on with
    found, damaged = on_log(database, _summaries)
    for id, problem in damaged.items():
        report(problem, as_json=as_json, place=f"table {id}", table=id)
    seen = {each["table"]: each["entries"] for each in found}
    say_shorter({id: size for id, size in sizes.items() if id not in damaged}, seen)
    if as_json:
        print_objects(found)
    elif found:
        out = page(sys.stdout)
        out.print(tables_table(found, pen_of(out)))
    exit_with(UNUSABLE if damaged else PASSED)


async def _summaries(log: EventLog) -> tuple[list[JSON], dict[str, UrimError]]:
    """Every table in a few words, and what is wrong with those that cannot be read."""
    found: list[JSON] = []
    known, wrong = await listed(log)
    damaged: dict[str, UrimError] = {**wrong}
    for id in known:
        try:
            found.append({"type": "table", **summary(table_of(await signed_entries(log, id)))})
        except (Damaged, Refused) as error:
            damaged[id] = error
    return found, dict(sorted(damaged.items()))


@command(
    AT,
    TABLE,
    ROLL,
    click.Option(["--at"], type=NUMBER, metavar="SEQ", help="As it was after this entry."),
    click.Option(
        ["--format", "form"],
        type=click.Choice([*WALKS]),
        help="The account of the roll in this form, for a page or a chat.",
    ),
    click.Option(["--odds"], is_flag=True, help="What the roll was worth after each step."),
    SEEN_BY,
)
def show(
    database: Location | TableUrl,
    table: str,
    *,
    roll: int | None,
    at: int | None,
    form: str | None,
    odds: bool,
    seat: str | None,
    as_json: bool,
) -> None:
    """Show a table, or one roll: what happened, how it came out, how everybody is."""
    if form is not None and (roll is None or as_json):
        why = f"--format {form} writes the account of one roll"
        raise Refused(
            "malformed", why, allowed=["--format with --roll N", "--json without --format"]
        )
    if odds and (roll is None or as_json or form):
        why = "--odds says what one roll was worth, in words"
        raise Refused("malformed", why, allowed=["--odds with --roll N alone", "urim luck --json"])
    entries = seen_by(entries_given(database, table), seat)
    if at is not None and not 0 <= at < len(entries):
        last = len(entries) - 1
        raise Refused("out-of-range", f"no entry {at}", allowed=[f"0 to {last}"])
    then = table_of(entries if at is None else entries[: at + 1])
    if as_json:
        print_objects(table_objects(then, roll))
        return
    if form is not None and roll is not None:
        roll_of(then.opened, roll)
        sys.stdout.write(WALKS[form](account(then.opened, about(then, roll), roll)))
        return
    worth: dict[int, str] = {}
    if odds and roll is not None:
        aim = then.opened.game.ruleset.aim
        worth = {seq: worth_text(each, aim) for seq, each in worths(then.entries, roll)}
    out = page(sys.stdout)
    for part in list(table_parts(then, pen_of(out), out.width, roll, worth)):
        out.print(part)


def entries_given(at: Location | TableUrl, table: str) -> tuple[Entry, ...]:
    """All of a log's entries of a table; or those at a URL, as the seat may have them."""
    if isinstance(at, TableUrl):
        from .online import entries_at  # noqa: PLC0415  only with the extra

        return entries_at(at)
    return entries_of(at, table)
