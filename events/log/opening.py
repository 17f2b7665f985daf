"""One way to every log that lasts: the path of a SQLite file, or the URL of a PostgreSQL database.

PostgreSQL's is loaded only where one is asked for: it needs the extra `postgres`.
"""

from collections.abc import Awaitable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, TypeVar

from ...errors import Refused, Unavailable, pip_install
from .location import DatabaseUrl, Location, located
from .protocol import EventLog
from .sqlite import SqliteLog

if TYPE_CHECKING:
    from .postgres import PostgresLog

T = TypeVar("T")

NEEDED = ("asyncpg", "greenlet")
"""The packages of the extra `postgres` without which nothing of it can be loaded."""


class LastingLog(EventLog, Protocol):
    """A log that outlives its process, and that can check all that it holds."""

    async def check(self) -> None:
        """Read everything, and hold the entries against the signed heads. Raises Damaged."""
        ...

    async def structure(self) -> tuple[str, ...]:
        """What is wrong with what holds the entries, and not with one of them, in words."""
        ...


async def open_log(where: str | Location, *, make: bool = True) -> LastingLog:
    """Open the log at a path or a URL for writing, or `make` one there.

    Raises as `SqliteLog.open` and `PostgresLog.open` do, but Refused("unreadable") for a database
    that cannot be reached; Refused("due") for a URL where the extra `postgres` is not installed.
    Nothing that is raised shows a password.
    """
    at = located(where)
    if isinstance(at, DatabaseUrl):
        return await reached(_postgres().open(at.reveal(), make=make))
    if not make and not at.is_file():
        raise Refused("unreadable", f"there is no file {at}", allowed=["a log's file"])
    return await SqliteLog.open(at)


async def open_log_reading(where: str | Location, *, left: bool = False) -> LastingLog:
    """Open the log at a path or a URL for reading alone: nothing is made or changed there.

    With `left`, what is left of a damaged write-ahead log beside a file. Raises as
    `SqliteLog.open_reading` and `PostgresLog.open_reading` do, and as `open_log`.
    """
    at = located(where)
    if isinstance(at, DatabaseUrl):
        return await reached(_postgres().open_reading(at.reveal()))
    return await SqliteLog.open_reading(at, left=left)


async def reached(opening: Awaitable[T]) -> T:
    """What is opened in a database. Raises Refused("unreadable") where it cannot be reached.

    Who names a database that is not there has named the wrong one, as far as can be known; one
    that goes away later raises Unavailable.
    """
    try:
        return await opening
    except Unavailable as error:
        allowed = ["a database that is there", "later"]
        raise Refused("unreadable", error.why, allowed=allowed) from None


def with_extra(name: str) -> ModuleType:
    """A module that needs the extra `postgres`. Raises Refused("due") where that is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        why = f"a log in PostgreSQL needs the package {error.name}, which is not installed"
        raise Refused("due", why, allowed=[pip_install("postgres")]) from error


def _postgres() -> "type[PostgresLog]":
    found: type[PostgresLog] = with_extra(f"{__package__}.postgres").PostgresLog
    return found
