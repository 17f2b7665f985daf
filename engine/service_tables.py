"""Tables taken from their log into memory, checked, kept up to date, and let go of again.

What is in memory is a cache: the log is the truth, and a table may be dropped at any moment.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Damaged, Refused
from ..events.base import Thrown
from ..events.codec import recorded
from ..events.log.protocol import EventLog
from ..events.roll import Proof
from ..events.table import EntryErased, TableOpened
from .aggregate import Aggregate, Surroundings
from .dice import ThrowAsk
from .logs import logger
from .service_secrets import Secrets
from .surroundings import surroundings

PAGE = 1_000
"""Entries read from the log at once; other tables have their turn in between."""

WITH_SECRET = ("fair", "manual")
"""The dice whose tables have a secret of their own; a fixture's follows from its seed."""

Around = Callable[[str, bytes | None], Surroundings]
"""Surroundings for dice of that name under that secret; see `surroundings`."""


class Loaded(Struct, frozen=True):
    """A table in memory; `secret` is None where it is not to be found."""

    aggregate: Aggregate
    secret: bytes | None


class Held:
    """A table's place in the line: one command at a time, first come, first served."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.lock = asyncio.Lock()
        self.loaded: Loaded | None = None
        self.users = 0


class Shelf:
    """The tables in memory: at most so many, beyond those that are in use right now."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[str, Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def take(self, table: str) -> Held:
        """The table's place, in memory at least until it is given back."""
        held = self._held.setdefault(table, Held(table))
        self._held.move_to_end(table)
        held.users += 1
        return held

    def give_back(self, held: Held) -> None:
        """Say that a place is no longer needed; the longest unused tables go, if too many stay."""
        held.users -= 1
        if not held.users and held.loaded is None:
            del self._held[held.table]
        spare = len(self._held) - self._most
        if spare > 0:
            unused = [table for table, other in self._held.items() if not other.users]
            for table in unused[:spare]:
                del self._held[table]
                logger.info("table unloaded", table=table)

    def peek(self, table: str) -> Aggregate | None:
        """The table as it is in memory, if it is."""
        held = self._held.get(table)
        return held.loaded.aggregate if held and held.loaded else None


class Lost(Struct, frozen=True):
    """Fair dice whose secret is not to be found: the table can be read, but nothing thrown."""

    name: str
    table: str

    def _refuse(self) -> Refused:
        return no_secret(self.table)

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        raise self._refuse()

    def open(self, table: str, roll: int, throw: int) -> str | None:
        raise self._refuse()

    def throw(self, ask: ThrowAsk) -> tuple[tuple[Thrown, ...], Proof]:
        raise self._refuse()


def no_secret(table: str) -> Refused:
    """The refusal of whatever needs a secret that is not there."""
    why = f"the secret of table {table!r} is not beside this log"
    return Refused("unreadable", why, allowed=["reading", "the directory it was kept in"])


class Loader:
    """Reads tables from a log, with what surrounds them."""

    def __init__(self, log: EventLog, secrets: Secrets, around: Around = surroundings) -> None:
        self.log = log
        self.secrets = secrets
        self._around = around

    def fresh(self, source: str, secret: bytes | None) -> Loaded:
        """A table that is not open yet."""
        around = self._around(source, secret)
        own = secret if source in WITH_SECRET else around.secret
        return Loaded(Aggregate(around), own)

    async def load(self, table: str) -> Loaded | None:
        """A table as its log has it, every entry checked; None where there is none.

        What an interrupted process left to erase is erased. Raises Damaged, naming the entry;
        Refused("unreadable") for a secret that others may read.
        """
        first = await self.log.read(table, limit=1)
        if not first:
            return None
        opened = recorded(first[0]).event
        if not isinstance(opened, TableOpened) or opened.table != table:
            raise Damaged(f"it does not open table {table!r}", seq=0)
        loaded = await self._surrounded(table, opened.source)
        whole = await self.catch_up(table, loaded.aggregate)
        await self.forget(table, loaded.aggregate, whole)
        logger.info("table loaded", table=table, size=len(loaded.aggregate.entries))
        return loaded

    async def _surrounded(self, table: str, source: str) -> Loaded:
        secret = None
        if source in WITH_SECRET:
            secret = await asyncio.to_thread(self.secrets.find, table)
        loaded = self.fresh(source, secret)
        if source == "fair" and secret is None:
            around = replace(loaded.aggregate.surroundings, source=Lost(source, table))
            return Loaded(Aggregate(around), None)
        return loaded

    async def catch_up(self, table: str, aggregate: Aggregate) -> frozenset[int]:
        """Take in what the log has beyond the aggregate; the entries that came with a payload."""
        whole: set[int] = set()
        while True:
            page = await self.log.read(table, len(aggregate.entries) - 1, PAGE)
            aggregate.load(page)
            whole |= {entry.seq for entry in page if entry.payload is not None}
            if len(page) < PAGE:
                return frozenset(whole)

    async def forget(self, table: str, aggregate: Aggregate, among: frozenset[int]) -> None:
        """Let the log erase what entries say is erased, of those `among` that have a payload."""
        said = (record.event for record in aggregate.records if record is not None)
        gone = {event.seq for event in said if isinstance(event, EntryErased)}
        for seq in sorted(gone & among):
            await self.log.erase(table, seq)
