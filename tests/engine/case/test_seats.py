"""The page of a seat holds nothing that the seat may not see.

Two tables that it cannot tell apart make the same page, but for random digests.
"""

from collections.abc import Callable

import pytest

from tests.cases import NOW
from tests.engine.helpers.bundles import PRIVATE
from tests.engine.helpers.tables.trials import TRIALS
from tests.pairs.compare import KEY, SIGNED, answer, masked, onlookers
from tests.pairs.play import TABLE, Pair
from urim.engine.bundle.write import bundle_of
from urim.engine.case.gather import case_of
from urim.engine.case.page import page
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import Checkpoint, sign

STEPS = 40


def whole(table: Aggregate) -> bytes:
    """The table's bundle with all that a narrator may see."""
    root = table.frontier.root()
    note = sign(Checkpoint(f"urim.local/t/{TABLE}", len(table.entries), root), PRIVATE)
    return b"".join(bundle_of(table, NARRATOR, note, [KEY]))


def shown(content: bytes, seat: str, number: int) -> str:
    """The page that a seat is given, or how it is refused, digests masked."""
    found = answer(lambda: page(case_of(content, number, seat, now=NOW)))
    return SIGNED.sub("#", masked(found))


@pytest.mark.sampled(1)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_nobody_can_tell_two_tables_apart_by_a_case(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays a pair for every twenty-five that the count asks for."""
    compared = pages = 0
    for at in range(-(-count // 25)):
        pair = Pair(system, f"case-{seed}-{system}-{at}")
        for _ in range(STEPS):
            pair.step()
        one, other = map(whole, pair.tables)
        here = [seat for seat in onlookers(pair) if seat in pair.states[0].seats]
        for seat in [each for each in here if pair.states[0].seats[each].here][:2]:
            for number in range(1, pair.states[0].next_roll + 1):
                left, right = shown(one, seat, number), shown(other, seat, number)
                assert left == right
                compared += 1
                pages += "<main>" in left
    assert compared
    tried(f"{compared:,} rolls compared, {pages:,} of them with a page")
