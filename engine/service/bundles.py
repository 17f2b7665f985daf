"""A bundle of a table as it is now, signed, as a seat may see it; made beside the queue."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ...events.checkpoint import Key
from ...events.entry import Entry
from ...projections.tables import TableState
from ..bundle.write import write_bundle
from ..core.attempt import seat_of
from ..core.visibility import redacted
from .tables import Held, Loader

SLICE: Final = 500
"""Lines that are made at once: a few milliseconds, then other reads have their turn."""


class Bundled(Struct, frozen=True):
    """A table at one size of its log, for one seat ("" for nobody), with a head of that size.

    It can be written in another thread while the table goes on.
    """

    table: TableState
    seat: str
    entries: tuple[Entry, ...]
    note: bytes
    key: Key

    def lines(self, roll: int | None) -> Iterator[bytes]:
        """The lines of the bundle. Raises as `urim.engine.bundle.write.write_bundle`."""
        seen = [redacted(self.table, self.seat, entry) for entry in self.entries]
        return write_bundle(seen, self.note, [self.key], roll)


async def bundled(loader: Loader, seat: str, held: Held) -> Bundled:
    """What is in a bundle now; the table's place must be held.

    Raises as `Service.checkpoint`, and Refused("unknown") for a seat that is not there.
    """
    known = await loader.current(held)
    aggregate, signing = known.aggregate, known.signing
    if seat:
        seat_of(aggregate.opened, seat)
    head = await loader.signer.shown(signing, aggregate.frontier)
    key = await loader.signer.key(signing)
    # Copied: a text that is erased later would be missing, and the entry that says so too.
    return Bundled(aggregate.opened, seat, tuple(aggregate.entries), head.note, key)
