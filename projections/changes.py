"""The changes of a table's tracks, all of them or those of chosen entries, as they count now."""

from collections.abc import Iterable, Iterator

from immutables import Map

from ..events import roll as rolled
from ..events.codec import RecordedEvent
from .rollstate import RollState
from .tables import TableState
from .timeline import Moment, changes_at, may_mark
from .tracks import DECLARING, TrackChange, Tracks, counting, since


def every_change(state: TableState) -> Iterator[TrackChange]:
    """Every change of a track, in the order in which they count."""
    yield from changes_between(state, 0, state.size)


def changes_between(state: TableState, first: int, last: int) -> Iterator[TrackChange]:
    """The changes that count from entry `first` to entry `last`, in their order."""
    tracks = state.tracks_before(first)
    for moment in state.timeline.moments(first, last):
        for change in _at(state, moment, tracks):
            yield change
            tracks = change.after


def changes_of(state: TableState, entries: Iterable[RecordedEvent]) -> tuple[TrackChange, ...]:
    """The changes that these entries of rolls make, in the order in which they count.

    An entry makes none where it costs, gains and settles nothing, where its roll was voided or is
    hidden, or where a later one of its roll took its place. What only took something from a sheet
    is a change where that sheet was corrected since.
    """
    last = state.corrections.last
    found = list[TrackChange]()
    for entry in entries:
        number = getattr(entry.event, "roll", None)
        roll = None if number is None else state.rolls.get(number)
        if roll is not None and not roll.hidden and _may_change(entry, last):
            found += _of(state, roll, entry)
    return tuple(sorted(found, key=lambda change: (change.since, change.place)))


def _may_change(entry: RecordedEvent, corrected: int) -> bool:
    """Whether it costs or gives, or took something from a sheet that was corrected since."""
    took = isinstance(entry.event, (*DECLARING, rolled.ReactionDeclared))
    return may_mark(entry) or (took and entry.seq < corrected)


def _of(state: TableState, roll: RollState, entry: RecordedEvent) -> Iterator[TrackChange]:
    """The change that one entry makes, if it counts."""
    if entry.seq in {each.seq for each in counting(roll)}:
        seq = since(roll, entry)
        moment, tracks = Moment(seq, Map(), roll.number), state.tracks_before(seq)
        yield from (each for each in _at(state, moment, tracks) if each.seq == entry.seq)


def _at(state: TableState, moment: Moment, tracks: Tracks) -> Iterator[TrackChange]:
    return changes_at(state.game, state.ratings, state.rolls, moment, tracks)
