"""A log that lasts as long as its process, and otherwise behaves like one on disk.

Every call gives way to other tasks once before it looks or writes, as one that waits for a disk
does: what would conflict there conflicts here. It bounds nothing.
"""

import asyncio
from collections.abc import Sequence
from weakref import WeakValueDictionary

from msgspec import Struct, field

from ...errors import Defect, Refused
from ..entry import Entry, withhold
from .bell import Bell
from .head import Head, check_heads, same_head
from .protocol import (
    Answered,
    Appended,
    Commit,
    Conflict,
    Followed,
    Request,
    check_commit,
    check_place,
    check_range,
    follow_rows,
    same_request,
)
from .whole import check_erasable, erased_by


class _Table(Struct):
    rows: list[Entry] = field(default_factory=list)
    answers: dict[tuple[str, str], Commit] = field(default_factory=dict)
    heads: dict[int, Head] = field(default_factory=dict)


class MemoryLog:
    """An `EventLog` in memory, for tests, demos and tables that need not outlive the process."""

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}
        self._bells: WeakValueDictionary[str, Bell] = WeakValueDictionary()
        self._closed = False

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        """Keep a commit; see `EventLog.append`."""
        check_commit(table, entries, expected)
        await self._give_way()
        # No other task runs from here on: looking and writing are one step.
        held = self._tables.get(table, _Table())
        if request is not None:
            earlier = _answer(held, request.seat, request.id)
            if earlier is not None:
                return same_request(request, earlier)
        size = len(held.rows)
        if expected < size:
            return Conflict(tuple(held.rows[expected:]))
        check_place(entries, size, held.rows[-1] if held.rows else None, expected)
        held.rows.extend(entries)
        if request is not None:
            commit = Commit(request, size, len(held.rows))
            held.answers[request.seat, request.id] = commit
        self._tables[table] = held
        self._ring(table, len(held.rows))
        return Appended(len(held.rows))

    async def answered(self, table: str, seat: str, id: str) -> Answered | None:
        """The commit that answered a request; see `EventLog.answered`."""
        await self._give_way()
        return _answer(self._tables.get(table, _Table()), seat, id)

    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        """The requests that were answered; see `EventLog.requests`."""
        check_range(after, limit)
        await self._give_way()
        held = self._tables.get(table, _Table()).answers
        return tuple(commit for commit in held.values() if commit.start > after)[:limit]

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        """The entries after `after`; see `EventLog.read`."""
        check_range(after, limit)
        await self._give_way()
        return self._rows(table, after, limit)

    def follow(self, table: str, after: int = -1) -> Followed:
        """History, one CaughtUp, then live; see `EventLog.follow`."""
        check_range(after)
        bell = self.listen(table)

        async def page(after: int, limit: int) -> Sequence[Entry] | None:
            await asyncio.sleep(0)
            return None if self._closed else self._rows(table, after, limit)

        async def size() -> int:
            return len(self._rows(table, -1, None))

        return follow_rows(page, size, bell, after)

    def listen(self, table: str) -> Bell:
        """A bell that rings after every commit; see `EventLog.listen`."""
        self._open()
        return self._bells.setdefault(table, Bell())

    async def tables(self) -> tuple[str, ...]:
        """All tables with entries, sorted; see `EventLog.tables`."""
        await self._give_way()
        return tuple(sorted(self._tables))

    async def strays(self, table: str | None = None) -> tuple[str, ...]:
        """None: nothing but this object writes its rows; see `EventLog.strays`."""
        await self._give_way()
        return ()

    async def erase(self, table: str, seq: int) -> None:
        """Remove one entry's salt and payload; see `EventLog.erase`."""
        await self._give_way()
        rows = self._tables[table].rows if table in self._tables else []
        if not 0 <= seq < len(rows):
            raise Refused("unknown", f"table {table!r} has no entry {seq}")
        # Most are erased by the latest entry.
        check_erasable(table, rows[seq], named=seq in map(erased_by, reversed(rows)))
        rows[seq] = withhold(rows[seq])

    async def settle(self) -> None:
        """Nothing: no other process has this log; see `EventLog.settle`."""
        await self._give_way()

    async def keep_head(self, table: str, head: Head) -> Head:
        """Keep a signed head; see `EventLog.keep_head`."""
        await self._give_way()
        held = self._tables.get(table, _Table())
        kept = same_head(head, held.heads.get(head.size), table, len(held.rows))
        return kept or held.heads.setdefault(head.size, head)

    async def last_head(self, table: str) -> Head | None:
        """The latest signed head; see `EventLog.last_head`."""
        await self._give_way()
        held = self._tables.get(table, _Table())
        return held.heads[max(held.heads)] if held.heads else None

    async def heads(self, table: str, after: int = 0, limit: int | None = None) -> tuple[Head, ...]:
        """The signed heads after a size; see `EventLog.heads`."""
        check_heads(after, limit)
        await self._give_way()
        held = self._tables.get(table, _Table()).heads
        return tuple(held[size] for size in sorted(held) if size > after)[:limit]

    async def close(self) -> None:
        """End the followers and refuse further work; see `EventLog.close`."""
        self._closed = True
        for table in list(self._bells):
            self._ring(table)

    async def _give_way(self) -> None:
        self._open()
        await asyncio.sleep(0)
        self._open()

    def _open(self) -> None:
        if self._closed:
            raise Defect("the log is closed")

    def _ring(self, table: str, size: int | None = None) -> None:
        bell = self._bells.get(table)
        if bell is not None:
            bell.ring(size)

    def _rows(self, table: str, after: int, limit: int | None) -> tuple[Entry, ...]:
        held = self._tables.get(table)
        if held is None:
            return ()
        stop = len(held.rows) if limit is None else after + 1 + limit
        return tuple(held.rows[after + 1 : stop])


def _answer(held: _Table, seat: str, id: str) -> Answered | None:
    commit = held.answers.get((seat, id))
    if commit is None:
        return None
    return Answered(commit.request.mac, tuple(held.rows[commit.start : commit.stop]))
