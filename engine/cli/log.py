"""The commands on a log in a database: its tables, what happened, how it stood, what leaves it.

The database is one file; the secrets of its tables are a directory beside it. Whoever may read the
file sees every roll, the hidden ones too: these commands are its keeper's.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, public_key
from ...events.entry import Entry
from ...events.log.head import check_signed
from ...events.log.memory import MemoryLog
from ...events.log.protocol import Appended, EventLog
from ...events.log.sqlite import SqliteLog
from ..bundle.write import write_bundle
from ..core.aggregate import FIXTURE_TABLE, table_id
from ..core.attempt import seat_of
from ..core.commands import Erase
from ..render.json import Object
from ..render.log import summary, table_objects, table_parts, tables_table
from ..render.text import Pen, page, pen_of
from ..scenario import Play, Scenario, play
from ..scenario.export import NOBODY, entry_lines, in_ascii, scenario_text, table_of
from ..service import Service
from ..service.epochs import narrator
from ..service.secrets import WITH_SECRET, FileSecrets, Secrets
from .shared import PASSED, UNUSABLE, Json, complain, end, guarded, leave, lines

T = TypeVar("T")

Database = Annotated[Path, typer.Argument(metavar="DB", help="The log's file.")]
TableId = Annotated[str, typer.Argument(metavar="TABLE", help="A table's id.")]
Roll = Annotated[int | None, typer.Option("--roll", metavar="N", help="This roll alone.")]
Form = Literal["bundle", "jsonl", "scenario"]


def tables(database: Database, *, as_json: Json = False) -> None:
    """List the tables of a log."""
    with guarded():
        found, damaged = on_log(database, _summaries)
        for problem in damaged:
            complain(problem)
        if as_json:
            lines(found)
        elif found:
            out = page(sys.stdout)
            out.print(tables_table(found, pen_of(out)))
        end(UNUSABLE if damaged else PASSED)


async def _summaries(log: EventLog) -> tuple[list[Object], list[str]]:
    """Every table in a few words, and what is wrong with those that cannot be read."""
    found: list[Object] = []
    damaged: list[str] = []
    for id in await log.tables():
        try:
            found.append(summary(table_of(await _signed(log, id))))
        except (Damaged, Refused) as error:
            damaged.append(f"table {id}: {error}")
    return found, damaged


def show(
    database: Database,
    table: TableId,
    *,
    roll: Roll = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", help="As it stood after this entry.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a table, or one roll: what happened, how it came out, how everybody is."""
    with guarded():
        entries = entries_of(database, table)
        if at is not None and not 0 <= at < len(entries):
            last = len(entries) - 1
            raise Refused("out-of-range", f"no entry {at}", allowed=[f"0 to {last}"])
        then = table_of(entries if at is None else entries[: at + 1])
        if as_json:
            lines(table_objects(then, roll))
            return
        out = page(sys.stdout)
        for part in list(table_parts(then, pen_of(out), out.width, roll)):
            out.print(part)


def export(
    database: Database,
    table: TableId,
    *,
    form: Annotated[Form, typer.Option("--as", help="What it shall be.")],
    roll: Roll = None,
    seat: Annotated[
        str,
        typer.Option(
            "--seat", help="bundle, jsonl: what this seat may see, not what everybody may."
        ),
    ] = NOBODY,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there, anew.")
    ] = None,
) -> None:
    """Write a table, or one roll, for others.

    A bundle proves what the log held to whoever audits it; jsonl is the entries as they are; a
    scenario plays it again.
    """
    with guarded():
        if form == "bundle":
            leave(out, _bundle(database, table, seat, roll))
            return
        entries = entries_of(database, table)
        if form == "jsonl":
            found = list(entry_lines(entries, seat, roll))
            if out is None:
                lines(found)
            else:
                leave(out, (f"{json.dumps(each, ensure_ascii=False)}\n".encode() for each in found))
            return
        text = scenario_text(entries, roll)
        plain = out is None and not Pen(sys.stdout.encoding or "ascii").unicode
        leave(out, [(in_ascii(text) if plain else text).encode("utf-8")])


def _bundle(database: Path, table: str, seat: str, roll: int | None) -> Iterator[bytes]:
    secrets = FileSecrets.beside(database)
    return on_log(database, lambda log: bundle_lines(log, secrets, table, seat, roll))


def erase(
    database: Database,
    table: TableId,
    seq: Annotated[int, typer.Argument(metavar="SEQ", help="The entry of a name or note.")],
) -> None:
    """Erase a name or a note for good, as a narrator may; that it was, stays in the log."""
    with guarded():

        async def work(log: EventLog) -> tuple[Entry, ...]:
            service = Service(log, FileSecrets.beside(database))
            try:
                seat = narrator(await service.state(table))
                return await service.submit(table, seat, Erase(seq))
            finally:
                await service.close()

        [erased] = on_log(database, work)
        sys.stdout.write(f"entry {seq} is erased; entry {erased.seq} says so\n")


