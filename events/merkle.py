"""A log that only ever grew: RFC 6962 roots, and short proofs that anyone can check.

leaf   SHA-256(0x00 || entry), made when the entry is sealed
node   SHA-256(0x01 || left || right)
tree   of n > 1 leaves: left the largest power of two below n, right the rest; of none: SHA-256("")

The proving side has all leaves of the log and refuses numbers that make no sense. The verifying
side believes nothing: whatever does not prove the claim, numbers included, raises Damaged.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
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


class Tree:
    """A tree with all its nodes, so that what it proves costs the tree's height and not its size.

    It keeps the leaves that it is given, and about 40 bytes for each beside them; who keeps them
    elsewhere has its own `_add`, `_put`, `_node` and `size`. Nodes of perfect
    subtrees alone are kept: they stay what they are however the tree grows, so it may be read up to
    some size while it grows beyond that.
    """

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        """The tree over these leaves. Raises Damaged when one of them is not 32 bytes."""
        self._leaves: list[bytes] = []
        self._above: list[bytearray] = []
        self.extend(leaves)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self._leaves)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add more leaves. Raises Damaged when one of them is not 32 bytes, and adds none then."""
        before = self.size
        self._add([_checked(leaf) for leaf in leaves])
        height = 1
        while self.size >> height:
            for at in range(before >> height, self.size >> height):
                below = self._node(height - 1, 2 * at), self._node(height - 1, 2 * at + 1)
                self._put(height, at, node_of(*below))
            height += 1

    def _add(self, leaves: Sequence[bytes]) -> None:
        """Keep more leaves."""
        self._leaves += leaves

    def _put(self, height: int, at: int, node: bytes) -> None:
        """Keep a node, number `at` of its height, which is the next one there."""
        if height > len(self._above):
            self._above.append(bytearray())
        self._above[height - 1] += node

    def frontier(self) -> Frontier:
        """All that must be kept of the tree to append to it."""
        return Frontier(self.size, self._peaks(0, self.size))

    def inclusion_proof(self, seq: int, size: int) -> Proof:
        """The same as `inclusion_proof`, as it raises."""
        _within("size", size, 1, self.size)
        _within("seq", seq, 0, size - 1)
        low, high, proof = 0, size, list[bytes]()
        while high - low > 1:
            middle = low + _left_of(high - low)
            if seq < middle:
                proof.append(self._root(middle, high))
                high = middle
            else:
                proof.append(self._root(low, middle))
                low = middle
        return tuple(reversed(proof))

    def multiproof(self, seqs: Sequence[int], size: int) -> Proof:
        """One proof that all these leaves, ascending, are in the tree of the first `size`.

        The tree is walked from its root, left before right: a subtree that holds none of them is
        one hash. Raises Refused("out-of-range") for a size or a leaf that is not there.
        """
        _within("size", size, 1, self.size)
        for seq in seqs:
            _within("seq", seq, 0, size - 1)
        return tuple(self._around(seqs, 0, size))

    def _around(self, seqs: Sequence[int], low: int, high: int) -> Iterator[bytes]:
        """The hashes of what is between `low` and `high`, but for these leaves."""
        if not seqs:
            yield self._root(low, high)
        elif high - low > 1:
            middle = low + _left_of(high - low)
            at = bisect_left(seqs, middle)
            yield from self._around(seqs[:at], low, middle)
            yield from self._around(seqs[at:], middle, high)

    def consistency_proof(self, old: int, new: int) -> Proof:
        """The same as `consistency_proof`, as it raises."""
        _within("new", new, 0, self.size)
        _within("old", old, 0, new)
        if old == 0:
            return ()
        low, high, proof = 0, new, list[bytes]()
        while old != high:
            middle = low + _left_of(high - low)
            if old <= middle:
                proof.append(self._root(middle, high))
                high = middle
            else:
                proof.append(self._root(low, middle))
                low = middle
        if low != 0:
            # The old tree ends in a subtree that is not the whole of it: its root is needed too.
            proof.append(self._root(low, high))
        return tuple(reversed(proof))

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves. Raises Refused("out-of-range") beyond the tree's."""
        _within("size", size, 0, self.size)
        return self._root(0, size)

    def _root(self, low: int, high: int) -> bytes:
        """The root over the leaves from `low` up to `high`, a subtree of the tree of some size."""
        height = (high - low).bit_length() - 1
        if high - low == 1 << max(height, 0):  # nearly always
            return self._node(height, low >> height)
        return Frontier(high - low, self._peaks(low, high)).root()

    def _peaks(self, low: int, high: int) -> tuple[bytes, ...]:
        peaks = list[bytes]()
        for height in reversed(range((high - low).bit_length())):
            if (high - low) >> height & 1:
                # A subtree begins at a multiple of what it may hold, so `low` is one of 2^height.
                peaks.append(self._node(height, low >> height))
                low += 1 << height
        return tuple(peaks)

    def _node(self, height: int, at: int) -> bytes:
        """A node, number `at` of its height; leaves have height 0."""
        if not height:
            return self._leaves[at]
        start = at * HASH_BYTES
        return bytes(self._above[height - 1][start : start + HASH_BYTES])


def inclusion_proof(leaves: Sequence[bytes], seq: int, size: int) -> Proof:
    """What proves that leaf `seq`, counted from 0, is in the tree of the first `size` leaves.

    PATH of RFC 6962, 2.1.1. Raises Refused("out-of-range") unless 0 <= seq < size <= leaves.
    """
    return Tree(leaves).inclusion_proof(seq, size)


def consistency_proof(leaves: Sequence[bytes], old: int, new: int) -> Proof:
    """What proves that the tree of `new` leaves begins with the one of `old` leaves.

    PROOF of RFC 6962, 2.1.2; empty where nothing needs one, from an empty tree or to the same size.
    Raises Refused("out-of-range") unless 0 <= old <= new <= leaves.
    """
    return Tree(leaves).consistency_proof(old, new)


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
