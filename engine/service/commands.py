"""One command on one table: decided, appended, answered; a repeated request as it was before."""

import asyncio
import hmac
from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused, Unavailable
from ...events.asked import Text
from ...events.entry import Entry
from ...events.log.protocol import Answered, Appended, Conflict
from ...events.log.whole import check_answer, check_erased
from ...events.table import EntryErased
from ..core.aggregate import Aggregate, Prepared
from ..core.commands import AnyCommand, BeginEpoch, OpenTable
from ..core.parse import body_of
from ..core.signed import Signed
from ..core.visibility import redacted
from ..logs import listening, logger
from ..snapshots.protocol import StaleSnapshot
from .files import Hold
from .opening import kept, new_secret
from .secrets import WITH_SECRET, no_secret
from .tables import Held, Loaded, Loader
from .usage import Meter

TRIES = 20
"""How often a command is decided while others are first, at most."""


class Unopened(Struct, frozen=True):
    """The secret of a table of which it is not known yet whether it was opened, and its lock."""

    secret: bytes
    hold: Hold


class Commands:
    """Commands on tables that a loader gives, each table's one at a time: its place is held."""

    def __init__(self, loader: Loader, meter: Meter) -> None:
        self._loader = loader
        self._meter = meter
        self._log = loader.log
        self._unopened: dict[str, Unopened] = {}

    async def submit(
        self,
        held: Held,
        seat: str,
        body: bytes,
        request: str | None,
        text: Text | None = None,
        signed: Signed | None = None,
    ) -> tuple[Entry, ...]:
        """See `Service.submit`."""
        known = await self._loader.must_know(held)
        if request is not None and known.secret is None:
            raise no_secret(held.table)
        # The log finds a repeated request when its entries are appended. Where there are none it
        # is looked up here, and only then: most are new, and a look-up takes a thread's turn.
        try:
            entries = await self._decided(held, known, seat, body, request, text, signed)
        except Refused:
            before = await self._before(held, seat, request)
            if before is None:
                raise
        else:
            before = None if entries else await self._before(held, seat, request)
            if before is None:
                return entries
        return await self._again(held, seat, body, str(request), before)

    async def _before(self, held: Held, seat: str, request: str | None) -> Answered | None:
        if request is None:
            return None
        found = await self._log.answered(held.table, seat, request)
        if found is not None:
            check_answer(seat, request, found.entries)
        return found

    async def open(
        self, held: Held, seat: str, command: OpenTable, request: str | None
    ) -> tuple[Entry, ...]:
        """See `Service.open_table`."""
        body = body_of(command)
        entries = None
        if await self._loader.known(held) is None:
            entries = await self._opened(held, seat, command, body, request)
        if entries is not None:
            return entries
        self.settled(command.table)
        return await self.submit(held, seat, body, request)

    async def _opened(
        self, held: Held, seat: str, command: OpenTable, body: bytes, request: str | None
    ) -> tuple[Entry, ...] | None:
        """Open a table that the log did not have; None where it has it by now."""
        loader, table = self._loader, command.table
        before = self._unopened.get(table)
        secret = before.secret if before else new_secret()
        fresh = await loader.apart(partial(loader.fresh, table, command.source, secret))
        prepared = fresh.aggregate.prepare(seat, body, request)
        own = command.source in WITH_SECRET
        if own and before is None:
            # Before the first entry: a table without its secret could never throw.
            hold = await kept(self._log, loader.secrets, table, secret)
            if hold is None:
                return None
            # Until the log has answered: an append that failed may have been kept all the same.
            self._unopened[table] = Unopened(secret, hold)
        try:
            answer = await self._append(table, 0, prepared)
        except asyncio.CancelledError:
            # The loop ends, and the log may keep it yet: at any moment, with nobody to settle it.
            if own:
                self._unopened[table].hold.stay()
            raise
        if own and before is None and not isinstance(answer, Appended):
            await asyncio.to_thread(loader.secrets.discard, table, secret)
        self.settled(table)
        if not isinstance(answer, Appended):
            return None
        held.loaded = fresh
        return await self._kept(held, fresh, seat, prepared)

    def settled(self, *tables: str) -> None:
        """Let go of the secrets of these tables, of all unless given: what was begun is done."""
        for table in tables or tuple(self._unopened):
            unopened = self._unopened.pop(table, None)
            if unopened is not None:
                unopened.hold.release()

    async def _again(
        self, held: Held, seat: str, body: bytes, request: str, before: Answered
    ) -> tuple[Entry, ...]:
        """The entries of a request that was answered before. Raises Refused("request-reused")."""
        known = await self._loader.current(held)
        # A request of before an epoch was answered under the secret of its own.
        if not any(_is_of(secret, body, before.mac) for secret in known.secrets):
            if None in known.secrets:
                raise no_secret(held.table)
            why = f"request {request!r} of seat {seat!r} was another command"
            raise Refused("request-reused", why, allowed=["a new id"])
        logger.info("request repeated", table=held.table, seat=seat, request=request)
        return await self._seen(known, seat, before.entries)

    async def _decided(
        self,
        held: Held,
        known: Loaded,
        seat: str,
        body: bytes,
        request: str | None,
        text: Text | None,
        signed: Signed | None,
    ) -> tuple[Entry, ...]:
        """Decide, append, keep; again as long as others append first."""
        for _ in range(TRIES):
            known = await self._loader.abreast(held, known)
            aggregate = known.aggregate
            decide = partial(aggregate.prepare, seat, body, request, text, a_seats, signed=signed)
            try:
                await self._meter.check(aggregate, seat, body, text)
                prepared = await self._loader.apart(decide)
            except Refused:
                if await self._moved_on(held, aggregate):
                    continue  # it may be possible by now
                raise
            if not prepared.entries and await self._moved_on(held, aggregate):
                continue
            if not prepared.entries:
                return ()
            answer = await self._append(held.table, len(aggregate.entries), prepared)
            if isinstance(answer, Appended):
                return await self._kept(held, known, seat, prepared)
            if isinstance(answer, Answered):
                check_answer(seat, str(request), answer.entries)
                await self._loader.catch_up(held.table, aggregate)
                return await self._seen(known, seat, answer.entries)
            await self._loader.apart(partial(_take_in, aggregate, answer.missed))
        raise Unavailable(f"others changed table {held.table!r} first, {TRIES} times")

    async def _moved_on(self, held: Held, aggregate: Aggregate) -> bool:
        """Load what others appended; whether there was anything."""
        size = len(aggregate.entries)
        await self._loader.catch_up(held.table, aggregate)
        return len(aggregate.entries) > size

    async def _append(
        self, table: str, size: int, prepared: Prepared
    ) -> Appended | Conflict | Answered:
        answer = await self._log.append(table, prepared.entries, size, prepared.request)
        if isinstance(answer, Conflict):
            logger.info("others were first", table=table, missed=len(answer.missed))
        return answer

    async def _kept(
        self, held: Held, known: Loaded, seat: str, prepared: Prepared
    ) -> tuple[Entry, ...]:
        """Take over what is in the log now. Whatever happens here, it is never decided again."""
        try:
            await self._loader.apart(partial(self._keep, known.aggregate, prepared))
        except StaleSnapshot:
            held.loaded = None
        events = (record.event for record in prepared.records)
        erased = [event.seq for event in events if isinstance(event, EntryErased)]

        async def answered(held: Held) -> tuple[Entry, ...]:
            known = await self._loader.must_know(held)
            self._loader.signer.touch(known.signing, known.aggregate.frontier)
            await self._loader.forget(known, erased)
            return await self._seen(known, seat, prepared.entries)

        if listening():
            request = prepared.request.id if prepared.request else None
            size = prepared.state.size
            logger.info("commit kept", table=held.table, seat=seat, request=request, size=size)
        try:
            return await self._loader.opened(held, answered)
        except StaleSnapshot as stale:
            raise Unavailable(stale.why) from stale

    def _keep(self, aggregate: Aggregate, prepared: Prepared) -> None:
        # The log keeps the requests: an aggregate that kept them too would only grow.
        aggregate.keep(replace(prepared, request=None))
        self._meter.kept(aggregate)

    async def _seen(
        self, known: Loaded, seat: str, entries: tuple[Entry, ...]
    ) -> tuple[Entry, ...]:
        """These entries, as the seat may see them now."""
        return await self._loader.apart(partial(_seen, known.aggregate, seat, entries))


def a_seats(command: AnyCommand) -> None:
    """Refuse with "not-yours" a command that is no seat's to give."""
    if isinstance(command, BeginEpoch):
        why = "an epoch is for the keeper of the log to begin"
        raise Refused("not-yours", why, allowed=["urim epoch"])


def _is_of(secret: bytes | None, body: bytes, mac: bytes) -> bool:
    return secret is not None and hmac.compare_digest(hmac.digest(secret, body, "sha256"), mac)


def _take_in(aggregate: Aggregate, missed: Sequence[Entry]) -> None:
    """Take over what others appended first."""
    aggregate.load(missed)
    check_erased(missed, aggregate.records)


def _seen(aggregate: Aggregate, seat: str, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    # Read again by sequence: an entry may have been erased since.
    now = (aggregate.entries[entry.seq] for entry in entries)
    return tuple(redacted(aggregate.opened, seat, entry) for entry in now)
