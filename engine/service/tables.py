"""Tables in memory: loaded from their log, checked, kept up to date, and dropped when unused.

What is in memory is a cache: the log is the truth, and a table may be dropped at any moment.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged, Defect, Refused, Unavailable
from ...events.checkpoint import origin_of
from ...events.entry import Entry
from ...events.log.listing import check_absent, check_opening
from ...events.log.protocol import EventLog
from ...events.log.whole import check_missing, erased_by
from ..core.aggregate import Aggregate, Environment
from ..core.parse import shown
from ..logs import logger
from ..snapshots.protocol import Apart, StaleSnapshot, at_once
from ..snapshots.rows import SnapshotStore
from ..snapshots.table import TableSnapshot, latest
from .check import HeadCheck
from .dice import AcrossEpochs, NoSecret
from .requests import check_kept, furthest
from .secrets import WITH_SECRET, Secrets
from .signing import Signer, Signing
from .turns import Turns
from .usage import Meter

T = TypeVar("T")

PAGE = 1_000
"""Entries read from the log at once."""

TRIES = 5
"""How often a table is opened, at most, while other services replace its snapshot."""

SLICE = 50
"""Entries folded at once: a few milliseconds, then other tables have their turn."""

Environments = Callable[[str, bytes | None], Environment]
"""Makes the environment for dice of that name under that secret; see `environment`."""


PER_BYTE = 5.0
"""Bytes of memory, at most, that a table takes for each byte of its payloads; 3.2 to 4.6 were
measured in tables of all five systems."""

PER_TABLE = 48 * 1024
"""Bytes of memory beside those: what a table takes however short its log is."""


class Loaded(Struct, frozen=True):
    """A table in memory; `secrets` are those of its epochs, oldest first, None where one is gone.

    `epoch` is the one that its dice and requests belong to.
    """

    aggregate: Aggregate
    secrets: tuple[bytes | None, ...]
    epoch: int
    signing: Signing
    snapshot: TableSnapshot | None = None

    @property
    def secret(self) -> bytes | None:
        """The secret in force."""
        return self.secrets[-1]

    @property
    def size(self) -> int:
        """How many bytes of memory it takes, about."""
        return PER_TABLE + round(PER_BYTE * self.aggregate.stored)

    @property
    def stale(self) -> bool:
        """Whether the snapshot behind it was thrown away: it has to be loaded again."""
        return self.snapshot is not None and self.snapshot.rows.stale

    @property
    def abreast(self) -> bool:
        """Whether its dice and signatures are those of the last epoch in its entries."""
        return self.aggregate.opened.epoch == self.epoch


FEW = 20
"""Open rolls of a table, at most, that are looked at beside the work of all others."""


def at_hand(known: Loaded, size: int) -> bool:
    """Whether a table in memory is as long as that, and soon looked at, without a wait."""
    aggregate, snapshot = known.aggregate, known.snapshot
    far = snapshot is not None and snapshot.rows.shared
    return not far and len(aggregate.entries) >= size and len(aggregate.opened.open) <= FEW


class Held:
    """A table's place in the queue: one command at a time, of each seat that waits in turn."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.turns: Turns[str | None] = Turns()
        self.loaded: Loaded | None = None
        self.users = 0


class TableCache:
    """The tables in memory: `most` bytes of them, beyond those in use right now."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[str, Held] = {}
        self._idle: OrderedDict[str, int] = OrderedDict()
        self._size = 0  # bytes of the idle ones

    def __len__(self) -> int:
        return len(self._held)

    def take(self, table: str) -> Held:
        """The table's place, in memory at least until it is given back."""
        held = self._held.get(table)
        if held is None:
            held = self._held[table] = Held(table)
        self._size -= self._idle.pop(table, 0)
        held.users += 1
        return held

    def give_back(self, held: Held) -> None:
        """Release a place; where tables take too much memory, the longest unused are dropped."""
        held.users -= 1
        if not held.users and held.loaded is None:
            del self._held[held.table]
        elif not held.users and held.loaded is not None:
            self._idle[held.table] = size = held.loaded.size
            self._size += size
        while self._idle and self._size > self._most:
            table, size = self._idle.popitem(last=False)
            self._size -= size
            del self._held[table]
            logger.info("table unloaded", table=table)

    def loaded(self, table: str) -> Loaded | None:
        """The table in memory now, if it is: to be looked at, before anything is waited for."""
        held = self._held.get(table)
        return held.loaded if held is not None else None

    def tables(self) -> tuple[Held, ...]:
        """The places of all tables in memory."""
        return tuple(self._held.values())

    def drop(self, table: str) -> None:
        """Drop what is in memory of a table: the log will be read again, and checked."""
        if table in self._held:
            self._held[table].loaded = None


