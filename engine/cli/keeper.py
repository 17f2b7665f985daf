"""The commands by which a log's keeper adds to a table: a text erased, a new epoch begun."""

import sys
from pathlib import Path

import click

from ...errors import Refused
from ...events.codec import recorded
from ...events.entry import Entry
from ...events.log.protocol import EventLog
from ...events.table import EpochBegun, TextSaid
from ..core.commands import Erase
from ..render.json import Object
from ..service import Service
from ..service.epochs import narrator
from ..service.secrets import FileSecrets
from ..snapshots import Snapshots
from .database import DATABASE, SEAT, TABLE, must_hold, on_log, on_written_log
from .frame import NUMBER, YES, command
from .shared import confirm, print_objects


@command(
    DATABASE,
    TABLE,
    click.Argument(["seq"], type=NUMBER, metavar="SEQ", help="The entry of the text."),
    YES,
)
def erase(database: Path, table: str, seq: int, *, yes: bool, as_json: bool) -> None:
    """Erase a text for good, as a narrator may; its entry stays in the log.

    What is erased is shown first, and a yes is needed. Copies that others have keep the text.
    """
    text = on_log(database, lambda log: _text(log, table, seq))
    if text is not None:  # else it is refused
        confirm(
            "erasing a text",
            f"Entry {seq} of table {table} is {text!r}. Erase it for good?",
            yes=yes,
        )

    async def work(log: EventLog) -> tuple[Entry, ...]:
        await must_hold(log, table)
        service = Service(log, FileSecrets.beside(database), snapshots=Snapshots.beside(database))
        try:
            seat = narrator(await service.state(table))
            return await service.submit(table, seat, Erase(seq))
        finally:
            await service.close()

    [erased] = on_written_log(database, work)
    if as_json:
        print_objects([{"type": "erased", "table": table, "erased": seq, "seq": erased.seq}])
        return
    sys.stdout.write(f"entry {seq} is erased; entry {erased.seq} says so\n")


async def _text(log: EventLog, table: str, seq: int) -> str | None:
    """The text that an entry holds; None where it is no text, or is erased."""
    await must_hold(log, table)
    for entry in await log.read(table, seq - 1, limit=1):
        if entry.payload is not None and isinstance(event := recorded(entry).event, TextSaid):
            return event.text
    return None


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--seat"], type=SEAT, metavar="SEAT", help="The narrator's seat; else the first one's."
    ),
    YES,
)
def epoch(database: Path, table: str, *, seat: str | None, yes: bool, as_json: bool) -> None:
    """Let a table whose log was restored from a backup go on, under a new secret.

    What was signed before the restore is kept as evidence; every live roll gets a new commitment.
    This cannot be undone, and a yes is needed.
    """
    on_log(database, lambda log: must_hold(log, table))
    confirm("an epoch", f"Begin an epoch of table {table}, under a new secret?", yes=yes)

    async def work(log: EventLog) -> Object:
        await must_hold(log, table)
        service = Service(log, FileSecrets.beside(database), snapshots=Snapshots.beside(database))
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

    found = on_written_log(database, work)
    if as_json:
        print_objects([found])
        return
    sys.stdout.write(f"epoch {found['epoch']} of table {table} begins with entry ")
    sys.stdout.write(f"{found['seq']}; new commitments: {len(found['rolls'])}\n")
