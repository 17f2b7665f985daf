"""Roots and proofs against the definitions of RFC 6962, written out as they stand there."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urim.engine.verifier import urimcheck
from urim.errors import Damaged, Refused
from urim.events import merkle
from urim.events.merkle import (
    EMPTY_ROOT,
    Frontier,
    Tree,
    consistency_proof,
    inclusion_proof,
    node_of,
    root_of,
    verify_consistency,
    verify_inclusion,
)

SIZES = range(41)
LEAVES = [sha256(b"\x00%d" % n).digest() for n in range(70)]
hashes = st.binary(min_size=32, max_size=32)


def split(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(leaves: Sequence[bytes]) -> bytes:
    """MTH, RFC 6962, 2.1."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return sha256(b"\x01" + mth(leaves[:k]) + mth(leaves[k:])).digest()


def path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH, RFC 6962, 2.1.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), mth(leaves[k:])]
    return [*path(m - k, leaves[k:]), mth(leaves[:k])]


def subproof(m: int, leaves: Sequence[bytes], whole: bool) -> list[bytes]:
    """SUBPROOF, RFC 6962, 2.1.2."""
    if m == len(leaves):
        return [] if whole else [mth(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], whole), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), mth(leaves[:k])]


ROOTS = [mth(LEAVES[:size]) for size in range(len(LEAVES) + 1)]


def test_the_empty_tree_has_the_hash_of_nothing_as_its_root() -> None:
    assert root_of([]) == Frontier().root() == EMPTY_ROOT == ROOTS[0]
    assert EMPTY_ROOT.hex().startswith("e3b0c44298fc1c14")


def test_every_size_has_the_root_that_the_definition_gives() -> None:
    tree = Frontier()
    for size in SIZES:
        assert tree.size == size
        assert tree.root() == root_of(LEAVES[:size]) == ROOTS[size]
        tree = tree.append(LEAVES[size])


def test_appending_leaves_the_earlier_tree_as_it_was() -> None:
    three = Frontier().extend(LEAVES[:3])
    assert three.append(LEAVES[3]) == three.append(LEAVES[3])
    assert (three.size, three.root()) == (3, ROOTS[3])


