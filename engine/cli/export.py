"""The command `urim export`: a table or a roll as a bundle, entries or a scenario; a character."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

import click
from msgspec import to_builtins

from ...errors import Refused
from ...events.checkpoint import Key, public_key, read, read_key
from ...events.entry import Entry
from ...events.log.location import Location
from ...events.log.protocol import EventLog
from ..bundle.write import bundle_of
from ..core.aggregate import table_of
from ..core.attempt import sitting
from ..core.view import view_of
from ..render.text import Pen
from ..scenario.export import NOBODY, entry_lines, in_ascii, scenario_text
from ..seat.carried import carried
from ..service import Service
from ..service.beside import secrets_of
from ..service.check import HeadCheck
from ..service.secrets import Secrets
from .ask import character_named
from .database import (
    DATABASE,
    ROLL,
    SEAT,
    TABLE,
    entries_of,
    must_hold,
    on_log,
    on_written_log,
    signed_entries,
)
from .frame import FILE, FORCE, OneOf, command
from .shared import must_be_free, print_objects, say_written, write_file

Form = Literal["bundle", "jsonl", "scenario", "character"]


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--format", "form"],
        type=OneOf(get_args(Form)),
        required=True,
        help="The form to write it in.",
    ),
    ROLL,
    click.Option(
        ["--seat"],
        type=SEAT,
        default=NOBODY,
        metavar="SEAT",
        help="What this seat may see, not what everybody may; for no scenario.",
    ),
    click.Option(
        ["--character"], metavar="CHARACTER", help="Whom to write with `--format character`."
    ),
    click.Option(
        ["--key"],
        metavar="VKEY",
        help="The log's public key: a bundle of what is signed, where the host's key is not here.",
    ),
    click.Option(["--out"], type=FILE, metavar="FILE", help="Write it to this file."),
    FORCE,
)
def export(
    database: Location,
    table: str,
    *,
    form: Form,
    roll: int | None,
    seat: str,
    character: str | None,
    key: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a table, one roll or a character for others.

    A bundle proves what the log held to anybody who audits it; jsonl is the entries as they are; a
    scenario plays it again; a character is what the next table takes (`urim enter --from`).
    """
    must_be_free(out, force=force)
    if form == "scenario" and seat != NOBODY:
        raise Refused("malformed", "a scenario is of a whole table", allowed=["no --seat"])
    if key is not None and form != "bundle":
        raise Refused("malformed", "a key is for a bundle", allowed=["--format bundle", "no --key"])
    if (form == "character") is (character is None) or (character and roll is not None):
        why = "a character is written by its name, and no roll of it"
        raise Refused("malformed", why, allowed=["--format character --character NAME"])
    plain = out is None and not as_json and not Pen(sys.stdout.encoding or "ascii").unicode
    if key is not None:
        content = _bundle_up_to_the_head(database, table, seat, roll, key)
    elif form == "bundle":
        content = signed_bundle(database, table, seat, roll)
    elif character is not None:
        content = _character(entries_of(database, table), seat, character, plain=plain)
    else:
        entries = entries_of(database, table)
        write = _lines if form == "jsonl" else _scenario
        content = write(entries, seat, roll, plain=plain)
    if out is not None:
        say_written(write_file(out, content, force=force), as_json=as_json)
    elif as_json:
        text = b"".join(content).decode("utf-8")
        print_objects([{"type": "export", "table": table, "as": form, "text": text}])
    else:
        sys.stdout.buffer.writelines(content)


def _lines(
    entries: Sequence[Entry], seat: str, roll: int | None, *, plain: bool
) -> Iterator[bytes]:
    """The entries, an object a line; in ASCII if `plain`."""
    for each in entry_lines(entries, seat, roll):
        yield f"{json.dumps({'type': 'entry', **each}, ensure_ascii=plain)}\n".encode()


def _scenario(
    entries: Sequence[Entry], _: str, roll: int | None, *, plain: bool
) -> Iterator[bytes]:
    """A scenario that plays them again; in ASCII if `plain`."""
    text = scenario_text(entries, roll)
    yield (in_ascii(text) if plain else text).encode("utf-8")


def _character(
    entries: Sequence[Entry], seat: str, character: str, *, plain: bool
) -> Iterator[bytes]:
    """A character as the seat, or anybody, may see it; in ASCII if `plain`."""
    state = table_of(entries).opened
    if seat != NOBODY:
        seat = sitting(state, seat)
    found = carried(view_of(state, seat), character_named(state, character))
    yield json.dumps(to_builtins(found), ensure_ascii=plain, indent=1).encode("utf-8")


def signed_bundle(
    database: Location, table: str, seat: str, roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle; the log is written to only where its head is not signed yet.

    Raises Refused("unknown") for a table or seat that is not there, and as `bundle_lines`.
    """
    secrets = secrets_of(database)
    signed = on_log(database, lambda log: _signed_lines(log, secrets, table, seat, roll))
    if signed is not None:
        return signed
    return on_written_log(database, lambda log: bundle_lines(log, secrets, table, seat, roll))


def _bundle_up_to_the_head(
    database: Location, table: str, seat: str, roll: int | None, key: str
) -> Iterator[bytes]:
    """The lines of a bundle up to the last signed head, which needs no key of the host's.

    Raises Refused("unreadable") where no head is in the log, Damaged where another key signed it.
    """

    async def work(log: EventLog) -> Iterator[bytes]:
        entries = await signed_entries(log, table)
        last = await log.last_head(table)
        if last is None:
            raise Refused("unreadable", f"no head of table {table!r} is signed")
        found = read_key(key)
        read(last.note, [found])
        known = table_of(entries[: last.size])
        who = seat and sitting(known.opened, seat)
        return bundle_of(known, who, last.note, [found], roll)

    return on_log(database, work)


async def _signed_lines(
    log: EventLog, secrets: Secrets, table: str, seat: str, roll: int | None
) -> Iterator[bytes] | None:
    """The lines of a bundle, where a head of all that there is was signed before; else None.

    None too where an interrupted process left a text to erase, which who loads the table does.
    Raises as `bundle_lines`.
    """
    check = HeadCheck(log, secrets, table, None, restored=False)
    await check.begin()
    entries = await signed_entries(log, table)
    await check.take(entries)
    check.end()
    if check.last is None or check.last.size != len(entries):
        return None
    found = table_of(entries)
    if any(
        each.payload != known.payload for each, known in zip(entries, found.entries, strict=True)
    ):
        return None
    if seat:
        seat = sitting(found.opened, seat)
    note = check.last.note
    return bundle_of(found, seat, note, [_key(note, secrets)], roll)


async def bundle_lines(
    log: EventLog, secrets: Secrets, table: str, seat: str = "", roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle: what the seat, or with "" anybody, may see of a table now.

    Its head is signed for it, with the host's key. Raises as `Service.checkpoint` and
    `bundle_of` do, and Refused("unknown") for a seat that is not there.
    """
    await must_hold(log, table)
    service = Service(log, secrets)
    try:
        if seat:
            seat = sitting(await service.state(table), seat)
        note = await service.checkpoint(table)
        found = await service.aggregate(table)
    finally:
        await service.close()
    return bundle_of(found, seat, note, [_key(note, secrets)], roll)


def _key(note: bytes, secrets: Secrets) -> Key:
    """The key under the name that the note was signed by: its origin."""
    private = secrets.key.find()
    if private is None:
        raise Refused("unreadable", f"{secrets.key.place} is missing", allowed=["the host's key"])
    origin, _, _ = note.decode("utf-8").partition("\n")
    return public_key(origin, private)
