"""The root over any number of a log's first entries is known, however long the log is."""

from hashlib import sha256

import pytest

from urim.engine.audit.cache import PrivateFile
from urim.engine.audit.proof.roots import BLOCK, Roots
from urim.events.merkle import root_of

LEAVES = [sha256(str(n).encode()).digest() for n in range(3 * BLOCK + 5)]
SIZES = (0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 1, 3 * BLOCK, len(LEAVES))


@pytest.mark.parametrize("few", [1, 2, 16])
def test_every_root_is_that_of_the_tree(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urim.engine.audit.proof.roots.IN_MEMORY", few)
    with PrivateFile() as file:
        roots = Roots(file)
        for leaf in LEAVES:
            roots.append(leaf)
        assert roots.size == len(LEAVES)
        for size in SIZES:
            assert roots.root(size) == root_of(LEAVES[:size]), size


@pytest.mark.parametrize("size", [-1, 4])
def test_there_is_no_root_of_what_is_not_there(size: int) -> None:
    with PrivateFile() as file:
        roots = Roots(file)
        for leaf in LEAVES[:3]:
            roots.append(leaf)
        assert roots.root(size) is None
