"""How commands reach a log in a database: their arguments, and its entries once they are checked.

A log is one file, and the secrets of its tables are a directory beside it, or both are in a
database. Who can read it sees every roll, the hidden ones too: these commands are its keeper's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import click

from ...errors import Damaged, Refused, UrimError
from ...events.checkpoint import NOTE_BYTES
from ...events.entry import Entry
from ...events.log.copying import whole_table
from ...events.log.listing import check_absent, check_opening, listed
from ...events.log.location import DatabaseUrl, Location
from ...events.log.opening import open_log, open_log_reading
from ...events.log.protocol import EventLog
from ..core.aggregate import table_of
from ..core.attempt import sitting
from ..service.beside import secrets_of
from ..service.heads import is_note, read_unverified
from ..service.sweep import sweep
from .frame import LOG_PLACE, NUMBER, WHERE, Known
from .shared import bytes_in, report

T = TypeVar("T")


def tables_of(ctx: click.Context) -> Iterable[str]:
    """The tables of the database that is named before."""
    return tables_of_file(ctx.params["database"])


def tables_of_file(database: Location) -> Iterable[str]:
    """The tables of a database."""
    known, _ = on_log(database, listed)
    return known


def _seats(ctx: click.Context) -> Iterable[str]:
    """The seats of the table that is named before."""
    return table_of(read_entries(ctx.params["database"], ctx.params["table"])).opened.seats


DATABASE = click.Argument(
    ["database"], type=LOG_PLACE, metavar="DB", help="The log's file, or the URL of its database."
)
AT = click.Argument(
    ["database"],
    type=WHERE,
    metavar="DB",
    help="The log's file or database; or a table's URL (`urim join`), without TABLE and --seat.",
)
TABLE = click.Argument(
    ["table"], type=Known("table", tables_of), metavar="TABLE", help="A table's id."
)
ANY_TABLE = click.Argument(
    ["table"],
    type=Known("table", tables_of),
    required=False,
    metavar="[TABLE]",
    help="A table's id; else all of them.",
)
SEAT = Known("seat", _seats)
SEEN_BY = click.Option(["--seat"], type=SEAT, metavar="SEAT", help="What this seat may see of it.")
ROLL = click.Option(["--roll"], type=NUMBER, metavar="N", help="This roll alone.")


def seen_by(entries: Sequence[Entry], seat: str | None) -> tuple[Entry, ...]:
    """These entries as a seat may have them; all, where none is named.

    Raises Refused("unknown") for a seat that is not there.
    """
    if seat is None:
        return tuple(entries)
    table = table_of(entries)
    seat = sitting(table.opened, seat)
    return table.view(seat)


def on_log(database: Location, work: Callable[[EventLog], Awaitable[T]]) -> T:
    """Do some work on a log that is read and never touched; whatever writes is refused.

    Raises Refused("unreadable") where there is no log, and as `open_log_reading`.
    """
    must_be_there(database)
    return asyncio.run(_on_log(open_log_reading(database), work))


def on_written_log(
    database: Location, work: Callable[[EventLog], Awaitable[T]], *, make: bool = False
) -> T:
    """Do some work that writes to a log, which is made if `make`.

    Raises Refused("unreadable") where there is no log, and as `open_log`.
    """
    if not make:
        must_be_there(database)
    sweep(database)
    return asyncio.run(_on_log(open_log(database, make=make), work))


def must_be_there(database: Location) -> None:
    """Refuse with "unreadable" what is no file with something in it; a database says so itself."""
    if isinstance(database, DatabaseUrl):
        return
    if not database.exists():
        raise Refused("unreadable", f"there is no file {database}")
    if not database.is_file():
        raise Refused("unreadable", f"{database} is no file", allowed=["a log's file"])
    if not database.stat().st_size:  # SQLite would make a database of it
        raise Refused("unreadable", f"{database} is empty", allowed=["a log's file"])


def note_in(path: Path) -> bytes:
    """The signed head in a file. Raises Refused("unreadable"), naming it, where there is none."""
    note = bytes_in(path, NOTE_BYTES)
    if not is_note(note):
        why = f"{path} holds a signed head that is no note"
        raise Refused("unreadable", why, allowed=["a signed head, as a client keeps it"])
    return note


async def _on_log(opening: Awaitable[EventLog], work: Callable[[EventLog], Awaitable[T]]) -> T:
    log = await opening
    try:
        return await work(log)
    finally:
        await log.close()


def read_entries(database: Location, table: str) -> tuple[Entry, ...]:
    """Everything that a log holds of a table. Raises as `signed_entries` does."""
    return on_log(database, lambda log: signed_entries(log, table))


def entries_of(database: Location, table: str) -> tuple[Entry, ...]:
    """The same, to be shown; reports where a head outside is of more entries."""
    sizes = sizes_outside(database, [table])  # first: what they are of is in the log by then
    entries = read_entries(database, table)
    say_shorter(sizes, {table: len(entries)})
    return entries


def sizes_outside(database: Location, tables: Iterable[str] | None = None) -> dict[str, int]:
    """Of how many entries the newest heads beside a log's file are, as far as they can be read."""
    sizes: dict[str, int] = {}
    if isinstance(database, Path) and database.is_file():
        heads = secrets_of(database).heads
        for table in heads.tables() if tables is None else tables:
            with suppress(UrimError, OSError):  # what is wrong with it, `urim check` says
                sizes[table] = read_unverified(heads.find(table) or b"").size
    return sizes


def say_shorter(sizes: Mapping[str, int], found: Mapping[str, int]) -> None:
    """Report which tables have fewer entries than their heads outside are of."""
    context = click.get_current_context(silent=True)
    as_json = context is not None and bool(context.params.get("as_json"))
    for table, size in sizes.items():
        if (seen := found.get(table, 0)) < size:
            why = f"the log of table {table!r} went back: its newest signed head outside is of "
            why += f"{size} entries, and it has {seen}; urim check says more"
            report(Damaged(why), as_json=as_json, table=table)


async def must_hold(log: EventLog, table: str) -> None:
    """Refuse with "unknown" a table that a log does not hold, and list those that it does.

    Raises Damaged for an id under which rows are kept, but no table was opened.
    """
    first = await log.read(table, limit=1)
    if not first:
        await check_absent(log, table)
        known, _ = await listed(log)
        raise Refused("unknown", f"no table {table!r}", allowed=known)
    check_opening(table, first[0])


async def signed_entries(log: EventLog, table: str) -> tuple[Entry, ...]:
    """Everything that an open log holds of a table.

    Raises Refused("unknown") where it holds nothing, Damaged where a payload is missing that no
    entry erases, or a request that was answered, or where it is not what the heads in the log were
    signed for.
    """
    return (await whole_table(log, table)).entries
