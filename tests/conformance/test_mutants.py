"""Both verifiers say the same of spoiled bundles, and take none for what it is not."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from tests.conformance import suite
from tests.conformance.both import by_node, by_python, unlike
from tests.conformance.mutants import SPOILS, meaning, mutant, tells_no_other
from tests.conformance.suite import Case
from tests.engine.helpers.nodejs import NODE

GOODS = (
    *("twin/seed-changed-after-the-nonce", "twin/a-share-dropped-from-t"),
    *("twin/best-of-all-typed-in", "twin/void-without-revealing"),
    *("twin/hidden-roll-revealed-as-another-value", "twin/an-open-entry-withheld"),
    *("twin/a-throw-erased-as-if-it-were-a-note", "twin/damage-applied-twice"),
    *("twin/adjustment-by-the-side-that-had-none", "honest/one-roll", "honest/one-hidden-roll"),
    *("honest/a-night-with-keys", "honest/a-night-with-keys-for-everybody"),
    *("honest/one-roll-of-a-night-with-keys", "honest/one-machine"),
)
"""What is spoiled: epochs, level table, typed dice, voids, hidden rolls, an erased name, an
amendment, three systems, keys of seats, files of one roll, one machine."""

SHARDS = 4
"""Parts of the mutants, so that several processes can share them."""

EACH = 4
"""Mutants for every one that the count asks for."""

MOST = 20_000
"""Mutants that are enough, all shards together."""

ENOUGH = 1_000
"""Mutants among which each exit code comes."""

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="there is no Node here")


def test_another_meaning_is_told_apart() -> None:
    first, *rest = (meaning(suite.cases()[name].bundle) for name in GOODS)
    assert tells_no_other(first, first)
    assert not any(tells_no_other(other, first) for other in rest)


@pytest.mark.sampled(1)
@pytest.mark.prove
@pytest.mark.parametrize("shard", range(SHARDS))
def test_both_verifiers_say_the_same_of_a_mutant(
    shard: int, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Tries EACH times the count, at most MOST, of them its share."""
    chance = Random(f"urim mutants {seed} {shard}")  # noqa: S311 - mutants are no secret
    goods = [suite.cases()[name] for name in GOODS]
    bundles = [good.bundle for good in goods]
    meanings = [meaning(bundle) for bundle in bundles]
    share = min(count * EACH, MOST) // SHARDS
    mutants = [mutant(chance, bundles) for _ in range(share)]
    cases = [Case(spoiled, goods[of].key) for of, _, spoiled in mutants]
    mine = [*map(by_python, cases)]
    assert [mutants[at][:2] for at in unlike(mine, by_node(cases))] == []
    for said, (of, how, spoiled) in zip(mine, mutants, strict=True):
        right = said["exit"] in (1, 2) or tells_no_other(meaning(spoiled), meanings[of])
        assert right, f"a mutant of {GOODS[of]} ({how}) says something else"
    exits = Counter(said["exit"] for said in mine)
    codes = ", ".join(f"{code}: {times:,}" for code, times in sorted(exits.items()))
    tried(f"{share:,} mutants; exit codes {codes}")
    if share >= ENOUGH:
        assert {how for _, how, _ in mutants} == set(SPOILS)
        assert {0, 1, 2} <= exits.keys()
