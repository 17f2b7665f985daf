"""The commands that read a log: its tables, one of them, and what leaves it for others."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, public_key
from ...events.log.protocol import EventLog
from ..bundle.write import write_bundle
from ..core.attempt import seat_of
from ..render.json import Object
from ..render.log import summary, table_objects, table_parts, tables_table
from ..render.text import Pen, page, pen_of
from ..scenario.export import NOBODY, entry_lines, in_ascii, scenario_text, table_of
from ..service import Service
from ..service.secrets import FileSecrets, Secrets
from .database import Database, TableId, entries_of, on_log, signed_entries
from .shared import (
    PASSED,
    UNUSABLE,
    Json,
    complain,
    exit_with,
    guarded,
    print_objects,
    write_output,
)

RollNumber = Annotated[int | None, typer.Option("--roll", metavar="N", help="This roll alone.")]
Form = Literal["bundle", "jsonl", "scenario"]


def tables(database: Database, *, as_json: Json = False) -> None:
    """List the tables of a log."""
    with guarded():
        found, damaged = on_log(database, _summaries)
        for problem in damaged:
            complain(problem)
        if as_json:
            print_objects(found)
        elif found:
            out = page(sys.stdout)
            out.print(tables_table(found, pen_of(out)))
        exit_with(UNUSABLE if damaged else PASSED)


async def _summaries(log: EventLog) -> tuple[list[Object], list[str]]:
    """Every table in a few words, and what is wrong with those that cannot be read."""
    found: list[Object] = []
    damaged: list[str] = []
    for id in await log.tables():
        try:
            found.append(summary(table_of(await signed_entries(log, id))))
        except (Damaged, Refused) as error:
            damaged.append(f"table {id}: {error}")
    return found, damaged


def show(
    database: Database,
    table: TableId,
    *,
    roll: RollNumber = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", help="As it was after this entry.")
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
            print_objects(table_objects(then, roll))
            return
        out = page(sys.stdout)
        for part in list(table_parts(then, pen_of(out), out.width, roll)):
            out.print(part)


def export(
    database: Database,
    table: TableId,
    *,
    form: Annotated[Form, typer.Option("--as", help="The form to write it in.")],
    roll: RollNumber = None,
    seat: Annotated[
        str,
        typer.Option(
            "--seat", help="bundle, jsonl: what this seat may see, not what everybody may."
        ),
    ] = NOBODY,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write it to this file, and replace the file."),
    ] = None,
) -> None:
    """Write a table, or one roll, for others.

    A bundle proves what the log held to whoever audits it; jsonl is the entries as they are; a
    scenario plays it again.
    """
    with guarded():
        if form == "bundle":
            write_output(out, _bundle(database, table, seat, roll))
            return
        entries = entries_of(database, table)
        if form == "jsonl":
            found = list(entry_lines(entries, seat, roll))
            if out is None:
                print_objects(found)
            else:
                texts = (f"{json.dumps(each, ensure_ascii=False)}\n" for each in found)
                write_output(out, map(str.encode, texts))
            return
        text = scenario_text(entries, roll)
        plain = out is None and not Pen(sys.stdout.encoding or "ascii").unicode
        write_output(out, [(in_ascii(text) if plain else text).encode("utf-8")])


def _bundle(database: Path, table: str, seat: str, roll: int | None) -> Iterator[bytes]:
    secrets = FileSecrets.beside(database)
    return on_log(database, lambda log: bundle_lines(log, secrets, table, seat, roll))


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
