"""The commands by which a log's keeper adds to a table: a text erased, a new epoch begun."""

import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import click

from ...errors import Damaged, Refused
from ...events.base import JSON
from ...events.codec import recorded
from ...events.entry import Entry
from ...events.log.location import Location
from ...events.log.protocol import EventLog
from ...events.table import EpochBegun, TextSaid
from ..core.commands import Erase
from ..service import Service
from ..service.beside import secrets_of, snapshots_of
from ..service.epochs import narrator
from ..service.grounds import Grounds
from .database import DATABASE, SEAT, TABLE, must_hold, note_in, on_log, on_written_log
from .frame import NUMBER, SEEN, YES, command
from .shared import confirm, print_objects


@command(
    DATABASE,
    TABLE,
    click.Argument(["seq"], type=NUMBER, metavar="SEQ", help="The entry of the text."),
    YES,
)
def erase(database: Location, table: str, seq: int, *, yes: bool, as_json: bool) -> None:
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
        async with _serving(database, log) as service:
            seat = narrator(await service.state(table))
            return await service.submit(table, seat, Erase(seq))

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
    SEEN,
    YES,
)
def epoch(
    database: Location,
    table: str,
    *,
    seat: str | None,
    seen: Sequence[Path],
    yes: bool,
    as_json: bool,
) -> None:
    """Let a table whose log was restored from a backup go on, under a new secret.

    Refused where the log fits its signed heads: then --seen gives one that the log has lost, as a
    player's client keeps it. What was signed before the restore is kept as evidence; every live
    roll gets a new commitment, and every audit shows it. This cannot be undone, and a yes is
    needed.
    """
    notes = {path: note_in(path) for path in seen}

    async def look(log: EventLog) -> Grounds:
        await must_hold(log, table)
        async with _serving(database, log) as service:
            return await _grounds(service, table, notes)

    # In two steps: who is asked may take a long time to answer, and may interrupt it.
    grounds = on_written_log(database, look)
    question = f"Begin an epoch of table {table}, under a new secret?"
    confirm("an epoch", f"{grounds.words} {MEANING} {question}", yes=yes)

    async def work(log: EventLog) -> JSON:
        async with _serving(database, log) as service:
            seen = tuple(notes.values())
            begun = await service.begin_epoch(table, seat, seen, restored=grounds.unknown)
        return _epoch_object(table, *begun)

    found = on_written_log(database, work)
    if as_json:
        print_objects([found])
        return
    sys.stdout.write(f"epoch {found['epoch']} of table {table} begins with entry ")
    sys.stdout.write(f"{found['seq']}; new commitments: {len(found['rolls'])}\n")


MEANING = (
    "An epoch throws what is under way from a new secret; every player and every audit is shown it."
)
"""What somebody must know who is asked whether to begin an epoch."""


@asynccontextmanager
async def _serving(database: Location, log: EventLog) -> AsyncGenerator[Service]:
    service = Service(log, secrets_of(database), snapshots=snapshots_of(database))
    try:
        yield service
    finally:
        await service.close()


async def _grounds(service: Service, table: str, notes: Mapping[Path, bytes]) -> Grounds:
    """What speaks for an epoch. Raises Refused where nothing does, or for a file of no use."""
    seen: tuple[bytes, ...] = ()
    grounds = await service.epoch_grounds(table)
    for path, note in notes.items():
        seen = (*seen, note)
        try:
            grounds = await service.epoch_grounds(table, seen)
        except (Damaged, Refused) as error:
            raise _named(path, error) from error
    if not grounds.unknown:
        grounds.check()
    return grounds


def _epoch_object(table: str, entry: Entry) -> JSON:
    event = recorded(entry).event
    if not isinstance(event, EpochBegun):
        raise Refused("unreadable", f"entry {entry.seq} begins no epoch")
    rolls = [each.roll for each in event.commits]
    epoch = event.epoch
    return {"type": "epoch", "table": table, "epoch": epoch, "seq": entry.seq, "rolls": rolls}


def _named(path: Path, error: Damaged | Refused) -> Refused:
    """The same, of a file that a user named."""
    allowed = error.allowed if isinstance(error, Refused) else ["a signed head of the table"]
    return Refused("unreadable", f"{path}: {error.why}", allowed=allowed)
