"""How commands reach a log in a database: their arguments, and its entries once they are checked.

The database is one file; the secrets of its tables are a directory beside it. Who can read the
file sees every roll, the hidden ones too: these commands are its keeper's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TypeVar

import click

from ...errors import Refused
from ...events.entry import Entry
from ...events.log.head import check_signed
from ...events.log.protocol import EventLog
from ...events.log.sqlite import SqliteLog
from .frame import FILE, NUMBER, Known

T = TypeVar("T")


def _tables(ctx: click.Context) -> Iterable[str]:
    """The tables of the database that is named before."""
    return on_log(ctx.params["database"], lambda log: log.tables())


def _seats(ctx: click.Context) -> Iterable[str]:
    """The seats of the table that is named before."""
    from ..scenario.export import table_of  # noqa: PLC0415  no command needs it for this

    return table_of(entries_of(ctx.params["database"], ctx.params["table"])).opened.seats


DATABASE = click.Argument(["database"], type=FILE, metavar="DB", help="The log's file.")
TABLE = click.Argument(
    ["table"], type=Known("table", _tables), metavar="TABLE", help="A table's id."
)
SEAT = Known("seat", _seats)
ROLL = click.Option(["--roll"], type=NUMBER, metavar="N", help="This roll alone.")
LOG = click.Option(["--log"], type=FILE, metavar="DB", help="Keep what is played in this database.")


def on_log(database: Path, work: Callable[[EventLog], Awaitable[T]], *, make: bool = False) -> T:
    """Do some work on the log in a file, which is made if `make`.

    Raises Refused("unreadable") where there is no file.
    """
    if not make:
        _must_be_there(database)
    return asyncio.run(_on_log(database, work))


def _must_be_there(database: Path) -> None:
    if not database.exists():
        raise Refused("unreadable", f"there is no file {database}")
    if not database.is_file():
        raise Refused("unreadable", f"{database} is no file", allowed=["a log's file"])
    if not database.stat().st_size:  # SQLite would make a database of it
        raise Refused("unreadable", f"{database} is empty", allowed=["a log's file"])


async def _on_log(database: Path, work: Callable[[EventLog], Awaitable[T]]) -> T:
    log = await SqliteLog.open(database)
    try:
        return await work(log)
    finally:
        await log.close()


def entries_of(database: Path, table: str) -> tuple[Entry, ...]:
    """Everything that a log holds of a table. Raises as `signed_entries` does."""
    return on_log(database, lambda log: signed_entries(log, table))


async def must_hold(log: EventLog, table: str) -> None:
    """Refuse with "unknown" a table that a log does not hold, and list those that it does."""
    if not await log.read(table, limit=1):
        raise Refused("unknown", f"no table {table!r}", allowed=await log.tables())


async def signed_entries(log: EventLog, table: str) -> tuple[Entry, ...]:
    """Everything that an open log holds of a table.

    Raises Refused("unknown") where it holds nothing, Damaged where it is not what the heads in the
    log were signed for.
    """
    await must_hold(log, table)
    heads = await log.heads(table)  # before the entries, which others may add to meanwhile
    entries = await log.read(table)
    check_signed(table, heads, lambda start, stop: (e.leaf for e in entries[start:stop]))
    return entries
