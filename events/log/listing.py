"""What a log lists: the tables that open as what they are called, and what is wrong with the rest.

Another program that renames or copies rows makes ids under which no table was ever opened. They are
damage, and are never listed as tables.
"""

from collections.abc import Collection

from ...errors import Damaged
from ..codec import recorded
from ..entry import Entry
from ..table import TableOpened
from .protocol import EventLog


def check_opening(table: str, first: Entry) -> TableOpened:
    """The event that opened a table, its first entry. Raises Damaged where it is another's."""
    event = recorded(first).event
    if not isinstance(event, TableOpened):
        raise Damaged(f"it does not open table {table!r}", seq=0)
    if event.table != table:
        raise Damaged(f"it does not open table {table!r}, but table {event.table!r}", seq=0)
    return event


async def check_absent(log: EventLog, table: str) -> None:
    """Raises Damaged where a log holds nothing of a table but its requests or signed heads."""
    if await log.strays(table):
        raise stray(table)


def stray(table: str) -> Damaged:
    """The error for requests or signed heads of a table without entries."""
    return Damaged(f"table {table!r} has requests or signed heads, but no entries", seq=0)


class Listing:
    """The list of a log, which looks at the opening of each table once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._known: frozenset[str] = frozenset()

    async def read(self) -> tuple[tuple[str, ...], dict[str, Damaged]]:
        """As `listed`."""
        found, damaged = await listed(self._log, self._known)
        self._known = frozenset(found)
        return found, damaged


async def listed(
    log: EventLog, known: Collection[str] = ()
) -> tuple[tuple[str, ...], dict[str, Damaged]]:
    """The ids of all tables, sorted, and what is wrong with the other ids in a log.

    Of a table only its opening is looked at, and not that of the `known` ones.
    """
    tables: list[str] = []
    damaged: dict[str, Damaged] = {}
    for id in await log.tables():
        try:
            if id not in known:
                for first in await log.read(id, limit=1):
                    check_opening(id, first)
            tables.append(id)
        except Damaged as error:
            damaged[id] = error
    damaged |= {id: stray(id) for id in await log.strays()}
    return tuple(tables), dict(sorted(damaged.items()))