@given(st.lists(hashes, max_size=80), st.integers(0, 80))
def test_a_frontier_goes_on_wherever_it_was_left(leaves: list[bytes], cut: int) -> None:
    left = Frontier().extend(leaves[:cut])
    again = Frontier(left.size, left.peaks)
    assert again.extend(leaves[cut:]).root() == mth(leaves)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every node that is hashed."""
    found, node_of = list[bytes](), merkle.node_of

    def kept(left: bytes, right: bytes) -> bytes:
        found.append(node_of(left, right))
        return found[-1]

    monkeypatch.setattr(merkle, "node_of", kept)
    return found


def test_appending_costs_one_hash_on_average_and_log_n_at_worst(hashed: list[bytes]) -> None:
    tree = Frontier()
    appends = 0
    for size in range(1, 1025):
        before = len(hashed)
        tree = tree.append(LEAVES[0])
        assert len(hashed) - before <= (size - 1).bit_length()
        appends += len(hashed) - before
        before = len(hashed)
        tree.root()
        assert len(hashed) - before <= (size - 1).bit_length()
        assert len(tree.peaks) == size.bit_count()
    assert appends < 1024


@pytest.mark.parametrize("size", SIZES[1:])
def test_every_leaf_of_every_tree_has_the_path_of_the_definition(size: int) -> None:
    for seq in range(size):
        proof = inclusion_proof(LEAVES, seq, size)
        assert proof == tuple(path(seq, LEAVES[:size]))
        verify_inclusion(LEAVES[seq], seq, size, proof, ROOTS[size])


@pytest.mark.parametrize("new", SIZES)
def test_every_tree_is_consistent_with_all_before_it(new: int) -> None:
    for old in range(new + 1):
        proof = consistency_proof(LEAVES, old, new)
        assert proof == (tuple(subproof(old, LEAVES[:new], True)) if old else ())
        verify_consistency(old, ROOTS[old], new, ROOTS[new], proof)


@given(st.integers(1, 70), st.data())
def test_proofs_are_no_longer_than_the_tree_is_high(size: int, data: st.DataObject) -> None:
    height = (size - 1).bit_length()
    seq = data.draw(st.integers(0, size - 1))
    assert len(inclusion_proof(LEAVES, seq, size)) <= height
    assert len(consistency_proof(LEAVES, seq, size)) <= height + 1


@given(st.lists(st.integers(0, 9), max_size=12), st.data())
def test_a_tree_that_grew_piece_by_piece_proves_what_it_held_at_any_size(
    pieces: list[int], data: st.DataObject
) -> None:
    tree, leaves = Tree(), list[bytes]()
    for more in pieces:
        piece = LEAVES[:more]
        tree.extend(piece)
        leaves += piece
    assert (tree.size, tree.frontier()) == (len(leaves), Frontier().extend(leaves))
    size = data.draw(st.integers(0, len(leaves)))
    assert tree.root(size) == mth(leaves[:size])
    for seq in range(size):
        assert tree.inclusion_proof(seq, size) == tuple(path(seq, leaves[:size]))
        assert tree.consistency_proof(seq + 1, size) == tuple(
            subproof(seq + 1, leaves[:size], True)
        )


def test_a_tree_hashes_each_of_its_nodes_once_and_for_a_proof_no_more_than_its_height(
    hashed: list[bytes],
) -> None:
    tree = Tree()
    for size in range(1, 1024):
        tree.extend(LEAVES[:1])
        assert len(hashed) == size - size.bit_count()
    for work in (
        lambda: tree.root(1023),
        lambda: tree.inclusion_proof(0, 1023),
        lambda: tree.inclusion_proof(1000, 1023),
        lambda: tree.consistency_proof(511, 1023),
    ):
        hashed.clear()
        work()
        assert len(hashed) < 10


def test_a_leaf_of_another_length_adds_nothing_to_a_tree() -> None:
    tree = Tree(LEAVES[:3])
    with pytest.raises(Damaged):
        tree.extend([LEAVES[3], b"short"])
    tree.extend(LEAVES[3:4])
    assert tree.root(4) == ROOTS[4]
    for size in (-1, 5):
        with pytest.raises(Refused) as refusal:
            tree.root(size)
        assert refusal.value.allowed == ("0 to 4",)


def refused(check: Callable[..., None], *claim: object) -> bool:
    try:
        check(*claim)
    except Damaged:
        return True
    return False


def mutations(proof: tuple[bytes, ...]) -> list[tuple[bytes, ...]]:
    """The proof with one hash changed, cut, left out, doubled or swapped, or one too many."""
    flipped = [
        (*proof[:n], bytes([proof[n][0] ^ 1]) + proof[n][1:], *proof[n + 1 :])
        for n in range(len(proof))
    ]
    short = [(*proof[:n], proof[n][:-1], *proof[n + 1 :]) for n in range(len(proof))]
    dropped = [proof[:n] + proof[n + 1 :] for n in range(len(proof))]
    swapped = [(*proof[:n], proof[n + 1], proof[n], *proof[n + 2 :]) for n in range(len(proof) - 1)]
    return [*flipped, *short, *dropped, *swapped, (*proof, LEAVES[0]), (LEAVES[0], *proof)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 13, 33])
def test_an_inclusion_proof_that_was_touched_is_refused(size: int) -> None:
    for seq in range(size):
        proof = inclusion_proof(LEAVES, seq, size)
        for bad in mutations(proof):
            assert refused(verify_inclusion, LEAVES[seq], seq, size, bad, ROOTS[size])
        assert refused(verify_inclusion, LEAVES[seq + 1], seq, size, proof, ROOTS[size])
        assert refused(verify_inclusion, LEAVES[seq], seq, size, proof, ROOTS[size + 1])
        assert refused(verify_inclusion, b"short", seq, size, proof, ROOTS[size])
        for other in range(size):
            holds = not refused(verify_inclusion, LEAVES[seq], other, size, proof, ROOTS[size])
            assert holds == (other == seq)


@pytest.mark.parametrize("new", [1, 2, 3, 7, 8, 9, 13, 33])
def test_a_consistency_proof_that_was_touched_is_refused(new: int) -> None:
    for old in range(new + 1):
        proof = consistency_proof(LEAVES, old, new)
        for bad in mutations(proof):
            assert refused(verify_consistency, old, ROOTS[old], new, ROOTS[new], bad)
        assert refused(verify_consistency, old, LEAVES[9], new, ROOTS[new], proof)
        assert refused(verify_consistency, old, ROOTS[old], new, LEAVES[9], proof) == (old > 0)


@pytest.mark.parametrize(
    ("check", "claim"),
    [
        (verify_inclusion, (LEAVES[0], 0, 0, (), EMPTY_ROOT)),
        (verify_inclusion, (LEAVES[0], 5, 5, (), ROOTS[5])),
        (verify_inclusion, (LEAVES[0], -1, 1, (), ROOTS[1])),
        (verify_inclusion, (LEAVES[0], 1, 1, (), ROOTS[1])),
        (verify_inclusion, (LEAVES[0], 2, 1, (), ROOTS[1])),
        (verify_consistency, (3, ROOTS[3], 2, ROOTS[2], ())),
        (verify_consistency, (-1, EMPTY_ROOT, 2, ROOTS[2], ())),
        (verify_consistency, (0, ROOTS[1], 2, ROOTS[2], ())),
        (verify_consistency, (0, EMPTY_ROOT, 0, ROOTS[1], ())),
        (verify_consistency, (2, ROOTS[2], 2, ROOTS[3], ())),
        (verify_consistency, (3, ROOTS[3], 5, ROOTS[5], ())),
        (verify_consistency, (2, b"short", 3, ROOTS[3], (LEAVES[2],))),
    ],
)
def test_a_claim_that_cannot_be_true_is_refused(
    check: Callable[..., None], claim: tuple[object, ...]
) -> None:
    assert refused(check, *claim)


# A root that was made to fit: whoever knows no better tree than the claimed one could be shown it.
X = sha256(b"x").digest()


def test_a_proof_longer_than_the_tree_is_high_is_refused_though_the_roots_fit_it() -> None:
    assert refused(verify_inclusion, LEAVES[0], 0, 1, (X,), node_of(X, LEAVES[0]))
    proof = (*consistency_proof(LEAVES, 3, 5), X)
    roots = [node_of(X, ROOTS[3]), node_of(X, ROOTS[5])]
    assert refused(verify_consistency, 3, roots[0], 5, roots[1], proof)


def test_a_proof_shorter_than_the_tree_is_high_is_refused_though_the_roots_fit_it() -> None:
    assert refused(verify_inclusion, LEAVES[0], 0, 4, (LEAVES[1],), ROOTS[2])
    proof = consistency_proof(LEAVES, 2, 4)
    assert refused(verify_consistency, 2, ROOTS[2], 8, ROOTS[4], proof)


def test_a_root_of_another_length_is_refused_though_the_other_root_fits_it() -> None:
    short = X[:31]
    assert refused(verify_consistency, 2, short, 3, node_of(short, X), (X,))


@pytest.mark.parametrize(
    ("prove", "one", "two"),
    [
        (inclusion_proof, -1, 5),
        (inclusion_proof, 5, 5),
        (inclusion_proof, 0, 0),
        (inclusion_proof, 0, 71),
        (inclusion_proof, 0, -1),
        (consistency_proof, -1, 5),
        (consistency_proof, 6, 5),
        (consistency_proof, 6, 71),
        (consistency_proof, 0, -1),
    ],
)
def test_no_proof_is_made_for_numbers_outside_the_log(
    prove: Callable[[Sequence[bytes], int, int], object], one: int, two: int
) -> None:
    with pytest.raises(Refused) as refusal:
        prove(LEAVES, one, two)
    assert refusal.value.code == "out-of-range"
    assert refusal.value.allowed


def test_the_empty_log_has_nothing_to_prove() -> None:
    assert consistency_proof([], 0, 0) == ()
    with pytest.raises(Refused, match="without leaves"):
        inclusion_proof([], 0, 0)


@pytest.mark.parametrize("leaf", [b"", bytes(31), bytes(33), bytes(64)])
def test_a_leaf_of_another_length_is_refused(leaf: bytes) -> None:
    with pytest.raises(Damaged, match="32"):
        Frontier().append(leaf)


@pytest.mark.parametrize(
    ("size", "peaks"),
    [(1, ()), (3, (bytes(32),)), (-1, ()), (-1, (bytes(32),)), (0, (b"",))],
)
def test_a_frontier_whose_peaks_do_not_fit_its_size_is_refused(
    size: int, peaks: tuple[bytes, ...]
) -> None:
    with pytest.raises(Damaged, match="peaks"):
        Frontier(size, peaks)


# --- one proof for many leaves --------------------------------------------------------------------


def around(seqs: Sequence[int], leaves: Sequence[bytes], at: int = 0) -> list[bytes]:
    """The hashes of all that is not one of these leaves, as docs/bundle.md says."""
    if not any(at <= seq < at + len(leaves) for seq in seqs):
        return [mth(leaves)]
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    return [*around(seqs, leaves[:k], at), *around(seqs, leaves[k:], at + k)]


def proved(mine: Mapping[int, bytes], size: int, proof: Sequence[bytes]) -> bytes | None:
    """The root that urimcheck makes of these leaves and a multiproof; None for none."""
    return urimcheck.Tree(mine, [node.hex() for node in proof]).root(size)


some = st.sets(st.integers(0, 39)).map(sorted)


@given(st.integers(1, 40), some)
def test_a_multiproof_is_every_subtree_without_its_leaves(size: int, seqs: list[int]) -> None:
    seqs = [seq for seq in seqs if seq < size]
    proof = Tree(LEAVES).multiproof(seqs, size)
    assert list(proof) == around(seqs, LEAVES[:size])
    mine = {seq: LEAVES[seq] for seq in seqs}
    assert proved(mine, size, proof) == mth(LEAVES[:size])


@given(st.integers(1, 40), some, st.data())
def test_a_multiproof_proves_no_other_leaf_and_no_other_place(
    size: int, seqs: list[int], data: st.DataObject
) -> None:
    seqs = [seq for seq in seqs if seq < size] or [0]
    proof, root = Tree(LEAVES).multiproof(seqs, size), mth(LEAVES[:size])
    mine = {seq: LEAVES[seq] for seq in seqs}
    turned = {**mine, data.draw(st.sampled_from(seqs)): LEAVES[50]}
    assert proved(turned, size, proof) != root
    for wrong in ([*proof, LEAVES[0]], proof[:-1] if proof else [LEAVES[0]]):
        assert proved(mine, size, wrong) is None


def test_a_multiproof_of_what_is_not_there_is_refused() -> None:
    tree = Tree(LEAVES[:4])
    for seqs, size in (((4,), 4), ((-1,), 4), ((0,), 5), ((), 0), ((2,), 2)):
        with pytest.raises(Refused) as caught:
            tree.multiproof(seqs, size)
        assert caught.value.code == "out-of-range"


def test_a_multiproof_of_a_tree_as_large_as_can_be_costs_its_height() -> None:
    size = 2**53 - 1
    nodes = [LEAVES[n % 40] for n in range(53)]
    for seq in (0, size - 1):
        counts = [at for at in range(54) if proved({seq: LEAVES[0]}, size, nodes[:at])]
        assert len(counts) == 1
