"""The store of access that belongs to a log, by where the log is."""

from pathlib import Path

from ...events.log.location import Location
from ...events.log.opening import reached, with_extra
from .protocol import DEFAULT, Limits
from .sqlite import SqliteAccess
from .store import AccessStore


async def access_of(at: Location, *, limits: Limits = DEFAULT) -> AccessStore:
    """Open the store of access of a log's tables: beside its file, or in its database.

    Raises as `SqliteAccess.open` and `PostgresAccess.open` do, but Refused("unreadable") for a
    database that cannot be reached; Refused("due") where the extra `postgres` is not installed.
    """
    if isinstance(at, Path):
        return await SqliteAccess.beside(at, limits=limits)
    store = with_extra(f"{__package__}.postgres").PostgresAccess
    found: AccessStore = await reached(store.open(at.reveal(), limits=limits))
    return found
