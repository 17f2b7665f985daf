"""The commands on what a table's host vouches for: its key, and a new epoch after a restore."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...errors import Refused
from ...events.codec import recorded
from ...events.log.protocol import EventLog
from ...events.table import EpochBegun
from ..render.json import Object
from ..service import Service
from ..service.heads import read_unverified
from ..service.keys import no_key, origin_of, table_key
from ..service.secrets import FileSecrets
from .log import Database, TableId, on_log
from .shared import Json, guarded, lines

key_commands = typer.Typer(no_args_is_help=True, help="The key that signs the heads of tables.")


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
            lines([found])
            return
        sys.stdout.write(f"{found['vkey']}\n")
        sys.stdout.flush()
        if found["made"]:
            sys.stderr.write(f"urim: a new key was made: {found['file']}\n")


async def _shown(log: EventLog, database: Path, table: str, host: str | None) -> Object:
    """A table's key as an object, after it was made if need be."""
    if not await log.read(table, limit=1):
        raise Refused("unknown", f"no table {table!r}", allowed=await log.tables())
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


def epoch(
    database: Database,
    table: TableId,
    *,
    seat: Annotated[
        str | None, typer.Option("--seat", help="The narrator's seat; else the first one's.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a table whose log was restored from a backup go on, under a new secret.

    What was signed before the restore is kept as evidence; every live roll gets a new commitment.
    """
    with guarded():

        async def work(log: EventLog) -> Object:
            service = Service(log, FileSecrets.beside(database))
            try:
                [begun] = await service.begin_epoch(table, seat)
            finally:
                await service.close()
            event = recorded(begun).event
            if not isinstance(event, EpochBegun):
                raise Refused("unreadable", f"entry {begun.seq} begins no epoch")
            rolls = [each.roll for each in event.commits]
            return {
                "type": "epoch",
                "table": table,
                "epoch": event.epoch,
                "seq": begun.seq,
                "rolls": rolls,
            }

        found = on_log(database, work)
        if as_json:
            lines([found])
            return
        sys.stdout.write(f"epoch {found['epoch']} of table {table} begins with entry ")
        sys.stdout.write(f"{found['seq']}; new commitments: {len(found['rolls'])}\n")


COMMANDS = (epoch,)
"""The commands that are no group."""