class Loader:
    """Loads tables from a log, each with its environment, checked against its signed heads."""

    def __init__(
        self,
        log: EventLog,
        secrets: Secrets,
        environments: Environments,
        signer: Signer,
        host: str | None,
        snapshots: SnapshotStore | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.log = log
        self._snapshots = snapshots
        self._meter = meter
        self.secrets = secrets
        self.signer = signer
        self._environments = environments
        self._host = host

    @property
    def apart(self) -> Apart:
        """Does work that may read rows of snapshots, while other tables have their turn."""
        return at_once if self._snapshots is None else self._snapshots.apart

    async def opened(self, held: Held, work: Callable[[Held], Awaitable[T]]) -> T:
        """What some work on a table gives; its place is held.

        It is done again, with the table opened again, where the snapshot behind it was thrown away
        or replaced by another service: work raises that only while it has kept nothing.
        """
        for left in reversed(range(TRIES)):
            try:
                return await work(held)
            except StaleSnapshot as stale:
                held.loaded = None
                if not left:
                    raise
                logger.info("table opened again", table=held.table, why=stale.why)
        raise Defect("the work was never tried")

    # --- in memory --------------------------------------------------------------------------------

    async def known(self, held: Held) -> Loaded | None:
        """The table as it is in memory, or else as the log has it; None where there is none."""
        if held.loaded is None or held.loaded.stale:
            held.loaded = await self.load(held.table)
        return held.loaded

    async def must_know(self, held: Held) -> Loaded:
        """The same. Raises Refused("unknown") where there is none."""
        found = await self.known(held)
        if found is None:
            raise Refused("unknown", f"no table {shown(held.table)}", allowed=["open it first"])
        return found

    async def current(self, held: Held) -> Loaded:
        """The table with every entry that the log has now. Raises as `must_know`."""
        known = await self.must_know(held)
        before = len(known.aggregate.entries)
        await self.catch_up(held.table, known.aggregate)
        grew = len(known.aggregate.entries) > before
        if grew and known.snapshot is not None and known.snapshot.outrun(known.aggregate):
            known = await self.again(held)
        return await self.abreast(held, known)

    async def again(self, held: Held) -> Loaded:
        """The table loaded again: another service went on with the snapshot behind it."""
        held.loaded = None
        return await self.must_know(held)

    async def abreast(self, held: Held, known: Loaded) -> Loaded:
        """The table with dice and secret of its epoch, which another service may have begun."""
        if not known.abreast:
            known = await self.armed(held.table, known.aggregate, known.signing, known.snapshot)
            held.loaded = known
        return known

    async def view(self, seat: str, held: Held) -> tuple[Entry, ...]:
        """See `Service.view`; nothing changes the table meanwhile, and old entries are read."""
        known = await self.current(held)
        return await asyncio.to_thread(known.aggregate.view, seat)

    def attested(self, known: Loaded) -> bytes | None:
        """A signed head of the table as it is in memory; see `Signer.attest`, as it raises."""
        if not known.abreast:
            return None
        return self.signer.attest(known.signing, known.aggregate.frontier)

    # --- from the log -----------------------------------------------------------------------------

    def fresh(self, table: str, source: str, secret: bytes | None) -> Loaded:
        """A table that is not open yet."""
        origin = origin_of(table, self._host)
        environment = replace(self._environments(source, secret), origin=origin)
        own = secret if source in WITH_SECRET else environment.secret
        signing = Signing(table, origin, None)
        snapshot = self._snapshot(table, own)
        if snapshot is not None:
            snapshot.rows.start_over()  # they are of a log that is lost
            snapshot = TableSnapshot(snapshot.rows)
        aggregate = Aggregate(environment, snapshot.kept if snapshot else None)
        return Loaded(aggregate, (own,), 0, signing, snapshot)

    def _snapshot(self, table: str, secret: bytes | None) -> TableSnapshot | None:
        """The latest snapshot of a table, or its first one to come; None where none are kept."""
        if self._snapshots is None or secret is None:
            return None
        return latest(self._snapshots.table(table, secret))

    async def load(self, table: str, *, restored: bool = False) -> Loaded | None:
        """A table as its log has it, every entry and signed head checked; None where there is none.

        What an interrupted process left to erase is erased. `restored` is for a log that is about
        to begin an epoch; see `HeadCheck`. Raises Damaged, naming the entry or the head;
        Refused("unreadable") for a secret or key that others may read, or a key that is gone.
        """
        try:
            return await self._load(table, restored=restored)
        except Damaged:
            # A snapshot is never why a log is refused, nor does it say how.
            store = self._snapshots
            if store is None or not await self.apart(partial(store.forget, table)):
                raise
            return await self._load(table, restored=restored)

    async def _load(self, table: str, *, restored: bool) -> Loaded | None:
        unkept = self.signer.unkept(table)
        check = HeadCheck(self.log, self.secrets, table, self._host, unkept, restored=restored)
        await check.begin()
        first = await self.log.read(table, limit=1)
        if not first:
            check.end()
            await check_absent(self.log, table)
            return None
        opened = check_opening(table, first[0])
        environment = self._environments(opened.source, None)
        snapshot = await self._first_snapshot(table, opened.source, environment, restored=restored)
        aggregate = Aggregate(environment, snapshot.kept if snapshot else None)
        if snapshot is not None and not await self._taken_up(aggregate, snapshot, first[0], check):
            await self.apart(snapshot.rows.start_over)
            snapshot = TableSnapshot(snapshot.rows)
            aggregate = Aggregate(environment, snapshot.kept)
        start = len(aggregate.entries)
        before = await furthest(self.log, table, start)
        erased = await self.catch_up(table, aggregate, check, snapshot)
        check.end()
        aggregate.frontier = check.tree
        signing = Signing(table, check.origin, check.last, None if restored else unkept)
        loaded = await self.armed(table, aggregate, signing, snapshot)
        await check_kept(self.log, table, aggregate.entries, before, loaded.secrets, start)
        await self.forget(loaded, erased)
        logger.info("table loaded", table=table, size=len(aggregate.entries))
        # A table that nobody ever signed is signed when it changes: looking at it makes no key.
        if not restored and signing.attested is not None:
            self.signer.touch(loaded.signing, aggregate.frontier)
        return loaded

    async def _first_snapshot(
        self, table: str, source: str, environment: Environment, *, restored: bool
    ) -> TableSnapshot | None:
        """The latest snapshot of a table, under its first secret; none of a restored log."""
        if self._snapshots is None:
            return None
        secret: bytes | None = environment.secret
        if source in WITH_SECRET:
            secret = await asyncio.to_thread(self.secrets.find, table)
        if restored or secret is None:
            await self.apart(partial(self._snapshots.forget, table))
        return await self.apart(partial(self._snapshot, table, secret))

    async def _taken_up(
        self, aggregate: Aggregate, snapshot: TableSnapshot, first: Entry, check: HeadCheck
    ) -> bool:
        """Give an aggregate what its snapshot has; False where that is not of this log."""
        size = snapshot.size
        if not size:
            return True
        last = await self.log.read(snapshot.rows.table, size - 2, 1)
        try:
            if not last or last[0].leaf != snapshot.leaf:
                return False
            if not await self.apart(partial(self._take_up, aggregate, snapshot, first)):
                return False
            if not check.resume(aggregate.frontier):
                return False
        except (StaleSnapshot, Damaged, Refused) as error:
            logger.warning("snapshot thrown away", table=snapshot.rows.table, why=str(error))
            return False
        logger.info("snapshot taken up", table=snapshot.rows.table, size=size)
        return True

    def _take_up(self, aggregate: Aggregate, snapshot: TableSnapshot, first: Entry) -> bool:
        if not snapshot.take_up(aggregate, first, aggregate.environment.rulesets):
            return False
        if self._meter is not None:
            self._meter.take_up(aggregate, snapshot.usage)
        return True

    async def write_snapshot(self, held: Held) -> None:
        """Write a table's next snapshot, and let go of what is in it; its place must be held."""
        known = held.loaded
        if known is None or known.snapshot is None or known.stale:
            return
        usage = await self._meter.held(known.aggregate) if self._meter is not None else b""
        try:
            rows = await asyncio.to_thread(known.snapshot.rows_of, known.aggregate, usage)
            await asyncio.to_thread(known.snapshot.write_rows, rows, len(known.aggregate.entries))
            known.snapshot.wrote(known.aggregate, rows)
        except (Unavailable, OverflowError) as error:  # forged numbers may be of any size
            known.snapshot.put_off(known.aggregate)
            logger.warning("no snapshot written", table=held.table, why=str(error))
        except BaseException:
            kept = known.snapshot.rows
            kept.snapshots.recent.drop(kept.known_as)  # perhaps it was written
            raise

    async def armed(
        self,
        table: str,
        aggregate: Aggregate,
        signing: Signing,
        snapshot: TableSnapshot | None = None,
    ) -> Loaded:
        """A loaded table with the secrets of its epochs, and dice that know them."""
        state = aggregate.opened
        environment = self._environments(state.source, None)
        secrets: tuple[bytes | None, ...] = (environment.secret,)
        if state.source in WITH_SECRET:
            secrets = await asyncio.to_thread(self._secrets_of, table, state.epoch)
            environment = self._environments(state.source, secrets[-1])
        if state.source == "fair" and secrets[-1] is None:
            environment = replace(environment, source=NoSecret(state.source, table))
        elif state.source == "fair" and state.epoch:
            dice = AcrossEpochs(environment.source, secrets, lambda: aggregate.opened.rolls)
            environment = replace(environment, source=dice)
        if state.epoch:
            signing.floor = await asyncio.to_thread(self.secrets.heads.floor, table)
        aggregate.environment = replace(environment, origin=signing.origin)
        return Loaded(aggregate, secrets, state.epoch, signing, snapshot)

    def _secrets_of(self, table: str, epoch: int) -> tuple[bytes | None, ...]:
        later = (self.secrets.find_epoch(table, number) for number in range(1, epoch + 1))
        return (self.secrets.find(table), *later)

    async def catch_up(
        self,
        table: str,
        aggregate: Aggregate,
        check: HeadCheck | None = None,
        snapshot: TableSnapshot | None = None,
    ) -> frozenset[int]:
        """Load what the log has beyond the aggregate; gives the texts that are to be erased still.

        With a `snapshot` each whole page is let go of as it is folded: nobody may read yet.
        """
        missing: list[Entry] = []
        erased: set[int] = set()
        while True:
            page = await self.log.read(table, len(aggregate.entries) - 1, PAGE)
            if check is not None:
                await check.take(page)
            for start in range(0, len(page), SLICE):
                if start:
                    await asyncio.sleep(0)
                some = page[start : start + SLICE]
                await self.apart(partial(aggregate.load, some, checked=True))
            if snapshot is not None and self._meter is not None:
                await self._meter.loaded(aggregate)
            missing += [entry for entry in page if entry.payload is None]
            erased |= {seq for entry in page if (seq := erased_by(entry)) is not None}
            if len(page) < PAGE:
                check_missing(missing, erased)
                return frozenset(erased - {entry.seq for entry in missing})
            if snapshot is not None:
                await self._let_go(snapshot, aggregate)

    async def _let_go(self, snapshot: TableSnapshot, aggregate: Aggregate) -> None:
        """Let go of what was folded, where that can be written; raises StaleSnapshot."""
        try:
            await asyncio.to_thread(snapshot.write, aggregate, None)
        except StaleSnapshot:
            raise
        except (Unavailable, OverflowError) as error:
            logger.warning("no snapshot written", table=snapshot.rows.table, why=str(error))

    async def forget(self, known: Loaded, erased: Iterable[int]) -> None:
        """Erase texts in the log, and in the snapshot, that an entry of theirs erased.

        Again changes nothing.
        """
        table = known.aggregate.opened.id
        for seq in sorted(erased):
            await self.log.erase(table, seq)
            if known.snapshot is not None:
                with suppress(StaleSnapshot):  # who loads it next erases that
                    await asyncio.to_thread(known.snapshot.erase, seq)
