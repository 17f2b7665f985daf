"""The command `urim key`: the key by which others verify what a table's host signs."""

import asyncio
import sys
from pathlib import Path

import click

from ...errors import Refused
from ...events.checkpoint import origin_of
from ...events.log.protocol import EventLog
from ..render.json import Object
from ..service.heads import read_unverified
from ..service.keys import no_key, table_key
from ..service.secrets import FileSecrets
from .commands import COMMANDS
from .database import DATABASE, TABLE, must_hold, on_log
from .frame import command
from .shared import print_objects


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--host"], metavar="HOST", help="Where the table is served, if nothing is signed."
    ),
    examples=COMMANDS["key"].examples,
)
def show(database: Path, table: str, *, host: str | None, as_json: bool) -> None:
    """Show the key by which others verify a table's heads; a host without a key gets one."""

    async def work(log: EventLog) -> Object:
        return await _shown(log, database, table, host)

    found = on_log(database, work)
    if as_json:
        print_objects([found])
        return
    sys.stdout.write(f"{found['vkey']}\n")
    sys.stdout.flush()
    if found["made"]:
        sys.stderr.write(f"urim: a new key was made: {found['file']}\n")


key = click.Group("key", help=COMMANDS["key"].help, commands=[show], no_args_is_help=True)


async def _shown(log: EventLog, database: Path, table: str, host: str | None) -> Object:
    """A table's key as an object, after it was made if need be."""
    await must_hold(log, table)
    secrets = FileSecrets.beside(database)
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
