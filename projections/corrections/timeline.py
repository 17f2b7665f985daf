"""Every moment at which a character's tracks may have changed, with the tracks before it.

A moment is an entry that may cost or give somebody something. Each character has its own, in log
order, and that is the order in which they count: what replaces an outcome or damage counts at the
moment of the first, what a hidden roll spent at the moment of its reveal. So a moment is only ever
added at the end, what an old roll did is looked up, and a void costs the moments that come after
it, of those whom it concerns, and no others.
"""

from collections.abc import Iterator
from typing import Any

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ...events import roll as rolled
from ...events.codec import RecordedEvent
from ..numbered import Numbered
from ..rollstate import Game, RollState
from ..tracks import (
    Ratings,
    TrackChange,
    Tracks,
    effective,
    place,
    since,
    track_change,
)
from .postings import Postings

Own = Map[str, int]
"""One character's tracks."""


class Moment(Struct, frozen=True, gc=False):
    """Entry `seq`, at which a character's tracks may change; `before` are they, as they count now.

    It is one of roll `roll`, or for `roll` None one that sets the sheet: `sheet` is that entry.
    """

    seq: int
    before: Own
    roll: int | None = None
    sheet: RecordedEvent | None = None


class Timeline(Postings[Moment], frozen=True):
    """The moments of all characters."""

    def before(self, who: str, seq: int, now: Own) -> Own:
        """A character's tracks before entry `seq`; `now` are those after its last moment."""
        number = self.first_from(who, seq)
        return self.at(who, number).before if number < self.count(who) else now

    def with_before(self, who: str, number: int, before: Own) -> "Timeline":
        """The timeline in which a character's moment has other tracks before it."""
        moment = replace(self.at(who, number), before=before)
        return replace(self, held=self.held.set(self.lists[who][0] + number, moment))

    def moments(self, first: int, last: int) -> list[Moment]:
        """The moments of all from entry `first` to entry `last` in order, each entry once."""
        every = (moment for who in self.lists for moment in self.between(who, first, last))
        return sorted({moment.seq: moment for moment in every}.values(), key=lambda each: each.seq)


# --- what counts at a moment ----------------------------------------------------------------------


def may_mark(entry: RecordedEvent) -> bool:
    """Whether an entry of a roll may cost or give something, perhaps once it is amended."""
    event = entry.event
    settles = isinstance(event, (rolled.RollResolved, rolled.DamageApplied))
    return settles or bool(getattr(event, "effects", ()))


def _costs(event: Any) -> bool:
    """Whether something counts at the moment of an event: not of an outcome that costs nothing."""
    return not isinstance(event, rolled.RollResolved) or bool(event.effects)


def whom(game: Game, roll: RollState) -> frozenset[str]:
    """The characters whose tracks a roll may change."""
    known = {roll.roll.character, *game.ruleset.involves(roll.roll.declaration)}
    known |= {who for who, _ in roll.roll.reactions}
    for entry in roll.trail:
        known |= {effect.character for effect in getattr(entry.event, "effects", ())}
    return frozenset(known)


def effective_at(roll: RollState | None, seq: int) -> list[RecordedEvent]:
    """The entries of a roll that count at the moment of entry `seq`, in their order."""
    if roll is None or roll.hidden:
        return []
    found = (entry for entry in effective(roll) if since(roll, entry) == seq)
    return sorted(found, key=lambda entry: place(roll, entry))


def changes_at(
    game: Game, ratings: Ratings, rolls: Numbered[RollState], moment: Moment, tracks: Tracks
) -> Iterator[TrackChange]:
    """What counts at one moment, in its order; `tracks` are everybody's before it."""
    if moment.sheet is not None:
        yield track_change(game, ratings, tracks, moment.sheet, None)
    roll = None if moment.roll is None else rolls.get(moment.roll)
    for entry in effective_at(roll, moment.seq):
        change = track_change(game, ratings, tracks, entry, roll)
        yield change
        tracks = change.after


def moved(
    game: Game,
    ratings: Ratings,
    rolls: Numbered[RollState],
    timeline: Timeline,
    tracks: Tracks,
    entry: RecordedEvent,
    roll: RollState | None,
) -> tuple[Timeline, Tracks]:
    """The timeline and the tracks after one more moment: of `roll`, or of a sheet where it is None.

    What sets a sheet names its `character`; a roll moves those whom it may concern.
    """
    number, sheet = (None, entry) if roll is None else (roll.number, None)
    event: Any = entry.event
    for who in (event.character,) if roll is None else whom(game, roll):
        before = tracks.get(who)
        if before is not None or roll is None:
            own = Map() if before is None else before
            timeline = timeline.added(who, Moment(entry.seq, own, number, sheet))
    if roll is not None and roll.revealed_at is None and not _costs(event):
        return timeline, tracks
    for change in changes_at(game, ratings, rolls, Moment(entry.seq, Map(), number, sheet), tracks):
        tracks = change.after
    return timeline, tracks