COMMANDS = (tables, show, export, erase)
"""The commands that need no more than a log."""


# --- logs -----------------------------------------------------------------------------------------


def on_log(database: Path, work: Callable[[EventLog], Awaitable[T]]) -> T:
    """Do some work on the log of a file that is there. Raises Refused("unreadable")."""
    if not database.is_file():
        raise Refused("unreadable", f"{database} is no file", allowed=["a log's file"])
    return asyncio.run(_on_log(database, work))


async def _on_log(database: Path, work: Callable[[EventLog], Awaitable[T]]) -> T:
    log = await SqliteLog.open(database)
    try:
        return await work(log)
    finally:
        await log.close()


def entries_of(database: Path, table: str) -> tuple[Entry, ...]:
    """Everything that a log holds of a table.

    Raises Refused("unknown") where it holds nothing, Damaged where it is not what the heads in the
    log were signed for.
    """
    return on_log(database, lambda log: _signed(log, table))


async def _signed(log: EventLog, table: str) -> tuple[Entry, ...]:
    heads = await log.heads(table)  # before the entries, which others may add to meanwhile
    entries = await log.read(table)
    if not entries:
        raise Refused("unknown", f"no table {table!r}", allowed=await log.tables())
    check_signed(table, heads, lambda start, stop: (e.leaf for e in entries[start:stop]))
    return entries


def play_onto(database: Path, scenario: Scenario) -> Play:
    """Play a scenario and keep it in a database, which is made if it is not there.

    It is played in memory first and then kept whole, so that a scenario that cannot be used leaves
    nothing behind. Raises Refused("taken") where its table's id is in use; one without an id takes
    the next that is free, unless its dice depend on it.
    """

    async def work(log: EventLog) -> Play:
        for id in _ids(scenario, await log.tables()):
            played = await play(replace(scenario, table=id), MemoryLog())
            if await _kept(log, FileSecrets.beside(database), played):
                return played
        raise _in_use(scenario)

    return asyncio.run(_on_log(database, work))


def _ids(scenario: Scenario, taken: tuple[str, ...]) -> Iterator[str]:
    """The ids that a scenario's table may have, as far as they are free."""
    if scenario.table or scenario.dice.startswith("seeded:"):
        wanted = scenario.table or FIXTURE_TABLE
        yield from () if wanted in taken else (wanted,)
    elif scenario.dice in WITH_SECRET:
        yield table_id(scenario.dice)
    else:
        stem = FIXTURE_TABLE.rstrip("0")
        yield from (id for id in map(f"{stem}{{}}".format, count()) if id not in taken)


def _in_use(scenario: Scenario) -> Refused:
    id = scenario.table or FIXTURE_TABLE
    if scenario.table:
        return Refused("taken", f"table {id!r} is in use", allowed=["another `table`"])
    why = f"dice {scenario.dice} fall as the table's id says, and table {id!r} is in use"
    return Refused("taken", why, allowed=["a `table` of its own", "another log"])


async def _kept(log: EventLog, secrets: FileSecrets, played: Play) -> bool:
    """Keep a play as one commit, its secret first; False where others took the id meanwhile."""
    aggregate = played.aggregate
    table, secret = aggregate.opened.id, aggregate.environment.secret
    own = aggregate.opened.source in WITH_SECRET
    if own:
        await asyncio.to_thread(secrets.keep, table, secret)
    answer = await log.append(table, aggregate.entries, 0)
    if own and not isinstance(answer, Appended):
        await asyncio.to_thread(secrets.discard, table, secret)
    return isinstance(answer, Appended)


async def bundle_lines(
    log: EventLog, secrets: Secrets, table: str, seat: str = "", roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle: what the seat, or with "" anybody, may see of a table now.

    Its head is signed for it, with the host's key. Raises as `Service.checkpoint` and
    `write_bundle` do, and Refused("unknown") for a seat that is not there.
    """
    service = Service(log, secrets)
    try:
        if seat:
            seat_of(await service.state(table), seat)
        note = await service.checkpoint(table)
        entries = await service.view(table, seat)
    finally:
        await service.close()
    return write_bundle(entries, note, [_key(note, secrets)], roll)


def _key(note: bytes, secrets: Secrets) -> Key:
    """The key under the name that the note was signed by: its origin."""
    private = secrets.key.find()
    if private is None:
        raise Refused("unreadable", f"{secrets.key.place} is missing", allowed=["the host's key"])
    origin, _, _ = note.decode("utf-8").partition("\n")
    return public_key(origin, private)
