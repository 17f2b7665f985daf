"""The index of open rolls leaves out none in which anybody is waited for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from immutables import Map
from msgspec.structs import replace

from tests import plays
from urim.engine.core.moves import awaited, awaiting
from urim.projections.automaton import LIVE
from urim.projections.rulings import open_disputes
from urim.projections.tables import TableState

FILES = [pytest.param(path, id=plays.name_of(path)) for path in plays.files()]


def states(path: Path) -> Iterator[TableState]:
    """The table after some steps of a scenario, the last among them, with rolls behind it."""
    for played in plays.kept_of(path).play.steps[::-7]:
        if len(played.state.rolls) > 1:
            yield played.state


@pytest.mark.sampled(101)
@pytest.mark.parametrize("path", FILES)
def test_what_waits_is_what_is_found_among_all_rolls(path: Path) -> None:
    for state in states(path):
        every = Map(dict.fromkeys(roll.number for roll in state.rolls.values()))
        whole = replace(state, open=every)
        for seat in [seat.id for seat in state.seats.values() if seat.here]:
            assert awaiting(state, seat) == awaiting(whole, seat)
            assert awaited(state, seat) == awaited(whole, seat)


@pytest.mark.parametrize("path", FILES)
def test_it_holds_what_goes_on_and_nothing_that_is_over(path: Path) -> None:
    for state in states(path):
        rolls = state.rolls.values()
        known = {roll.number for roll in state.open_rolls()}
        assert known == set(state.open)
        waiting = (roll for roll in rolls if roll.state in LIVE or open_disputes(roll))
        assert known >= {roll.number for roll in waiting}
        over = (roll for roll in rolls if roll.state in ("damaged", "voided"))
        assert not known & {
            roll.number for roll in over if not (roll.hidden or open_disputes(roll))
        }
