"""A table's latest signed head, its key, and proofs under it, each with the note of that head."""

from msgspec import Struct

from ...errors import Refused
from ...events.merkle import Proof
from .signing import Signer
from .tables import Held, Loaded, Loader


class Proved(Struct, frozen=True):
    """A signed head, and what proves the claim under its root.

    `note` is read with `urim.events.checkpoint.read`; `proof` is checked with `verify_inclusion` or
    `verify_consistency` of `urim.events.merkle`.
    """

    note: bytes
    proof: Proof


async def inclusion(loader: Loader, seq: int, held: Held) -> Proved:
    """See `Service.inclusion`; the table's place must be held."""
    known = await loader.current(held)
    size, note = await _head(loader.signer, known, seq + 1)
    tree = known.aggregate.tree
    return Proved(note, await loader.apart(lambda: tree.inclusion_proof(seq, size)))


async def consistency(loader: Loader, old_size: int, held: Held) -> Proved:
    """See `Service.consistency`; the table's place must be held."""
    known = await loader.current(held)
    size, note = await _head(loader.signer, known, old_size)
    tree = known.aggregate.tree
    return Proved(note, await loader.apart(lambda: tree.consistency_proof(old_size, size)))


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
