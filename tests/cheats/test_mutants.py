"""No spoiled bundle is accepted with another meaning, and none makes the audit fall over."""

from collections import Counter
from collections.abc import Callable
from io import BytesIO
from random import Random

import pytest

from tests.cheats.goods import goods
from tests.cheats.mutants import SPOILS, meaning, mutant, tells_no_other
from urim.engine.audit import audit
from urim.errors import Refused

ENOUGH = 100
"""Mutants among which each way to spoil a bundle comes, and each verdict."""

SHARDS = 8
"""Parts of the mutants, so that several processes can share them."""

EACH = 40
"""Mutants for every one that the count asks for."""

MOST = 200_000
"""Mutants that are enough, all shards together."""


def verdict(bundle: bytes, key: str | None) -> str:
    """What the audit makes of a file: `accepted`, `failed` or `unreadable`. Else it raises.

    A file that says it is of another log than the reader's key is refused for that.
    """
    try:
        report = audit(BytesIO(bundle), key=key)
    except Refused as error:
        if error.code != "unreadable" and "and this file is of" not in error.why:
            raise
        return "unreadable"
    return "failed" if report.failed else "accepted"


def test_the_bundles_to_be_spoiled_are_good() -> None:
    for made in goods():
        assert verdict(made.bundle, made.key) == "accepted"


def test_another_meaning_is_told_apart() -> None:
    good = meaning(goods()[0].bundle)
    assert tells_no_other(good, good)
    for other in goods()[1:]:
        assert not tells_no_other(meaning(other.bundle), good)


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_mutant_is_accepted_with_another_meaning(
    shard: int, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Tries EACH times the count, at most MOST, of them its share."""
    chance = Random(f"urim mutants {seed} {shard}")  # noqa: S311 - mutants are no secret
    bundles = [made.bundle for made in goods()]
    meanings = [meaning(bundle) for bundle in bundles]
    found = Counter[tuple[str, str]]()
    share = min(count * EACH, MOST) // SHARDS
    for number in range(share):
        of, how, spoiled = mutant(chance, bundles)
        try:
            made = verdict(spoiled, goods()[of].key)
        except Exception as error:
            raise AssertionError(f"mutant {number} of bundle {of} ({how}) crashes") from error
        if made == "accepted":
            same = tells_no_other(meaning(spoiled), meanings[of])
            assert same, f"mutant {number} of bundle {of} ({how}) says something else"
        found[how, made] += 1
    accepted = sum(times for (_, made), times in found.items() if made == "accepted")
    tried(f"{share:,} mutants, {accepted:,} accepted with the same meaning")
    if share >= ENOUGH:
        assert {how for how, _ in found} == set(SPOILS)
        assert {made for _, made in found} == {"accepted", "failed", "unreadable"}
