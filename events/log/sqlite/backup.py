"""A copy of a log's file, made while others use it: of one moment, checked, and whole or not there.

It is made by VACUUM INTO, not by SQLite's online backup. That one copies pages as they are, with
what is left of deleted rows in them, and begins again whenever somebody writes. VACUUM INTO writes
rows: of an erased text nothing comes along, whatever program erased it, and it holds up nobody who
writes. The file that it makes has no write-ahead log and is one file.
"""

import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from secrets import token_hex

from msgspec import Struct

from ....errors import Damaged, Refused, Unavailable
from ..whole import erased_by
from . import heads, rows
from .file import FAULTS, Place, roll_back, sync_directory
from .lookers import Lookers

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file, after its name."""

WRITTEN = b"\x02\x02"
"""The bytes at place 18 of a database that a log has opened to write; no backup has them."""

OURS = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""What SQLite raises where the copy cannot be written."""


class Unnamed(Struct, frozen=True):
    """A finished copy that has not got its name yet, its size in bytes, and its tables."""

    path: Path
    size: int
    tables: tuple[str, ...]


@asynccontextmanager
async def backed_up(source: Path, target: Path, *, force: bool = False) -> AsyncGenerator[Unnamed]:
    """Copy a log's file to a new file of mode 0600; it gets its name when the block ends.

    The copy has every commit that was kept when this began; the block may add to it. It is on disk
    afterwards, or gone where anything was raised. Raises Refused("taken") for a file that is there,
    unless `force` may replace it (a log that was opened to be written is never replaced);
    Refused("unreadable") for a source that is no log; Damaged, naming what is not whole;
    Unavailable where there is no room.
    """
    must_be_free(target, force=force)
    place = Place(target.with_name(f"{target.name}.{token_hex(8)}.new"))
    lookers = Lookers(Place(source, right="read"))
    try:
        with place.in_words():
            place.check()
        await lookers.look(lambda connection: _copy(connection, place))
        with place.in_words():
            tables = _checked(place, source)
        yield Unnamed(place.path, place.path.stat().st_size, tables)
        with place.in_words():
            _publish(place.path, target, force=force)
    finally:
        lookers.close()
        for ending in ("", *BESIDE):
            with suppress(OSError):
                place.path.with_name(place.path.name + ending).unlink(missing_ok=True)


def must_be_free(target: Path, *, force: bool) -> None:
    """Refuse with "taken" a file that must not be replaced; see `back_up`."""
    if not os.path.lexists(target):
        return
    if not target.is_file() or target.is_symlink():
        raise Refused("taken", f"{target} is no plain file", allowed=["another file"])
    if not force:
        raise Refused("taken", f"{target} is there already", allowed=["another file", "--force"])
    with target.open("rb") as file:
        header = file.read(20)
    if header[18:20] == WRITTEN:
        why = f"{target} is a log that was opened to be written"
        raise Refused("taken", why, allowed=["another file"])


def _copy(connection: sqlite3.Connection, target: Place) -> None:
    roll_back(connection)  # VACUUM is a transaction of its own
    target.path.unlink(missing_ok=True)
    target.make()
    # It writes the new file alone, and is refused all the same where nothing may be written.
    connection.execute("PRAGMA query_only = OFF").fetchall()
    try:
        connection.execute("VACUUM INTO ?", (os.fspath(target.path.resolve()),))
    except FAULTS as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in OURS:
            raise target.worded(error) from error
        raise
    finally:
        connection.execute("PRAGMA query_only = ON").fetchall()


def _checked(place: Place, source: Path) -> tuple[str, ...]:
    """The tables of a copy. Raises Damaged where it is not whole, in words about the source."""
    with closing(place.connect()) as connection:
        try:
            rows.check(connection)
            heads.check(connection)
            tables = rows.tables(connection)
            for table in tables:
                _forget(connection, table)
        except FAULTS as error:
            raise Damaged(f"{source} is damaged: {error}") from error
    return tables


def _forget(connection: sqlite3.Connection, table: str) -> None:
    """Erase what an entry erased, where who did it was cut short before the row was changed."""
    entries = rows.read(connection, table)
    gone = set(map(erased_by, entries))
    for entry in entries:
        if entry.seq in gone and entry.payload is not None:
            rows.erase(connection, table, entry.seq)


def _publish(unfinished: Path, target: Path, *, force: bool) -> None:
    """Give a finished copy its name, on disk when this returns."""
    if unfinished.with_name(f"{unfinished.name}-wal").exists():
        raise Unavailable(f"{unfinished} is still in use")
    handle = os.open(unfinished, os.O_RDONLY)
    try:
        os.fsync(handle)  # VACUUM INTO leaves that to its caller
    finally:
        os.close(handle)
    try:
        if force:
            unfinished.replace(target)
        else:
            os.link(unfinished, target)
    except FileExistsError as error:
        raise Refused("taken", f"{target} is there already", allowed=["another file"]) from error
    except OSError as error:
        raise Unavailable(f"{target} cannot be written: {error.strerror}") from error
    sync_directory(target)
