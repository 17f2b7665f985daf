"""What a seat was sent of a table, folded and checked, is the table that the host shows it."""

from itertools import groupby
from pathlib import Path

import pytest

from tests import plays
from urim.engine.core.view import view_of
from urim.engine.seat.heads import Tree
from urim.engine.seat.kept import Kept
from urim.events.line import entry_line


@pytest.mark.sampled(20, rest=20)
@pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
def test_every_play_is_taken_by_every_seat(path: Path) -> None:
    aggregate = plays.kept_of(path).play.aggregate
    table = aggregate.opened
    for seat in table.seats:
        kept = Kept(table.id, aggregate.environment.rulesets, Tree())
        for _, commit in groupby(aggregate.view(seat), lambda entry: entry.commit):
            lines = [entry_line(entry) for entry in commit]
            kept.take(lines, (), kept.size + len(lines))
        kept.ends(kept.size)
        step = kept.fold()
        assert (step.start, step.stop) == (0, table.size)
        assert kept.state == view_of(table, seat)
