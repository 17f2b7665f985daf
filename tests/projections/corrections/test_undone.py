"""Health is that of the table in which voided rolls did nothing, and amended ones were right."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.engine.helpers.audited import judged, loud
from tests.engine.helpers.corrected import Corrected, naive_health, product_health
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.core.aggregate import Aggregate
from urim.projections import tables, tracks
from urim.rules.ruleset import no_tracks

SYSTEMS = [name for name, trial in TRIALS.items() if trial.ruleset.tracks is not no_tracks]


def differing(system: str, seed: str, seen: Counter[str]) -> list[str]:
    """The story of the first difference, or nothing; after every step it is looked for."""
    table = Corrected(system, seed)
    for _ in table.steps():
        state, records = table.state, table.aggregate.records
        found, wanted = product_health(state), naive_health(state, records)
        if found != wanted:
            return [f"found {found}", f"wanted {wanted}", *table.story]
    again = Aggregate(table.aggregate.environment)
    again.load(table.aggregate.entries)
    if again.opened.tracks != table.state.tracks:
        return ["a table that is loaded has another health", *table.story]
    seen.update({"tables": 1, "rolls": len(table.state.rolls), **table.deeds})
    return []


@pytest.mark.prove
@pytest.mark.parametrize("system", SYSTEMS)
def test_any_corrections_in_any_order_leave_the_health_of_a_table_without_them(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A table for every ten that the count asks for, and for each of a large one."""
    seen: Counter[str] = Counter()
    tables = count if count >= 300 else -(-count // 10)
    for number in range(tables):
        story = differing(system, f"{seed}-{system}-{number}", seen)
        assert not story, "\n".join(story)
    tried(", ".join(f"{number:,} {what}" for what, number in seen.items()))


@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_an_audit_finds_nothing_wrong_with_any_corrections(
    system: str, count: int, seed: int
) -> None:
    """A table for every twenty that the count asks for."""
    for number in range(1 + count // 20):
        table = Corrected(system, f"audit {seed}-{number}")
        for _ in table.steps():
            pass
        assert loud(judged(table.aggregate.entries)) == [], table.story


# --- a fold that forgets one thing is caught ------------------------------------------------------


def where_the_amendment_stands(patch: pytest.MonkeyPatch) -> None:
    """What an amended roll does counts where the amendment stands, as before."""
    for module in (tracks, tables):
        patch.setattr(module, "place", lambda roll, entry: entry.seq)


def voided_prices(patch: pytest.MonkeyPatch) -> None:
    """A void gives back nothing."""
    reopens = tables.reopens
    patch.setattr(
        tables,
        "reopens",
        lambda roll, entry, where: roll.state != "voided" and reopens(roll, entry, where),
    )


BUILDS = (where_the_amendment_stands, voided_prices)


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_a_fold_that_counts_otherwise_is_caught(
    build: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    build(monkeypatch)
    seen: Counter[str] = Counter()
    assert any(differing(system, f"{n}", seen) for n in range(40) for system in SYSTEMS)
