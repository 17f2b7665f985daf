"""The command `urim key`: the key by which others verify what a table's host signs."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...errors import Refused
from ...events.log.protocol import EventLog
from ..render.json import Object
from ..service.heads import read_unverified
from ..service.keys import no_key, origin_of, table_key
from ..service.secrets import FileSecrets
from .database import Database, TableId, must_hold, on_log
from .shared import Json, guarded, print_objects

key_commands = typer.Typer(
    add_completion=False, no_args_is_help=True, help="The key that signs the heads of tables."
)


@key_commands.callback()
def _key() -> None:
    """Keep `show` a command of its own, although it is the only one."""


@key_commands.command()
def show(
    database: Database,
    table: TableId,
    *,
    host: Annotated[
        str | None, typer.Option("--host", help="Where the table is served, if nothing is signed.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the key by which others verify a table's heads; a host without a key gets one."""
    with guarded():

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
    key = table_key(table, private, origin.removesuffix(f"/t/{table}"))
    return {
        "type": "key",
        "table": table,
        "origin": origin,
        "vkey": key.vkey,
        "made": found is None,
        "file": secrets.key.place,
    }
