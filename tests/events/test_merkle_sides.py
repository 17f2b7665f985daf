"""A proof is held to the exact root, size and place, whichever way a claim is wrong."""

from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest

from urim.errors import Damaged, Refused
from urim.events.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    root_of,
    verify_consistency,
    verify_inclusion,
)

LEAVES = [sha256(b"\x00%d" % n).digest() for n in range(601)]
THREE, FIVE = root_of(LEAVES[:3]), root_of(LEAVES[:5])
SMALLER, LARGER = bytes(32), b"\xff" * 32

PATH = inclusion_proof(LEAVES, 2, 5)
GROWTH = consistency_proof(LEAVES, 3, 5)

CLAIMS: dict[str, Callable[[bytes], None]] = {
    "a leaf's tree": lambda root: verify_inclusion(LEAVES[2], 2, 5, PATH, root),
    "the earlier tree": lambda root: verify_consistency(3, root, 5, FIVE, GROWTH),
    "the later tree": lambda root: verify_consistency(3, THREE, 5, root, GROWTH),
    "the first of one size": lambda root: verify_consistency(5, root, 5, FIVE, ()),
    "the second of one size": lambda root: verify_consistency(5, FIVE, 5, root, ()),
    "the empty tree before others": lambda root: verify_consistency(0, root, 5, FIVE, ()),
    "the empty tree, twice": lambda root: verify_consistency(0, root, 0, root, ()),
}


@pytest.mark.parametrize("root", [SMALLER, LARGER], ids=["smaller", "larger"])
@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_root_on_either_side_of_the_true_one_is_refused(
    claim: Callable[[bytes], None], root: bytes
) -> None:
    assert SMALLER < min(THREE, FIVE, EMPTY_ROOT) < max(THREE, FIVE, EMPTY_ROOT) < LARGER
    with pytest.raises(Damaged):
        claim(root)


# Up to 256, Python keeps one object of each number: there `is` would pass for `==`.


@pytest.mark.parametrize(("old", "new"), [(257, 600), (300, 301), (512, 600), (599, 600)])
def test_large_trees_are_consistent(old: int, new: int) -> None:
    proof = consistency_proof(LEAVES, old, new)
    verify_consistency(old, root_of(LEAVES[:old]), new, root_of(LEAVES[:new]), proof)


@pytest.mark.parametrize(("seq", "size"), [(256, 257), (300, 301), (512, 600), (600, 601)])
def test_large_trees_hold_their_leaves(seq: int, size: int) -> None:
    proof = inclusion_proof(LEAVES, seq, size)
    verify_inclusion(LEAVES[seq], seq, size, proof, root_of(LEAVES[:size]))


def test_a_large_tree_is_consistent_with_itself() -> None:
    root = root_of(LEAVES[:600])
    assert consistency_proof(LEAVES, 600, int("600")) == ()
    verify_consistency(600, root, int("600"), root, ())


OUTSIDE: list[tuple[Callable[..., object], int, tuple[int, int], str, tuple[str, ...]]] = [
    (inclusion_proof, 0, (0, 0), "size is 0, of a tree without leaves", ()),
    (inclusion_proof, 1, (1, 1), "seq is 1", ("0 to 0",)),
    (inclusion_proof, 1, (0, 2), "size is 2", ("1 to 1",)),
    (inclusion_proof, 5, (0, 0), "size is 0", ("1 to 5",)),
    (inclusion_proof, 5, (5, 5), "seq is 5", ("0 to 4",)),
    (inclusion_proof, 6, (6, 6), "seq is 6", ("0 to 5",)),
    (inclusion_proof, 5, (-1, 5), "seq is -1", ("0 to 4",)),
    (consistency_proof, 0, (0, 1), "new is 1", ("0 to 0",)),
    (consistency_proof, 5, (0, -1), "new is -1", ("0 to 5",)),
    (consistency_proof, 5, (4, 3), "old is 4", ("0 to 3",)),
    (consistency_proof, 5, (-1, 3), "old is -1", ("0 to 3",)),
]


@pytest.mark.parametrize(("prove", "held", "numbers", "why", "allowed"), OUTSIDE)
def test_a_number_outside_the_log_is_refused_with_what_is_allowed(
    prove: Callable[[Sequence[bytes], int, int], object],
    held: int,
    numbers: tuple[int, int],
    why: str,
    allowed: tuple[str, ...],
) -> None:
    with pytest.raises(Refused) as refusal:
        prove(LEAVES[:held], *numbers)
    assert (refusal.value.why, refusal.value.allowed) == (why, allowed)


def test_frontiers_are_values() -> None:
    assert len({Frontier(), Frontier(0, ())}) == 1
