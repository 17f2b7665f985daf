"""What a log in a database does alike in every database: each answer is a look at its rows."""

from abc import ABC
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

from ...errors import Defect, Refused
from ..entry import Entry
from .bell import Bell
from .head import Head, check_heads
from .protocol import Answered, Commit, check_range


class Readers(Protocol):
    """Connections that read. How a look is awaited is the database's."""

    def look(self, work: Any) -> Awaitable[Any]:
        """What some work reads, as of one moment."""
        ...


R = TypeVar("R", bound=Readers)

LARGEST = 2**63 - 1
"""The largest number that a row can have."""


def check_storable(entries: Sequence[Entry]) -> None:
    """Refuse what a row has no room for: a time beyond 64 bits. Raises Refused("out-of-range")."""
    for entry in entries:
        if not -LARGEST <= entry.at <= LARGEST:
            raise Refused("out-of-range", f"entry {entry.seq} is of {entry.at}")


def is_storable(text: str) -> bool:
    """Whether a row may have an id: UTF-8 has no half surrogate pair, and PostgreSQL no NUL."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def known(id: str) -> str:
    """An id as a row can have it; no row has the empty one."""
    return id if is_storable(id) else ""


class RowedLog(ABC, Generic[R]):
    """The methods of an `EventLog` that only look at rows.

    `ROWS` and `HEADS` are the modules that ask the database, of its entries and of its signed
    heads.
    """

    ROWS: ClassVar[Any]
    HEADS: ClassVar[Any]
    _readers: R
    _bells: WeakValueDictionary[str, Bell]
    _closed: bool

    async def answered(self, table: str, seat: str, id: str) -> Answered | None:
        """The commit that answered a request; see `EventLog.answered`. Raises Damaged."""
        asked = {"table": table, "seat": seat, "id": id}
        found: Answered | None = await self._look(self.ROWS.answer, None, **asked)
        return found

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        """The entries after `after`; see `EventLog.read`.

        Each is checked against its leaf and digest. Raises Damaged, naming the first bad one.
        """
        check_range(after, limit)
        found: tuple[Entry, ...] = await self._look(
            partial(self.ROWS.read, after=after, limit=limit), (), table=table
        )
        return found

    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        """The requests that were answered; see `EventLog.requests`. Raises Damaged."""
        check_range(after, limit)
        found: tuple[Commit, ...] = await self._look(
            partial(self.ROWS.requests, after=after, limit=limit), (), table=table
        )
        return found

    async def tables(self) -> tuple[str, ...]:
        """All tables with entries, sorted; see `EventLog.tables`."""
        found: tuple[str, ...] = await self._look(self.ROWS.tables, ())
        return found

    async def strays(self, table: str | None = None) -> tuple[str, ...]:
        """Ids with requests or heads, and no entries; see `EventLog.strays`."""
        found: tuple[str, ...] = await self._look(self.ROWS.strays, (), table=table)
        return found

    async def last_head(self, table: str) -> Head | None:
        """The latest signed head; see `EventLog.last_head`. Raises Damaged."""
        found: Head | None = await self._look(self.HEADS.last, None, table=table)
        return found

    async def heads(self, table: str, after: int = 0, limit: int | None = None) -> tuple[Head, ...]:
        """The signed heads after a size; see `EventLog.heads`. Raises Damaged."""
        check_heads(after, limit)
        found: tuple[Head, ...] = await self._look(
            partial(self.HEADS.read, after=after, limit=limit), (), table=table
        )
        return found

    async def _look(self, work: Any, nothing: Any, **ids: str | None) -> Any:
        """What some work reads of these ids, or nothing where no row can have one of them."""
        self._check_open()
        if not all(id is None or is_storable(id) for id in ids.values()):
            return nothing
        return await self._readers.look(partial(work, **ids))

    def _ring(self, table: str, size: int | None = None) -> None:
        bell = self._bells.get(table)
        if bell is not None:
            bell.ring(size)

    def _ring_all(self) -> None:
        for table in list(self._bells):
            self._ring(table)

    def _check_open(self) -> None:
        if self._closed:
            raise Defect("the log is closed")
