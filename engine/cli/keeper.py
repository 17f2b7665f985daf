"""The commands by which a log's keeper adds to a table: a text erased, a new epoch begun."""

import sys
from typing import Annotated

import typer

from ...errors import Refused
from ...events.codec import recorded
from ...events.entry import Entry
from ...events.log.protocol import EventLog
from ...events.table import EpochBegun
from ..core.commands import Erase
from ..render.json import Object
from ..service import Service
from ..service.epochs import narrator
from ..service.secrets import FileSecrets
from .database import Database, TableId, must_hold, on_log
from .shared import Json, guarded, print_objects


def erase(
    database: Database,
    table: TableId,
    seq: Annotated[int, typer.Argument(metavar="SEQ", help="The entry of the text.")],
) -> None:
    """Erase a text for good, as a narrator may; its entry stays in the log."""
    with guarded():

        async def work(log: EventLog) -> tuple[Entry, ...]:
            await must_hold(log, table)
            service = Service(log, FileSecrets.beside(database))
            try:
                seat = narrator(await service.state(table))
                return await service.submit(table, seat, Erase(seq))
            finally:
                await service.close()

        [erased] = on_log(database, work)
        sys.stdout.write(f"entry {seq} is erased; entry {erased.seq} says so\n")


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
            await must_hold(log, table)
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
            print_objects([found])
            return
        sys.stdout.write(f"epoch {found['epoch']} of table {table} begins with entry ")
        sys.stdout.write(f"{found['seq']}; new commitments: {len(found['rolls'])}\n")
