"""The changes of a table's tracks as they count now: all, those of chosen entries, and in words."""

from collections.abc import Iterable, Iterator

from immutables import Map
from msgspec import Struct

from ...events import roll as rolled
from ...events.codec import RecordedEvent
from ...rules.ruleset import Damage
from ..lexicon import Lexicon
from ..rollstate import RollState
from ..tables import TableState
from ..tracks import DECLARING, TrackChange, Tracks, damages, effective, settles, since
from .timeline import Moment, changes_at, may_mark


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
    if entry.seq in {each.seq for each in effective(roll)}:
        seq = since(roll, entry)
        moment, tracks = Moment(seq, Map(), roll.number), state.tracks_before(seq)
        yield from (each for each in _at(state, moment, tracks) if each.seq == entry.seq)


def _at(state: TableState, moment: Moment, tracks: Tracks) -> Iterator[TrackChange]:
    return changes_at(state.game, state.ratings, state.rolls, moment, tracks)


# --- in words -------------------------------------------------------------------------------------


class Change(Struct, frozen=True):
    """A track of a character, by names, before and after; `most` is its bound, if it has one."""

    who: str
    track: str
    before: int
    after: int
    most: int | None


def changes_now(lexicon: Lexicon, roll: RollState, *, damage: bool) -> tuple[TrackChange, ...]:
    """The changes that the roll's outcome makes now, or its damage; none where it was voided."""
    chosen = damages if damage else settles
    return changes_of(lexicon.state, (each for each in roll.trail if chosen(each.event)))


def now_text(announced: Damage, changes: Iterable[TrackChange]) -> str:
    """That damage counts otherwise than it was announced, where it does."""
    for damage in (each.damage for each in changes if each.damage is not None):
        if (damage.amount, damage.figures) != (announced.amount, announced.figures):
            return "This is what was announced. Another roll was voided or amended; now it counts:"
    return ""


def changes_in_words(lexicon: Lexicon, changes: Iterable[TrackChange]) -> tuple[Change, ...]:
    """The changes in words, in their order."""
    return tuple(change for each in changes for change in _changed(lexicon, each))


def _changed(lexicon: Lexicon, change: TrackChange) -> Iterator[Change]:
    touched = dict.fromkeys((effect.character, effect.track) for effect in change.effects)
    for who, track in touched:
        before = change.before.get(who, Map()).get(track, 0)
        after = change.after.get(who, Map()).get(track, 0)
        bounds = lexicon.state.game.tracks[track]
        most = bounds.most if bounds.least >= 0 else None
        yield Change(lexicon.name(who), lexicon.of("track", track), before, after, most)
