"""The commands that move logs: one copied into another, a file backed up, a backup restored."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import click

from ...errors import Damaged, Refused, UrimError
from ...events.base import JSON
from ...events.log.copying import Copied, Progress, copy_table
from ...events.log.location import Location
from ...events.log.opening import open_log
from ...events.log.protocol import EventLog
from ...events.log.sqlite import SqliteLog
from ...events.log.sqlite.backup import BESIDE, Unnamed, backed_up
from ...projections.wording import counted
from ..service.beside import secrets_of
from ..service.moving import check_secrets, copy_secrets
from ..service.restoring import Begun, Notes, Outlook, begin_epochs, by_table, outlook
from ..service.secrets import FileSecrets
from ..service.sweep import sweep
from .database import must_be_there, note_in, on_log
from .frame import FILE, FORCE, LOG_PLACE, SEEN, YES, command
from .shared import PASSED, UNUSABLE, confirm, exit_with, print_objects, report, say, say_written

LogT = TypeVar("LogT", bound=EventLog)

PATIENCE = 1.0
"""Seconds before progress is shown."""

SECRETS = click.Option(
    ["--secrets"],
    is_flag=True,
    help="Its secrets, the host's key and the signed heads too: to play on, not only to read.",
)


# --- copy -----------------------------------------------------------------------------------------


@command(
    click.Argument(["source"], type=LOG_PLACE, metavar="FROM", help="The log's file or database."),
    click.Argument(
        ["target"],
        type=LOG_PLACE,
        metavar="TO",
        help="Another log's file or database; or a new one.",
    ),
    click.Option(
        ["--table", "tables"], multiple=True, metavar="TABLE", help="This table; repeat for more."
    ),
    SECRETS,
)
def copy(
    source: Location, target: Location, *, tables: Sequence[str], secrets: bool, as_json: bool
) -> None:
    """Copy tables of a log into another: entries, requests and signed heads, compared.

    What TO has of a table already must be how it begins: then only the rest is copied, so a copy
    that was interrupted goes on. FROM may be in use. Without --secrets the copy can be read and
    audited, and not played.
    """
    must_be_there(source)
    if _same(source, target):
        raise Refused("taken", f"{target} is the log itself", allowed=["another place"])
    shown = _Shown(as_json=as_json)

    async def work(log: EventLog) -> dict[str, UrimError]:
        known = await log.tables()
        for unknown in sorted(set(tables) - set(known)):
            raise Refused("unknown", f"no table {unknown!r}", allowed=known)
        chosen = tuple(dict.fromkeys(tables)) or known
        places = secrets_of(source), secrets_of(target)
        if secrets:
            check_secrets(*places, chosen)
        async with _opened(open_log(target)) as other:
            damaged = await _copy_all(log, other, chosen, shown)
        if secrets:
            copy_secrets(*places, [id for id in chosen if id not in damaged])
        return damaged

    damaged = on_log(source, work)
    for id, problem in damaged.items():
        report(problem, as_json=as_json, place=f"table {id}", table=id)
    exit_with(UNUSABLE if damaged else PASSED)


def _same(source: Location, target: Location) -> bool:
    """Whether two places are one."""
    if isinstance(source, Path) and isinstance(target, Path):
        return target.exists() and target.samefile(source)
    return source == target


async def _copy_all(
    log: EventLog, other: EventLog, tables: Sequence[str], shown: "_Shown"
) -> dict[str, UrimError]:
    """Copy tables one after the other; what is wrong with those that cannot be copied."""
    damaged: dict[str, UrimError] = {}
    for id in tables:
        try:
            shown.copied(await copy_table(log, other, id, shown.progress(id)))
        except (Damaged, Refused) as error:
            damaged[id] = error
        finally:
            shown.clear()
    return damaged


class _Shown:
    """Says which table is copied, and on a terminal how far it is, once it takes long."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._quiet = as_json or not sys.stderr.isatty()
        self._drawn = False

    def progress(self, table: str) -> Progress:
        """What is given how far the copy of a table is."""
        started = time.monotonic()

        def show(done: int, size: int) -> None:
            if not self._quiet and time.monotonic() - started > PATIENCE:
                self._drawn = True
                sys.stderr.write(f"\rurim: table {table}: {done:,} of {size:,} entries")
                sys.stderr.flush()

        return show

    def clear(self) -> None:
        """Take away what shows how far it is."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False

    def copied(self, found: Copied) -> None:
        """Say that a table is copied."""
        self.clear()
        if self._as_json:
            print_objects(
                [
                    {
                        "type": "copied",
                        "table": found.table,
                        "size": found.size,
                        "added": found.added,
                        "requests": found.requests,
                        "heads": found.heads,
                        "root": found.root.hex(),
                    }
                ]
            )
        else:
            size = counted(found.size, "entry", "entries")
            say(f"table {found.table}: {size}, {found.added:,} of them new")


@asynccontextmanager
async def _opened(opening: Awaitable[LogT]) -> AsyncGenerator[LogT]:
    log = await opening
    try:
        yield log
    finally:
        await log.close()


# --- backup ---------------------------------------------------------------------------------------


@command(
    click.Argument(["database"], type=FILE, metavar="DB", help="The log's file."),
    click.Argument(["file"], type=FILE, metavar="FILE", help="The file to write."),
    SECRETS,
    FORCE,
)
def backup(database: Path, file: Path, *, secrets: bool, force: bool, as_json: bool) -> None:
    """Copy a log's file to another file, while it is in use, whole and checked.

    Everything that was kept when the command began is in it, and no text that was erased. The file
    appears when it is finished. Without --secrets it can be read and audited; to play on from it
    needs an epoch.
    """
    if file.exists() and database.exists() and file.samefile(database):
        raise Refused("taken", f"{file} is the log itself", allowed=["another file"])
    must_be_there(database)
    sweep(file)

    async def work() -> JSON:
        async with backed_up(database, file, force=force) as unnamed:
            if secrets:
                # After the entries, so that of no table in the copy the secret is missing.
                places = FileSecrets.beside(database), FileSecrets.beside(file)
                copy_secrets(*places, unnamed.tables)
        return {"type": "written", "file": str(file), "bytes": unnamed.size}

    say_written(asyncio.run(work()), as_json=as_json)


# --- restore --------------------------------------------------------------------------------------


@command(
    click.Argument(["file"], type=FILE, metavar="BACKUP", help="A copy of a log's file."),
    click.Argument(["database"], type=FILE, metavar="DB", help="The log's file to make."),
    SEEN,
    click.Option(
        ["--nothing-lost"],
        is_flag=True,
        help="Begin no epoch: nothing was added after the newest signed head.",
    ),
    YES,
)
def restore(
    file: Path,
    database: Path,
    *,
    seen: Sequence[Path],
    nothing_lost: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Put a backup in the place of a log that is lost, and begin an epoch of each table.

    Throws that are lost must not be thrown again from the same secret: so each table with a secret
    goes on under a new one, unless it is known that nothing is lost. The secrets beside BACKUP come
    too, where they are; those beside DB are kept. What is about to happen is shown first, and a yes
    is needed.
    """
    must_be_there(file)
    _must_not_be(database)
    sweep(database)
    notes = by_table([note_in(path) for path in seen])

    async def work() -> list[JSON]:
        async with backed_up(file, database) as unnamed:
            return await _restored(
                unnamed, file, database, notes, nothing_lost=nothing_lost, yes=yes
            )

    found = asyncio.run(work())
    written = {"type": "written", "file": str(database), "bytes": database.stat().st_size}
    if as_json:
        print_objects([*found, written])
        return
    for each in found:
        say(_in_words(each))
    say_written(written, as_json=False)


