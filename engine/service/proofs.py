"""A table's latest signed head, its key, and proofs under it, each with the note of that head."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from ...errors import Refused
from ...events.merkle import Proof
from .signing import Signer
from .tables import Held, Loaded, Loader

Proving: TypeAlias = Callable[[Loader, Loaded, int], Awaitable[tuple[bytes, Proof]]]
"""What proves something of a table's latest signed head, by the number that it is asked for."""


async def inclusion(loader: Loader, known: Loaded, seq: int) -> tuple[bytes, Proof]:
    """See `Service.inclusion`."""
    size, note = await _head(loader.signer, known, seq + 1)
    aggregate = known.aggregate
    return note, await loader.apart(lambda: aggregate.tree.inclusion_proof(seq, size))


async def consistency(loader: Loader, known: Loaded, old_size: int) -> tuple[bytes, Proof]:
    """See `Service.consistency`."""
    size, note = await _head(loader.signer, known, old_size)
    aggregate = known.aggregate
    return note, await loader.apart(lambda: aggregate.tree.consistency_proof(old_size, size))


async def checkpoint(loader: Loader, held: Held) -> bytes:
    """See `Service.checkpoint`; the table's place must be held."""
    known = await loader.current(held)
    head = await loader.signer.shown(known.signing, known.aggregate.frontier)
    return head.note


async def vkey(loader: Loader, held: Held) -> str:
    """See `Service.key`; the table's place must be held."""
    known = await loader.current(held)
    return (await loader.signer.key(known.signing)).vkey


async def _head(signer: Signer, known: Loaded, least: int) -> tuple[int, bytes]:
    """The latest signed head; a new one where there is none, or none of so many entries."""
    tree = known.aggregate.frontier
    if not 0 <= least <= tree.size:
        why = f"the table has {tree.size} entries, not {least}"
        raise Refused("out-of-range", why, allowed=[f"0 to {tree.size}"])
    head = known.signing.latest
    if head is None or head.size < least:
        head = await signer.shown(known.signing, tree)
    return head.size, head.note
