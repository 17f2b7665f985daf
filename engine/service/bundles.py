"""A bundle of a table as it is now, signed, as a seat may see it; made beside the queue."""

from functools import partial
from typing import Final

from ...events.checkpoint import Key
from ..bundle.about import shown_to
from ..bundle.write import Chosen, chosen
from ..core.aggregate import Aggregate
from ..core.attempt import seat_of
from .tables import Held, Loader

SLICE: Final = 500
"""Lines that are made at once: a few milliseconds, then other reads have their turn."""


async def bundled(loader: Loader, seat: str, roll: int | None, held: Held) -> Chosen:
    """What is in a bundle now, for one seat ("" for nobody), under a head of that size.

    The table's place must be held; the lines may be written in another thread while it goes on.
    Raises as `Service.checkpoint` and `urim.engine.bundle.write.write_bundle`, and
    Refused("unknown") for a seat that is not there.
    """
    known = await loader.current(held)
    aggregate, signing = known.aggregate, known.signing
    if seat:
        seat_of(aggregate.opened, seat)
    head = await loader.signer.shown(signing, aggregate.frontier)
    key = await loader.signer.key(signing)
    # Chosen now: a text that is erased later would be missing, and the entry that says so too.
    found = partial(_chosen, aggregate, seat, head.note, key, roll)
    return await loader.apart(found)


def _chosen(aggregate: Aggregate, seat: str, note: bytes, key: Key, roll: int | None) -> Chosen:
    return chosen(shown_to(aggregate, seat), note, [key], roll)
