"""A log that only ever grew: RFC 6962 roots, and short proofs that anyone can check.

leaf   SHA-256(0x00 || entry), made when the entry is sealed
node   SHA-256(0x01 || left || right)
tree   of n > 1 leaves: left the largest power of two below n, right the rest; of none: SHA-256("")

The proving side takes all leaves of the log and refuses numbers that make no sense. The verifying
side believes nothing: whatever does not prove the claim, numbers included, raises Damaged.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeAlias

from msgspec import Struct

from ..errors import Damaged, Refused

HASH_BYTES = 32

EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""

Proof: TypeAlias = tuple[bytes, ...]
"""The hashes of a proof, 32 bytes each, in the order of RFC 6962, 2.1.1 and 2.1.2."""


class Frontier(Struct, frozen=True):
    """All that must be kept of a tree to append to it: its size and its right-hand edge.

    `peaks` are the roots of the perfect subtrees that the leaves fall into, largest first: one for
    every 1 in the binary form of `size`, so at most log2(size) + 1. Raises Damaged when they do not
    fit the size.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.peaks) != self.size.bit_count():
            raise Damaged(f"{len(self.peaks)} peaks do not make a tree of {self.size} leaves")

    def append(self, leaf: bytes) -> "Frontier":
        """The tree with one more leaf: one hash on average, log2(size) at most.

        Raises Damaged when the leaf is not 32 bytes.
        """
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> "Frontier":
        """The tree with more leaves. Raises Damaged when one of them is not 32 bytes."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            peak = _checked(leaf)
            height = size
            while height & 1:
                peak = node_of(peaks.pop(), peak)
                height >>= 1
            peaks.append(peak)
            size += 1
        return Frontier(size, tuple(peaks))

    def root(self) -> bytes:
        """The 32 bytes that represent the whole tree: log2(size) hashes at most."""
        if not self.peaks:
            return EMPTY_ROOT
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_of(peak, root)
        return root


def node_of(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node (RFC 6962, 2.1). The 0x01 keeps a node from passing for a leaf."""
    return sha256(b"\x01" + left + right).digest()


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root of a tree over these leaves: MTH of RFC 6962, 2.1.

    Raises Damaged when a leaf is not 32 bytes.
    """
    return Frontier().extend(leaves).root()


def inclusion_proof(leaves: Sequence[bytes], seq: int, size: int) -> Proof:
    """What proves that leaf `seq`, counted from 0, is in the tree of the first `size` leaves.

    PATH of RFC 6962, 2.1.1. Raises Refused("out-of-range") unless 0 <= seq < size <= leaves.
    """
    _within("size", size, 1, len(leaves))
    _within("seq", seq, 0, size - 1)
    low, high, proof = 0, size, list[bytes]()
    while high - low > 1:
        middle = low + _left_of(high - low)
        if seq < middle:
            proof.append(root_of(leaves[middle:high]))
            high = middle
        else:
            proof.append(root_of(leaves[low:middle]))
            low = middle
    return tuple(reversed(proof))


def consistency_proof(leaves: Sequence[bytes], old: int, new: int) -> Proof:
    """What proves that the tree of `new` leaves begins with the one of `old` leaves.

    PROOF of RFC 6962, 2.1.2; empty where nothing needs one, from an empty tree or to the same size.
    Raises Refused("out-of-range") unless 0 <= old <= new <= leaves.
    """
    _within("new", new, 0, len(leaves))
    _within("old", old, 0, new)
    if old == 0:
        return ()
    low, high, proof = 0, new, list[bytes]()
    while old != high:
        middle = low + _left_of(high - low)
        if old <= middle:
            proof.append(root_of(leaves[middle:high]))
            high = middle
        else:
            proof.append(root_of(leaves[low:middle]))
            low = middle
    if low != 0:
        # The old tree ends in a subtree that is not the whole of it: its root is needed too.
        proof.append(root_of(leaves[low:high]))
    return tuple(reversed(proof))


def verify_inclusion(leaf: bytes, seq: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Check that `leaf` is number `seq`, counted from 0, in the tree of `size` leaves under `root`.

    RFC 9162, 2.1.3.2. Raises Damaged when the proof does not prove it.
    """
    if not 0 <= seq < size:
        raise Damaged(f"there is no leaf {seq} in a tree of {size}")
    index, last, found = seq, size - 1, _checked(leaf)
    for step in map(_checked, proof):
        if last == 0:
            raise Damaged(f"the inclusion proof of leaf {seq} in {size} is too long")
        if index & 1 or index == last:
            found = node_of(step, found)
            index, last = _climb(index, last)
        else:
            found = node_of(found, step)
        index, last = index >> 1, last >> 1
    if last != 0 or found != root:
        raise Damaged(f"leaf {seq} is not proved to be in the tree of {size}")


def verify_consistency(
    old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Check that the tree of `new` leaves under `new_root` begins with that of `old` leaves.

    RFC 9162, 2.1.4.2. Raises Damaged when the proof does not prove it.
    """
    if not 0 <= old <= new:
        raise Damaged(f"a tree of {new} leaves cannot begin with one of {old}")
    if 0 < old < new:
        _verify_growth(old, old_root, new, new_root, proof)
    elif proof:
        raise Damaged(f"from {old} to {new} needs no consistency proof, but one was given")
    elif old == new and old_root != new_root:
        raise Damaged(f"two roots for the same size, {new}")
    elif old == 0 and old_root != EMPTY_ROOT:
        raise Damaged("the empty tree has another root")


def _verify_growth(
    old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    steps = [_checked(step) for step in proof]
    if old.bit_count() == 1:  # a perfect tree is itself the first step, so the proof leaves it out
        steps.insert(0, _checked(old_root))
    if not steps:
        raise Damaged(f"the consistency proof from {old} to {new} is empty")
    index, last = old - 1, new - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    found_old = found_new = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise Damaged(f"the consistency proof from {old} to {new} is too long")
        if index & 1 or index == last:
            found_old, found_new = node_of(step, found_old), node_of(step, found_new)
            index, last = _climb(index, last)
        else:
            found_new = node_of(found_new, step)
        index, last = index >> 1, last >> 1
    if last != 0 or (found_old, found_new) != (old_root, new_root):
        raise Damaged(f"the tree of {new} is not proved to begin with the tree of {old}")


def _climb(index: int, last: int) -> tuple[int, int]:
    """Pass over the levels on which a node at the right-hand edge has no sibling."""
    while index and not index & 1:
        index, last = index >> 1, last >> 1
    return index, last


def _left_of(size: int) -> int:
    """How many of `size` > 1 leaves fall to the left: the largest power of two below it."""
    return 1 << (size - 1).bit_length() - 1


def _checked(hash: bytes) -> bytes:
    # Two hashes of other lengths could join to the same 64 bytes under a node.
    if len(hash) != HASH_BYTES:
        raise Damaged(f"a hash of {len(hash)} bytes instead of {HASH_BYTES}")
    return hash


def _within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        why = (
            f"{what} is {value}"
            if most >= least
            else f"{what} is {value}, of a tree without leaves"
        )
        raise Refused("out-of-range", why, allowed=[f"{least} to {most}"] if most >= least else [])
