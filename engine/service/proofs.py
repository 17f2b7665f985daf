"""Proofs for one table against its latest signed head: an entry is in it, or it only ever grew."""

import asyncio

from msgspec import Struct

from ...errors import Refused
from ...events.merkle import Proof, consistency_proof, inclusion_proof
from .signing import Signer
from .tables import Loaded


class Proved(Struct, frozen=True):
    """A signed head, and what proves the claim under its root.

    `note` is read with `urim.events.checkpoint.read`; `proof` is checked with `verify_inclusion` or
    `verify_consistency` of `urim.events.merkle`.
    """

    note: bytes
    proof: Proof


async def inclusion(signer: Signer, known: Loaded, seq: int) -> Proved:
    """See `Service.inclusion`."""
    size, note = await _head(signer, known, seq + 1)
    leaves = [entry.leaf for entry in known.aggregate.entries[:size]]
    return Proved(note, await asyncio.to_thread(inclusion_proof, leaves, seq, size))


async def consistency(signer: Signer, known: Loaded, old_size: int) -> Proved:
    """See `Service.consistency`."""
    size, note = await _head(signer, known, old_size)
    leaves = [entry.leaf for entry in known.aggregate.entries[:size]]
    return Proved(note, await asyncio.to_thread(consistency_proof, leaves, old_size, size))


async def _head(signer: Signer, known: Loaded, least: int) -> tuple[int, bytes]:
    """The latest signed head; a new one where there is none, or none of so many entries."""
    tree = known.aggregate.frontier
    if not 0 <= least <= tree.size:
        why = f"the table has {tree.size} entries, not {least}"
        raise Refused("out-of-range", why, allowed=[f"0 to {tree.size}"])
    head = known.signing.latest
    if head is None or head.size < least:
        head = await signer.sign(known.signing, tree)
    return head.size, head.note
