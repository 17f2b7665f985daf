"""Laws of tables at level `table`, on evenings that nobody wrote: hidden rolls, breaks, epochs."""

from collections import Counter

import pytest
from msgspec.structs import replace

from tests.engine.core.test_every_command import differing_again
from tests.engine.helpers.tables.evening import Evening
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import AnyThrow
from urim.engine.core.fitting import fitting
from urim.engine.core.guards import visible_offers
from urim.engine.core.moves import awaited, awaiting, legal_moves
from urim.engine.core.sight import sight
from urim.engine.core.view import view_of
from urim.engine.core.visibility import outstanding_for
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.table import ShareAnchored

TABLES = 4
"""Evenings of each system."""

EVERY = 12
"""Commits between two looks at what every seat has."""


class Blind(Evening):
    """An evening in which blind rolls are thrown on by who sees no dice."""

    def with_shares(self, seat: str, throw: AnyThrow) -> None:
        """Ask for the shares of a throw, hidden or not, where its seat may know of it."""
        roll = self.state.rolls[throw.roll]
        try:
            fitting(visible_offers(self.state, seat, roll), throw, roll)
        except Refused:
            self._reveal(throw.roll)
        super().with_shares(seat, throw)

    def _has_dice(self, number: int) -> bool:
        return False  # so nothing is revealed beside that

    def send(self, seat: str, command: c.Asking) -> None:
        """An ask names the commitment that its seat sees."""
        if isinstance(command, c.Ask):
            seen = outstanding_for(self.state, seat, self.state.rolls[command.roll])
            assert seen is not None
            command = replace(command, committed=seen.seq)
        super().send(seat, command)


def equal_for_every_seat(table: Evening) -> None:
    """What each seat folds of what it has is what the host shows it, asks and chains too."""
    state = table.state
    for seat in sorted(state.seats):
        own = Aggregate(table.aggregate.environment)
        own.load(table.aggregate.view(seat))
        assert own.opened == view_of(state, seat), seat
        assert own.opened.ask == state.ask
        assert own.opened.kept_back == state.kept_back
        assert own.opened.seats == state.seats
        if state.seats[seat].here:
            for question in (sight, legal_moves, awaiting, awaited):
                assert question(own.opened, seat) == question(state, seat), question.__name__


@pytest.mark.sampled(0, rest=2)
@pytest.mark.parametrize("system", TRIALS)
def test_an_evening_of_shares_is_replayed_decided_again_and_seen_alike(system: str) -> None:
    found = Counter[type]()
    for number in range(TABLES):
        table = played(system, number)
        entries = tuple(table.aggregate.entries)
        again = Aggregate(table.aggregate.environment)
        again.load(entries)
        assert again.opened == table.state
        if all(entry.payload is not None for entry in entries):  # nothing was erased
            assert differing_again(entries) == []
        found.update(type(record.event) for record in table.aggregate.records if record)
    assert found[rolled.ThrowAsked] == found[rolled.ThrowPlanned]
    assert found[rolled.ShareOpened] > found[rolled.ThrowAsked] > found[rolled.ThrowBroken] > 0
    assert found[ShareAnchored] > 0


def played(system: str, number: int) -> Evening:
    """An evening of that system, at which every seat was looked at now and then."""
    trial = TRIALS[system]
    options = dict(trial.options[number % len(trial.options)])
    table = Blind(trial, f"shares {system} {number}", options, dice="fair", level="table")
    looked = 0
    for _ in table.play():
        if table.state.size - looked >= EVERY:
            looked = table.state.size
            equal_for_every_seat(table)
    equal_for_every_seat(table)
    return table
