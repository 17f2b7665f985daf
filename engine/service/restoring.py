"""A log that was restored: what may be lost of each table, and the epochs by which it goes on.

A head shows that a log lost what came before it, and never that nothing came after: it is kept at
most once a second. Who saw a throw that was lost knows its seed. So a table with a secret of its
own begins an epoch, unless its keeper knows that nothing is lost.
"""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.checkpoint import read
from ...events.codec import recorded
from ...events.log.head import Head, check_signed
from ...events.log.protocol import EventLog
from ...events.table import EpochBegun, TableOpened
from . import Service
from .heads import read_unverified
from .keys import table_key
from .secrets import WITH_SECRET, Secrets

Notes = Mapping[str, Sequence[bytes]]
"""The table -> signed heads of it that somebody kept."""


class Outlook(Struct, frozen=True):
    """What is known of a table that is restored with `size` entries.

    `newest` is the largest size that was ever signed, as far as is known; `fit` whether it could go
    on as it is: nothing newer is known, and all its secrets are there. `fair` tables have a secret.
    """

    table: str
    size: int
    newest: int
    fit: bool
    fair: bool

    @property
    def lost(self) -> int:
        """How many entries are lost for certain."""
        return max(0, self.newest - self.size)

    def must_begin(self, *, nothing_lost: bool) -> bool:
        """Whether it goes on by an epoch alone; `nothing_lost` is what its keeper knows.

        Raises Refused("not-offered") where that is not so.
        """
        if nothing_lost and self.lost:
            why = f"table {self.table!r} had {self.newest} entries, and has {self.size}"
            raise Refused("not-offered", why, allowed=["no --nothing-lost"])
        return not self.fit or (self.fair and not nothing_lost)


class Begun(Struct, frozen=True):
    """The epoch that a table began, and the entry that says so."""

    epoch: int
    seq: int


def by_table(notes: Sequence[bytes]) -> dict[str, list[bytes]]:
    """Signed heads by the table that their origin names. Raises Damaged for what is none."""
    found: dict[str, list[bytes]] = {}
    for note in notes:
        found.setdefault(read_unverified(note).origin.rpartition("/t/")[2], []).append(note)
    return found


async def outlook(log: EventLog, places: Sequence[Secrets], seen: Notes) -> tuple[Outlook, ...]:
    """What may be lost of each table of a log that is being restored; nothing is changed.

    Heads are looked for in the log, among the secrets in all places, and in `seen`. Raises
    Refused("unknown") for a head of a table that the log has not; Damaged where a head was signed
    with another key than the host's, or of other entries: the log is no beginning of what was lost.
    """
    tables = await log.tables()
    unknown = sorted(seen.keys() - set(tables))
    if unknown:
        raise Refused("unknown", f"a head of table {unknown[0]!r} was given", allowed=tables)
    return tuple([await _outlook(log, places, id, seen.get(id, ())) for id in tables])


async def _outlook(
    log: EventLog, places: Sequence[Secrets], table: str, seen: Sequence[bytes]
) -> Outlook:
    entries, last = await log.read(table), await log.last_head(table)
    filed = [note for place in places if (note := place.heads.find(table)) is not None]
    keys = [key for place in places if (key := place.key.find()) is not None]
    for note in (*seen, *filed):
        _verify(table, note, keys)
    known = sorted(map(_head, (*seen, *filed)), key=lambda head: head.size)
    within = [head for head in known if head.size <= len(entries)]
    check_signed(table, within, lambda a, b: (entry.leaf for entry in entries[a:b]))
    events = [recorded(each).event for each in entries if each.payload is not None]
    fair = isinstance(events[0], TableOpened) and events[0].source in WITH_SECRET
    epoch = sum(isinstance(event, EpochBegun) for event in events)
    secret = any(place.find_epoch(table, epoch) if epoch else place.find(table) for place in places)
    sizes = [*(head.size for head in known), *(place.heads.floor(table) for place in places)]
    newest = max([*sizes, last.size if last else 0])
    filing = last is None or bool(keys and filed and max(map(_head_size, filed)) >= last.size)
    fit = newest <= len(entries) and filing and (secret or not fair)
    return Outlook(table, len(entries), newest, fit, fair)


def _verify(table: str, note: bytes, keys: Sequence[bytes]) -> None:
    """Raises Damaged for a head that was signed with no key of the host's, where one is there."""
    host, _, _ = read_unverified(note).origin.rpartition("/t/")
    try:
        if keys:
            read(note, [table_key(table, private, host) for private in keys])
    except Damaged as error:
        why = f"a head of table {table!r} was not signed with the host's key: {error.why}"
        raise Damaged(why) from error


def _head(note: bytes) -> Head:
    found = read_unverified(note)
    return Head(found.size, found.root, note)


def _head_size(note: bytes) -> int:
    return read_unverified(note).size


async def begin_epochs(
    log: EventLog, secrets: Secrets, tables: Sequence[str], seen: Notes
) -> dict[str, Begun]:
    """Begin an epoch of each of these tables; the heads that were seen count as signed.

    Where the host's key is gone, a new one is made, and the heads of the log are set aside with
    those that were lost. Raises as `Service.begin_epoch`.
    """
    if not tables:
        return {}
    if await asyncio.to_thread(secrets.key.find) is None:
        await asyncio.to_thread(secrets.key.make)
        for table in await log.tables():
            await _set_aside(log, secrets, table)
    service = Service(log, secrets)
    found: dict[str, Begun] = {}
    try:
        for table in tables:
            for note in seen.get(table, ()):
                await asyncio.to_thread(secrets.heads.keep, table, note)
            [entry] = await service.begin_epoch(table, restored=True)
            event = recorded(entry).event
            if isinstance(event, EpochBegun):
                found[table] = Begun(event.epoch, entry.seq)
    finally:
        await service.close()
    return found


async def _set_aside(log: EventLog, secrets: Secrets, table: str) -> None:
    """Set the last head in the log aside: it was signed with a key that is gone."""
    last = await log.last_head(table)
    if last is not None:
        secrets.heads.keep(table, last.note)
        secrets.heads.supersede(table, 0, last.note)
