"""Tables in memory: loaded from their log, checked, kept up to date, and dropped when unused.

What is in memory is a cache: the log is the truth, and a table may be dropped at any moment.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.log.listing import check_absent, check_opening
from ...events.log.protocol import EventLog
from ...events.log.whole import check_erased, check_kept
from ...events.table import EntryErased
from ..core.aggregate import Aggregate, Environment
from ..core.parse import shown
from ..logs import logger
from .check import HeadCheck, check_macs
from .dice import AcrossEpochs, NoSecret
from .keys import origin_of
from .secrets import WITH_SECRET, Secrets
from .signing import Signer, Signing
from .turns import Turns

PAGE = 1_000
"""Entries read from the log at once."""

SLICE = 50
"""Entries folded at once: a few milliseconds, then other tables have their turn."""

Environments = Callable[[str, bytes | None], Environment]
"""Makes the environment for dice of that name under that secret; see `environment`."""


PER_BYTE = 4.5
"""Bytes of memory, at most, that a table takes for each byte of its payloads; 3.2 to 4.3 were
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

    @property
    def secret(self) -> bytes | None:
        """The secret in force."""
        return self.secrets[-1]

    @property
    def size(self) -> int:
        """How many bytes of memory it takes, about."""
        return PER_TABLE + round(PER_BYTE * self.aggregate.stored)

    @property
    def abreast(self) -> bool:
        """Whether its dice and signatures are those of the last epoch in its entries."""
        return self.aggregate.opened.epoch == self.epoch


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
    ) -> None:
        self.log = log
        self.secrets = secrets
        self.signer = signer
        self._environments = environments
        self._host = host

    # --- in memory --------------------------------------------------------------------------------

    async def known(self, held: Held) -> Loaded | None:
        """The table as it is in memory, or else as the log has it; None where there is none."""
        if held.loaded is None:
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
        await self.catch_up(held.table, known.aggregate)
        return await self.abreast(held, known)

    async def abreast(self, held: Held, known: Loaded) -> Loaded:
        """The table with dice and secret of its epoch, which another service may have begun."""
        if not known.abreast:
            known = await self.armed(held.table, known.aggregate, known.signing)
            held.loaded = known
        return known

    def attested(self, known: Loaded) -> bytes | None:
        """A signed head of the table as it is in memory; see `Signer.attest`, as it raises."""
        if not known.abreast:
            return None
        return self.signer.attest(known.signing, known.aggregate.frontier)

    # --- from the log -----------------------------------------------------------------------------

    def fresh(self, table: str, source: str, secret: bytes | None) -> Loaded:
        """A table that is not open yet."""
        environment = self._environments(source, secret)
        own = secret if source in WITH_SECRET else environment.secret
        signing = Signing(table, origin_of(table, self._host), None)
        return Loaded(Aggregate(environment), (own,), 0, signing)

    async def load(self, table: str, *, restored: bool = False) -> Loaded | None:
        """A table as its log has it, every entry and signed head checked; None where there is none.

        What an interrupted process left to erase is erased. `restored` is for a log that is about
        to begin an epoch; see `HeadCheck`. Raises Damaged, naming the entry or the head;
        Refused("unreadable") for a secret or key that others may read, or a key that is gone.
        """
        unkept = self.signer.unkept(table)
        check = HeadCheck(self.log, self.secrets, table, self._host, unkept, restored=restored)
        await check.begin()
        first = await self.log.read(table, limit=1)
        if not first:
            check.end()
            await check_absent(self.log, table)
            return None
        opened = check_opening(table, first[0])
        aggregate = Aggregate(self._environments(opened.source, None))
        before = await self.log.requests(table)
        whole = await self.catch_up(table, aggregate, check)
        check.end()
        requests = await self.log.requests(table)
        await asyncio.to_thread(check_kept, aggregate.entries, before, requests)
        aggregate.frontier = check.tree
        await self.forget(table, aggregate, whole)
        signing = Signing(table, check.origin, check.last, None if restored else unkept)
        loaded = await self.armed(table, aggregate, signing)
        await asyncio.to_thread(check_macs, aggregate.entries, requests, loaded.secrets)
        logger.info("table loaded", table=table, size=len(aggregate.entries))
        # A table that nobody ever signed is signed when it changes: looking at it makes no key.
        if not restored and signing.attested is not None:
            self.signer.touch(loaded.signing, aggregate.frontier)
        return loaded

    async def armed(self, table: str, aggregate: Aggregate, signing: Signing) -> Loaded:
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
        aggregate.environment = environment
        return Loaded(aggregate, secrets, state.epoch, signing)

    def _secrets_of(self, table: str, epoch: int) -> tuple[bytes | None, ...]:
        later = (self.secrets.find_epoch(table, number) for number in range(1, epoch + 1))
        return (self.secrets.find(table), *later)

    async def catch_up(
        self, table: str, aggregate: Aggregate, check: HeadCheck | None = None
    ) -> frozenset[int]:
        """Load what the log has beyond the aggregate; gives the entries that had a payload."""
        known = len(aggregate.entries)
        whole: set[int] = set()
        while True:
            page = await self.log.read(table, len(aggregate.entries) - 1, PAGE)
            if check is not None:
                await check.take(page)
            for start in range(0, len(page), SLICE):
                if start:
                    await asyncio.sleep(0)
                aggregate.load(page[start : start + SLICE], checked=True)
            whole |= {entry.seq for entry in page if entry.payload is not None}
            if len(page) < PAGE:
                check_erased(aggregate.entries[known:], aggregate.records)
                return frozenset(whole)

    async def forget(self, table: str, aggregate: Aggregate, among: frozenset[int]) -> None:
        """Erase in the log what an entry erased, of those `among` that still have a payload."""
        events = (record.event for record in aggregate.records if record is not None)
        gone = {event.seq for event in events if isinstance(event, EntryErased)}
        for seq in sorted(gone & among):
            await self.log.erase(table, seq)
