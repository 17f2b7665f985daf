"""The root of a log over any number of its first entries, in memory that does not grow with it.

The edges of the last trees are kept in memory; older leaves are in the audit's private file, a
block of them together with the edge of the tree before it.
"""

from typing import TypeAlias

from ....events.merkle import EMPTY_ROOT, Frontier
from ..cache import Cache, PrivateFile

BLOCK = 64
"""Leaves of a block."""

IN_MEMORY = 16
"""Blocks kept in memory, beside the one that grows."""

LEAF = 32
"""Bytes of a leaf, and of a peak."""

Blocks: TypeAlias = Cache[tuple[Frontier, bytes]]


class Roots:
    """The leaves of a log so far."""

    def __init__(self, file: PrivateFile) -> None:
        self._blocks: Blocks = Cache(file, "leaves", IN_MEMORY, _packed, _unpacked)
        self._start = Frontier()
        self._leaves = bytearray()

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return self._start.size + len(self._leaves) // LEAF

    def append(self, leaf: bytes) -> None:
        """One more leaf, 32 bytes."""
        self._leaves += leaf
        if len(self._leaves) == BLOCK * LEAF:
            block = bytes(self._leaves)
            self._blocks.put(self._start.size // BLOCK, (self._start, block))
            self._start = self._start.extend(_each(block))
            self._leaves.clear()

    def root(self, size: int) -> bytes | None:
        """The root over the first `size` leaves; None where there are not so many."""
        if not 0 <= size <= self.size:
            return None
        number, count = divmod(size, BLOCK)
        if size >= self._start.size:
            start, leaves = self._start, bytes(self._leaves)
        else:
            found = self._blocks.get(number)
            start, leaves = found if found is not None else (Frontier(), b"")
        return start.extend(_each(leaves[: count * LEAF])).root() if size else EMPTY_ROOT


def _each(leaves: bytes) -> list[bytes]:
    return [leaves[at : at + LEAF] for at in range(0, len(leaves), LEAF)]


def _packed(block: tuple[Frontier, bytes]) -> bytes:
    start, leaves = block
    return b"%b%b%b" % (start.size.to_bytes(8), b"".join(start.peaks), leaves)


def _unpacked(body: bytes) -> tuple[Frontier, bytes]:
    size = int.from_bytes(body[:8])
    edge = 8 + size.bit_count() * LEAF
    return Frontier(size, tuple(_each(body[8:edge]))), body[edge:]
