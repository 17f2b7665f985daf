"""A table that is kept in rows is the table in memory, wherever it is cut and taken up again."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cheats.trials import TRIALS
from tests.engine.helpers.snapshots import Cut, differences
from tests.pairs.play import Pair

STEPS = 60


@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_opening_through_a_snapshot_is_the_full_fold(
    system: str, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A table for every twelve that the count asks for, and for each of a large one."""
    seen: Counter[str] = Counter()
    tables = count if count >= 300 else -(-count // 12)
    for number in range(tables):
        name = f"snapshot-{seed}-{number}"
        pair = Pair(system, name)
        for _ in range(STEPS):
            pair.step()
        cut = Cut(tmp_path / f"{number}", name, pair.dice)
        for at, ((seat, _), (asked, _)) in enumerate(pair.requests):
            cut.ask(seat, asked, f"r{at}")
        cut.cut()
        found = differences(pair.tables[0], cut.aggregate)
        assert not found, "\n".join([*found[:5]])
        seen.update({"tables": 1, "entries": len(cut.aggregate.entries), **cut.done})
    tried(", ".join(f"{number:,} {what}" for what, number in seen.items()))
