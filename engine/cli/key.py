"""The command `urim key`: a host's key, a player's own, and the one that secrets are under."""

import asyncio
import sys
from contextlib import closing
from pathlib import Path

import click

from ...errors import Refused
from ...events.base import JSON
from ...events.checkpoint import HOST, origin_of
from ...events.log.location import Location
from ...events.log.protocol import EventLog
from ..core.commands import TakeSeat
from ..seat.key import find_key, key_file, make_key
from ..service.beside import secrets_of
from ..service.heads import read_unverified
from ..service.keys import no_key, table_key
from ..service.vault import Encrypted
from .commands import COMMANDS
from .database import DATABASE, TABLE, must_hold, on_log
from .frame import TableUrl, Where, command
from .online import host_at, seat_at, table_at
from .shared import print_objects

LOST = "who loses it asks a narrator to be seated again, which an audit shows"


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--host"], metavar="HOST", help="Where the table is served, if nothing is signed."
    ),
    examples=COMMANDS["key"].examples[:1],
)
def show(database: Location, table: str, *, host: str | None, as_json: bool) -> None:
    """Show the key by which others verify a table's heads; a host without a key gets one."""

    async def work(log: EventLog) -> JSON:
        return await _shown(log, database, table, host)

    found = on_log(database, work)
    if as_json:
        print_objects([found])
        return
    sys.stdout.write(f"{found['vkey']}\n")
    sys.stdout.flush()
    if found["made"]:
        sys.stderr.write(f"urim: a new key was made: {found['file']}\n")


@command(
    click.Argument(
        ["where"],
        type=Where(),
        metavar="URL",
        required=False,
        help="A table: your seat takes the key.",
    ),
    click.Option(["--host"], metavar="HOST", help="The host, as its tables' origins call it."),
    examples=COMMANDS["key"].examples[1:-1],
)
def seat(where: Path | TableUrl | None, *, host: str | None, as_json: bool) -> None:
    """Show the key that signs for your seats at a host; where there is none, one is made.

    From when a seat has taken it, the seat's requests are signed with it, and nobody asks in its
    name. It is never replaced: who lost it asks a narrator to be seated again, which an audit
    shows. Keep a copy of the file.
    """
    path = key_file(_host(where, host))
    found = find_key(path)
    signing = make_key(path) if found is None else found
    shown: JSON = {
        "type": "seat-key",
        "key": signing.public,
        "made": found is None,
        "file": str(path),
        "seat": _taken(where, signing.public) if isinstance(where, TableUrl) else None,
    }
    if as_json:
        print_objects([shown])
        return
    sys.stdout.write(f"{signing.public}\n")
    sys.stdout.flush()
    what = "a new key was made" if found is None else "the key is in"
    sys.stderr.write(f"urim: {what}: {path}\nurim: {LOST}\n")


@command(
    DATABASE,
    click.Option(
        ["--to", "file"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        required=True,
        help="The file of the other key; it is made where it is not there.",
    ),
    examples=COMMANDS["key"].examples[-1:],
)
def rotate(database: Location, file: Path, *, as_json: bool) -> None:
    """Encrypt the secrets in a database under another key, all or none.

    Who has the old key is refused from then on: give every server the new file, as
    URIM_SECRETS_KEY, and start it again. A copy of the database from before is under the old key.
    """
    with closing(secrets_of(database).vault) as vault:
        if not isinstance(vault, Encrypted):
            why = f"the secrets of {database} are not encrypted: they are in {vault.shown}"
            raise Refused("unreadable", why, allowed=["secrets in a PostgreSQL database"])
        count = vault.rotate(file)
    if as_json:
        print_objects([{"type": "rotated", "records": count, "file": str(file)}])
        return
    sys.stdout.write(f"{count} records are under the key in {file} now\n")
    sys.stdout.flush()
    sys.stderr.write("urim: start every server again, with that file as URIM_SECRETS_KEY\n")


key = click.Group(
    "key", help=COMMANDS["key"].help, commands=[show, seat, rotate], no_args_is_help=True
)


def _host(where: Path | TableUrl | None, host: str | None) -> str:
    """The host that a key is for. Raises Refused("malformed") for what is no table's URL."""
    if where is None:
        return host or HOST
    if not isinstance(where, TableUrl) or host is not None:
        why = f"a key is for the host of a table's URL, or of --host, not for {where}"
        raise Refused("malformed", why, allowed=["URL/tables/TABLE", "--host HOST"])
    return host_at(seat_at(where), where)


def _taken(where: TableUrl, public: str) -> str:
    """The seat that was joined at a URL, after it took the key. Raises as `table_at`."""
    with table_at(where) as (table, seat):
        if table.state.seats[seat].key != public:
            table.submit(seat, TakeSeat(seat, key=public))
        return seat


async def _shown(log: EventLog, database: Location, table: str, host: str | None) -> JSON:
    """A table's key as an object, after it was made if need be."""
    await must_hold(log, table)
    secrets = secrets_of(database)
    last = await log.last_head(table)
    origin = read_unverified(last.note).origin if last else origin_of(table, host)
    if host is not None and origin != origin_of(table, host):
        why = f"the heads of table {table!r} were signed as {origin}"
        raise Refused("unreadable", why, allowed=["no --host"])
    found = await asyncio.to_thread(secrets.key.find)
    if found is None and last is not None:
        raise no_key(secrets.key.place)
    private = await asyncio.to_thread(secrets.key.make) if found is None else found
    found_key = table_key(table, private, origin.removesuffix(f"/t/{table}"))
    return {
        "type": "key",
        "table": table,
        "origin": origin,
        "vkey": found_key.vkey,
        "made": found is None,
        "file": secrets.key.place,
    }