async def _restored(
    unnamed: Unnamed, file: Path, database: Path, seen: Notes, *, nothing_lost: bool, yes: bool
) -> list[JSON]:
    """Let the tables of a log that has no name yet go on, after a yes; what became of each."""
    old, new = FileSecrets.beside(file), FileSecrets.beside(database)
    check_secrets(old, new, unnamed.tables)
    async with _opened(SqliteLog.open_reading(unnamed.path)) as log:
        known = await outlook(log, (new, old), seen)
    going = [each for each in known if each.must_begin(nothing_lost=nothing_lost)]
    confirm("a restore", question_of(known, going), yes=yes)
    copy_secrets(old, new, unnamed.tables)
    begun: dict[str, Begun] = {}
    if going:
        async with _opened(SqliteLog.open(unnamed.path)) as log:
            begun = await begin_epochs(log, new, [each.table for each in going], seen)
    return [_restored_object(each, begun.get(each.table)) for each in known]


def question_of(known: Sequence[Outlook], going: Sequence[Outlook]) -> str:
    """What is asked before a restore: what is lost of which tables, and which begin an epoch."""
    size = sum(each.size for each in known)
    lines = [f"The backup has {counted(len(known), 'table')}, {size:,} entries."]
    lines += [
        f"Table {each.table} lost {counted(each.lost, 'entry', 'entries')} after {each.size:,}."
        for each in known
        if each.lost
    ]
    unshown = [each.table for each in going if each.fit]
    if unshown:
        lines.append(
            f"Nothing shows that {', '.join(unshown)} lost anything (--seen NOTE would): every "
            "player whose client misses nothing is shown that."
        )
    epochs = f"an epoch of {counted(len(going), 'table')}" if going else "no epoch"
    return " ".join([*lines, f"Restore it, and begin {epochs}?"])


def _restored_object(known: Outlook, begun: Begun | None) -> JSON:
    return {
        "type": "restored",
        "table": known.table,
        "size": known.size,
        "newest": known.newest or None,
        "lost": known.lost,
        "epoch": begun and begun.epoch,
        "seq": begun and begun.seq,
    }


def _in_words(each: JSON) -> str:
    lost = f"{each['lost']:,} lost" if each["lost"] else "nothing known to be lost"
    text = f"table {each['table']}: {counted(each['size'], 'entry', 'entries')}, {lost}"
    if each["epoch"] is None:
        return f"{text}; no epoch begins"
    return f"{text}; epoch {each['epoch']} begins with entry {each['seq']}"


def _must_not_be(database: Path) -> None:
    """Refuse with "taken" a place where a log is, or what belongs to one that was."""
    for ending in ("", *BESIDE):
        path = database.with_name(database.name + ending)
        if os.path.lexists(path):
            raise Refused("taken", f"{path} is there", allowed=["move it away", "another file"])
