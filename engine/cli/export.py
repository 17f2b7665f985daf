"""The command `urim export`: a table, or one roll, as a bundle, as entries, or as a scenario."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

import click

from ...errors import Refused
from ...events.checkpoint import Key, public_key
from ...events.log.protocol import EventLog
from ..bundle.write import write_bundle
from ..core.attempt import seat_of
from ..render.text import Pen
from ..scenario.export import NOBODY, entry_lines, in_ascii, scenario_text
from ..service import Service
from ..service.secrets import FileSecrets, Secrets
from .database import DATABASE, ROLL, TABLE, entries_of, must_hold, on_log
from .frame import FILE, OneOf, command
from .shared import print_objects, write_output

Form = Literal["bundle", "jsonl", "scenario"]


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--as", "form"],
        type=OneOf(get_args(Form)),
        required=True,
        help="The form to write it in.",
    ),
    ROLL,
    click.Option(
        ["--seat"],
        default=NOBODY,
        metavar="SEAT",
        help="What this seat may see, not what everybody may; for a bundle or jsonl.",
    ),
    click.Option(["--out"], type=FILE, metavar="FILE", help="Write it to this file."),
)
def export(
    database: Path,
    table: str,
    *,
    form: Form,
    roll: int | None,
    seat: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write a table, or one roll, for others.

    A bundle proves what the log held to anybody who audits it; jsonl is the entries as they are; a
    scenario plays it again.
    """
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
    await must_hold(log, table)
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
