"""One way to every log that lasts: the path of a SQLite file, or the URL of a PostgreSQL database.

PostgreSQL's is loaded only where one is asked for: it needs the extra `postgres`.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...errors import Refused
from .protocol import EventLog
from .sqlite import SqliteLog

if TYPE_CHECKING:
    from .postgres import PostgresLog

SCHEMES = ("postgresql://", "postgres://")
"""What the URL of a database begins with."""

NEEDED = "asyncpg"
"""The package of the extra `postgres` without which nothing of it can be loaded."""


class LastingLog(EventLog, Protocol):
    """A log that outlives its process, and that can check all that it holds."""

    async def check(self) -> None:
        """Read everything, and hold the entries against the signed heads. Raises Damaged."""
        ...


def is_url(where: str | Path) -> bool:
    """Whether this is the URL of a database, and no path."""
    return isinstance(where, str) and where.lower().startswith(SCHEMES)


async def open_log(where: str | Path) -> LastingLog:
    """Open the log at a path or a URL for writing, or make one there.

    Raises as `SqliteLog.open` and `PostgresLog.open` do; Refused("due") for a URL where the extra
    `postgres` is not installed. Nothing that is raised shows a password.
    """
    if is_url(where):
        return await _postgres().open(str(where))
    return await SqliteLog.open(where)


async def open_log_reading(where: str | Path) -> LastingLog:
    """Open the log at a path or a URL for reading alone: nothing is made or changed there.

    Raises as `SqliteLog.open_reading` and `PostgresLog.open_reading` do, and as `open_log`.
    """
    if is_url(where):
        return await _postgres().open_reading(str(where))
    return await SqliteLog.open_reading(where)


def _postgres() -> "type[PostgresLog]":
    try:
        found: type[PostgresLog] = import_module(f"{__package__}.postgres").PostgresLog
    except ModuleNotFoundError as error:
        if error.name != NEEDED:
            raise
        why = f"a log in PostgreSQL needs the package {error.name}, which is not installed"
        raise Refused("due", why, allowed=['pip install "urim[postgres]"']) from error
    return found
