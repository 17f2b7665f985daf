"""Many tables on one log, each one command at a time, acknowledged only once it is kept.

    service = Service(log, secrets)
    await service.open_table("narrator", OpenTable("mytable1", "a system"), "request 1")
    entries = await service.submit("mytable1", "p1", command, "request 2")

Several services may share a log: one that finds it was too late takes in what it missed and decides
again. A caller may be cancelled at any moment: its command was not begun, or it is finished.
"""

import asyncio
import hmac
import secrets as random_bytes
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from ..errors import Defect, Refused, Unavailable
from ..events.entry import Entry
from ..events.log.protocol import Answered, Appended, Conflict, EventLog, Followed
from ..events.table import EntryErased
from ..projections.tables import TableState
from .aggregate import Aggregate, Prepared
from .commands import AnyCommand
from .intake import body_of
from .logs import logger
from .service_follow import as_seen, followed
from .service_secrets import SECRET_BYTES, Secrets
from .service_tables import WITH_SECRET, Around, Held, Loaded, Loader, Shelf, no_secret
from .surroundings import surroundings
from .table_commands import OpenTable

T = TypeVar("T")

TABLES = 256
"""Tables in memory, at most, beyond those with a command at work."""

TRIES = 20
"""How often a command is decided while others are first, at most."""


