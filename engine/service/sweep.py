"""What a killed process left unfinished beside a log: its names, and when it goes.

Every small file is written under a name of its own first, NAME.<16 hex digits>, and gets its real
one when it is whole. Who is killed in between leaves it there: nobody reads it, and the real file
is what it was.
"""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ...events.log.location import DatabaseUrl, Location
from ..logs import logger
from .secrets import ENDING

# A file is written within milliseconds. A process that was stopped for longer than this, or whose
# clock was set, finds its file gone: its write fails in words, and is asked for again.
AGE = 600.0
"""Seconds since an unfinished file was written to, after which nobody is writing it any more."""

BESIDE = r"(\.[0-9a-f]{16}\.new|\.schema-\d+(\.\d+)?\.unfinished)(-journal|-wal|-shm)?"
"""How the names of a database's unfinished files end: a new one, and a copy before an upgrade."""

AMONG = re.compile(rf".+(\.[0-9a-f]{{16}}|{BESIDE})", re.ASCII)
"""The names of unfinished files among the secrets; no other file there has such a one."""


def leftovers(database: Path, age: float = AGE) -> Iterator[Path]:
    """The unfinished files of processes that are gone: beside a database, and among its secrets."""
    secrets = database.with_name(database.name + ENDING)
    own = re.compile(re.escape(database.name) + BESIDE, re.ASCII)
    places = {database.parent: own, **dict.fromkeys(directories(secrets), AMONG)}
    stale = time.time() - age
    for folder, form in places.items():
        for path in _files(folder):
            if form.fullmatch(path.name) and _written(path) < stale:
                yield path


def directories(secrets: Path) -> tuple[Path, ...]:
    """The directory of a database's secrets, and those within it."""
    return (secrets, secrets / "heads", secrets / "shares")


def sweep(database: Location) -> None:
    """Remove what killed processes left unfinished; what cannot be removed stays.

    In a database nothing is left.
    """
    if isinstance(database, DatabaseUrl):
        return
    for path in [*leftovers(database)]:
        with suppress(OSError):
            path.unlink()
            logger.info("unfinished file removed", file=path.name)


def _files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):  # not there, or not to be read
        yield from (each for each in folder.iterdir() if each.is_file() and not each.is_symlink())


def _written(path: Path) -> float:
    """When it was last written to, in seconds since 1970; in the future for one that is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return float("inf")
