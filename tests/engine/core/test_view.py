"""A seat's own fold of what it may have is the table that the host shows it."""

from pathlib import Path

import pytest

from tests import plays
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.view import view_of
from urim.engine.table import Table
from urim.projections.tables import TableState


def seats_of(table: TableState) -> list[str]:
    """Every seat, one that nobody has, and nobody's."""
    return [*table.seats, "stranger", ""]


def folded(aggregate: Aggregate, seat: str) -> TableState:
    """The table as a seat folds it from its own entries."""
    own = Aggregate(aggregate.environment)
    own.load(aggregate.view(seat))
    return own.opened


@pytest.mark.sampled(15, rest=15)
@pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
def test_a_seats_own_fold_is_its_view(path: Path) -> None:
    aggregate = plays.kept_of(path).play.aggregate
    for seat in seats_of(aggregate.opened):
        assert folded(aggregate, seat) == view_of(aggregate.opened, seat)


@pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
def test_the_view_of_a_view_is_itself(path: Path) -> None:
    table = plays.kept_of(path).play.aggregate.opened
    for seat in seats_of(table):
        view = view_of(table, seat)
        assert view_of(view, seat) is view


def test_a_correction_of_what_a_blind_roll_cost_is_in_the_view_of_its_roller() -> None:
    table = Table("age_of_magic")
    table.seat("p1")
    table.seat("p2")
    ratings = {"Brawling": 6, "ST": 3, "WI": 5, "EN": -1}
    ana = table.character("Ana", attributes=ratings, seat="p1")
    roll = table.declare(
        ana, visibility="blind", skill="Brawling", characteristic="ST", push=True, difficulty=9
    )
    roll.amend("not so hard", difficulty=3)
    roll.roll("first", option=0)
    for seat in seats_of(table.state):
        assert folded(table.aggregate, seat) == view_of(table.state, seat)
    made = {seat: len(view_of(table.state, seat).corrections.made) for seat in ("p1", "p2")}
    assert made == {"p1": 1, "p2": 0}