class Service:
    """Tables on a log. `tables` bounds those in memory; the log is its caller's to close."""

    def __init__(
        self,
        log: EventLog,
        secrets: Secrets,
        *,
        tables: int = TABLES,
        around: Around = surroundings,
    ) -> None:
        self.log = log
        self._loader = Loader(log, secrets, around)
        self._shelf = Shelf(tables)
        self._tasks: set[asyncio.Task[object]] = set()
        self._unopened: dict[str, bytes] = {}
        self._closed = False

    @property
    def loaded(self) -> int:
        """How many tables are in memory."""
        return len(self._shelf)

    async def open_table(
        self, seat: str, command: OpenTable, request: str | None = None
    ) -> tuple[Entry, ...]:
        """Open a table under a new secret; the seat that asks becomes its first narrator.

        Raises as `submit` does: Refused("taken") for a table that the log has, or whose secret is
        left from another log.
        """
        work = partial(self._open, seat=seat, command=command, request=request)
        return await self._in_line(command.table, work)

    async def submit(
        self, table: str, seat: str, command: AnyCommand, request: str | None = None
    ) -> tuple[Entry, ...]:
        """Do what a seat asks, and give the entries that it added, as the seat may see them.

        They are on the log when this returns. The same seat, request id and command get the same
        entries again, as that seat may see them now. Raises Refused, and then nothing has changed;
        Damaged for a table whose log is; Unavailable when the log cannot be written, or others were
        first again and again: then ask again under the same request id.
        """
        body = body_of(command)
        work = partial(self._submit, seat=seat, body=body, request=request)
        return await self._in_line(table, work)

    async def view(self, table: str, seat: str) -> tuple[Entry, ...]:
        """Every entry as the seat may have it now. Raises Refused("unknown") and Damaged."""

        async def work(held: Held) -> tuple[Entry, ...]:
            return (await self._current(held)).aggregate.view(seat)

        return await self._in_line(table, work)

    async def state(self, table: str) -> TableState:
        """The whole table now, for what may happen next. Raises Refused("unknown") and Damaged."""

        async def work(held: Held) -> TableState:
            return (await self._current(held)).aggregate.opened

        return await self._in_line(table, work)

    def follow(self, table: str, seat: str, after: int = -1) -> Followed:
        """The entries after `after` as the seat may see them: history, one CaughtUp, then live.

        An entry that was withheld comes again, whole, once the seat may see it: after a roll is
        revealed, say. Fold again from it then. Otherwise as `EventLog.follow`.
        """
        self._check_open()
        return followed(self.log, partial(self._reaching, table), table, seat, after)

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables, sorted."""
        return await self.log.tables()

    async def close(self) -> None:
        """Finish what was begun and refuse further work. Followers end with the log."""
        self._closed = True
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- one at a time ----------------------------------------------------------------------------

    async def _in_line(self, table: str, work: Callable[[Held], Awaitable[T]]) -> T:
        """Do some work on a table, alone, and to its end even if the caller gives up waiting."""
        held = self._shelf.take(table)
        try:
            await held.lock.acquire()
        except BaseException:
            self._shelf.give_back(held)
            raise
        task = asyncio.create_task(self._alone(held, work))
        self._tasks.add(task)

        def ended(done: asyncio.Task[T]) -> None:
            self._tasks.discard(done)
            held.lock.release()
            self._shelf.give_back(held)
            if not done.cancelled():
                done.exception()  # whoever gave up waiting does not hear of it

        task.add_done_callback(ended)
        return await asyncio.shield(task)

    async def _alone(self, held: Held, work: Callable[[Held], Awaitable[T]]) -> T:
        self._check_open()
        try:
            return await work(held)
        except Refused:
            raise
        except BaseException:
            held.loaded = None  # whatever became of it stands in the log
            raise

    def _check_open(self) -> None:
        if self._closed:
            raise Defect("the service is closed")

    # --- tables in memory -------------------------------------------------------------------------

    async def _known(self, held: Held) -> Loaded | None:
        if held.loaded is None:
            held.loaded = await self._loader.load(held.table)
        return held.loaded

    async def _must_know(self, held: Held) -> Loaded:
        found = await self._known(held)
        if found is None:
            raise Refused("unknown", f"no table {held.table!r}", allowed=["open it first"])
        return found

    async def _current(self, held: Held) -> Loaded:
        """The table with everything that the log has by now."""
        known = await self._must_know(held)
        await self._loader.catch_up(held.table, known.aggregate)
        return known

    async def _reaching(self, table: str, seq: int) -> Aggregate | None:
        known = self._shelf.peek(table)
        if known is not None and len(known.entries) > seq:
            return known

        async def work(held: Held) -> Aggregate | None:
            found = await self._known(held)
            if found is not None:
                await self._loader.catch_up(table, found.aggregate)
            return found.aggregate if found else None

        now = await self._in_line(table, work)
        return now if now is not None and len(now.entries) > seq else None

    # --- commands ---------------------------------------------------------------------------------

    async def _submit(
        self, held: Held, seat: str, body: bytes, request: str | None
    ) -> tuple[Entry, ...]:
        known = await self._must_know(held)
        if request is not None:
            if known.secret is None:
                raise no_secret(held.table)
            before = await self.log.answered(held.table, seat, request)
            if before is not None:
                return await self._again(held, known, seat, body, request, before)
        return await self._decided(held, known, seat, body, request)

    async def _again(
        self, held: Held, known: Loaded, seat: str, body: bytes, request: str, before: Answered
    ) -> tuple[Entry, ...]:
        """The entries of a request that was answered before. Raises Refused("request-reused")."""
        mac = hmac.digest(known.secret or b"", body, "sha256")
        if not hmac.compare_digest(mac, before.mac):
            why = f"request {request!r} of seat {seat!r} was another command"
            raise Refused("request-reused", why, allowed=["a new id"])
        await self._loader.catch_up(held.table, known.aggregate)
        logger.info("request repeated", table=held.table, seat=seat, request=request)
        return _seen(known.aggregate, seat, before.entries)

    async def _decided(
        self, held: Held, known: Loaded, seat: str, body: bytes, request: str | None
    ) -> tuple[Entry, ...]:
        """Decide, append, keep; anew as long as others are first."""
        aggregate = known.aggregate
        for _ in range(TRIES):
            size = len(aggregate.entries)
            try:
                prepared = aggregate.prepare(seat, body, request)
            except Refused:
                if await self._moved_on(held, aggregate):
                    continue  # it may be possible by now
                raise
            if not prepared.entries and await self._moved_on(held, aggregate):
                continue
            if not prepared.entries:
                return ()
            answer = await self._append(held.table, size, prepared)
            if isinstance(answer, Appended):
                return await self._kept(held, aggregate, seat, prepared)
            if isinstance(answer, Answered):
                await self._loader.catch_up(held.table, aggregate)
                return _seen(aggregate, seat, answer.entries)
            aggregate.load(answer.missed)
        raise Unavailable(f"others changed table {held.table!r} first, {TRIES} times")

    async def _moved_on(self, held: Held, aggregate: Aggregate) -> bool:
        """Take in what others appended; whether there was any."""
        size = len(aggregate.entries)
        await self._loader.catch_up(held.table, aggregate)
        return len(aggregate.entries) > size

    async def _append(
        self, table: str, size: int, prepared: Prepared
    ) -> Appended | Conflict | Answered:
        answer = await self.log.append(table, prepared.entries, size, prepared.request)
        if isinstance(answer, Conflict):
            logger.info("others were first", table=table, missed=len(answer.missed))
        return answer

    async def _kept(
        self, held: Held, aggregate: Aggregate, seat: str, prepared: Prepared
    ) -> tuple[Entry, ...]:
        # The log knows the requests: an aggregate that remembered them too would only grow.
        aggregate.keep(replace(prepared, request=None))
        request = prepared.request.id if prepared.request else None
        size = len(aggregate.entries)
        logger.info("commit kept", table=held.table, seat=seat, request=request, size=size)
        for record in prepared.records:
            if isinstance(record.event, EntryErased):
                await self.log.erase(held.table, record.event.seq)
        return _seen(aggregate, seat, prepared.entries)

    async def _open(
        self, held: Held, seat: str, command: OpenTable, request: str | None
    ) -> tuple[Entry, ...]:
        body = body_of(command)
        if await self._known(held) is None:
            table = command.table
            secret = self._unopened.get(table) or random_bytes.token_bytes(SECRET_BYTES)
            fresh = self._loader.fresh(command.source, secret)
            prepared = fresh.aggregate.prepare(seat, body, request)
            own = command.source in WITH_SECRET
            if own and table not in self._unopened:
                # Before the first entry: a table without its secret could never throw.
                await asyncio.to_thread(self._loader.secrets.keep, table, secret)
                self._unopened[table] = secret
            answer = await self._append(table, 0, prepared)
            self._unopened.pop(table, None)
            if isinstance(answer, Appended):
                held.loaded = fresh
                return await self._kept(held, fresh.aggregate, seat, prepared)
            if own:
                await asyncio.to_thread(self._loader.secrets.discard, table, secret)
        return await self._submit(held, seat, body, request)


def _seen(aggregate: Aggregate, seat: str, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(as_seen(aggregate, seat, entry.seq) for entry in entries)
