"""Every moment at which a character's tracks may have changed, with the tracks before it.

A moment is an entry that may cost or give somebody something. Each character has its own, in log
order, and that is the order in which they count: what replaces an outcome or damage counts at the
moment of the first, what a hidden roll spent at the moment of its reveal. So a moment is only ever
added at the end, what an old roll did is looked up, and a void costs the moments that come after
it, of those whom it concerns, and no others.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ..events import roll as rolled
from ..events import table as tabled
from ..events.base import Effect
from ..events.codec import RecordedEvent
from ..rules.ruleset import Sheet
from .lines import Lines
from .numbered import Numbered
from .rollstate import Game, RollState
from .tracks import (
    Ratings,
    TrackChange,
    Tracks,
    counting,
    effects_of,
    marked,
    place,
    since,
    track_change,
)

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


class Timeline(Lines[Moment], frozen=True):
    """The moments of all characters."""

    def before(self, who: str, seq: int, now: Own) -> Own:
        """A character's tracks before entry `seq`; `now` are those after its last moment."""
        number = self.first_from(who, seq)
        return self.at(who, number).before if number < self.count(who) else now

    def with_before(self, who: str, number: int, before: Own) -> "Timeline":
        """The timeline in which a character's moment has other tracks before it."""
        moment = replace(self.at(who, number), before=before)
        return replace(self, held=self.held.set(self.lines[who][0] + number, moment))

    def moments(self, first: int, last: int) -> list[Moment]:
        """The moments of all from entry `first` to entry `last` in order, each entry once."""
        every = (moment for who in self.lines for moment in self.between(who, first, last))
        return sorted({moment.seq: moment for moment in every}.values(), key=lambda each: each.seq)


# --- what counts at a moment ----------------------------------------------------------------------


def may_mark(entry: RecordedEvent) -> bool:
    """Whether an entry of a roll may cost or give something, perhaps once it is amended."""
    event = entry.event
    settles = isinstance(event, (rolled.RollResolved, rolled.DamageApplied))
    return settles or bool(getattr(event, "effects", ()))


def whom(game: Game, roll: RollState) -> frozenset[str]:
    """The characters whose tracks a roll may change."""
    known = {roll.roll.character, *game.ruleset.involves(roll.roll.declaration)}
    known |= {who for who, _ in roll.roll.reactions}
    for entry in roll.trail:
        known |= {effect.character for effect in getattr(entry.event, "effects", ())}
    return frozenset(known)


def counting_at(roll: RollState | None, seq: int) -> list[RecordedEvent]:
    """The entries of a roll that count at the moment of entry `seq`, in their order."""
    if roll is None or roll.hidden:
        return []
    found = (entry for entry in counting(roll) if since(roll, entry) == seq)
    return sorted(found, key=lambda entry: place(roll, entry))


def changes_at(
    game: Game, ratings: Ratings, rolls: Numbered[RollState], moment: Moment, tracks: Tracks
) -> Iterator[TrackChange]:
    """What counts at one moment, in its order; `tracks` are everybody's before it."""
    if moment.sheet is not None:
        yield track_change(game, ratings, tracks, moment.sheet, None)
    roll = None if moment.roll is None else rolls.get(moment.roll)
    for entry in counting_at(roll, moment.seq):
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
    for change in changes_at(game, ratings, rolls, Moment(entry.seq, Map(), number, sheet), tracks):
        tracks = change.after
    return timeline, tracks


# --- corrected ------------------------------------------------------------------------------------


class Then(dict[str, Own]):
    """Characters' tracks at one moment: those given, and for all others what the timeline says."""

    def __init__(self, known: dict[str, Own], timeline: Timeline, seq: int, now: Tracks) -> None:
        super().__init__(known)
        self._timeline = timeline
        self._seq = seq
        self._now = now

    def __missing__(self, who: str) -> Own:
        found = self._timeline.before(who, self._seq, self._now[who])
        self[who] = found
        return found


class Correction:
    """The tracks of everybody, recomputed from where a roll counts otherwise than before.

    `changed` are the tracks of those who differ, as they are before their next moment; that moment
    waits in `ahead`, the earliest first.
    """

    def __init__(
        self, game: Game, ratings: Ratings, rolls: Numbered[RollState], timeline: Timeline
    ) -> None:
        self.timeline = timeline
        self.changed: dict[str, Own] = {}
        self._game = game
        self._ratings = ratings
        self._rolls = rolls
        self._numbers: dict[str, int] = {}
        self._ahead: list[tuple[int, str]] = []

    def begin(self, who: str, seq: int, own: Own) -> None:
        """From entry `seq` on a character's tracks are these."""
        self.changed[who] = own
        self._go_to(who, self.timeline.first_from(who, seq))

    def _go_to(self, who: str, number: int) -> None:
        self._numbers[who] = number
        if number < self.timeline.count(who):
            heappush(self._ahead, (self.timeline.at(who, number).seq, who))

    def run(self, last: int, now: Tracks) -> Tracks:
        """Everybody's tracks at the end; they were `now`, and the roll's last moment is `last`.

        Behind that a character whose tracks are what they were has been recomputed.
        """
        while self._ahead:
            seq, here = self._ahead[0][0], list[str]()
            while self._ahead and self._ahead[0][0] == seq:
                here.append(heappop(self._ahead)[1])
            left = [who for who in here if self._differs(who, always=seq <= last)]
            if left:
                self._pass(seq, left, now)
        return now.update(self.changed)

    def _differs(self, who: str, *, always: bool) -> bool:
        """Whether a character has to be recomputed on; its moment is brought up to date."""
        number, own = self._numbers[who], self.changed[who]
        if self.timeline.at(who, number).before != own:
            self.timeline = self.timeline.with_before(who, number, own)
        elif not always:
            del self.changed[who]
            return False
        return True

    def _pass(self, seq: int, here: list[str], now: Tracks) -> None:
        """Take those who are at entry `seq` past it, and those who differ since then with them."""
        then = Then(self.changed, self.timeline, seq, now)
        moment = self.timeline.at(here[0], self._numbers[here[0]])
        touched = self._applied(moment, then)
        for who in here:
            self.changed[who] = then[who]
            self._go_to(who, self._numbers[who] + 1)
        for who in touched - self.changed.keys():
            if then[who] != self.timeline.before(who, seq + 1, now[who]):
                self.begin(who, seq + 1, then[who])

    def _applied(self, moment: Moment, then: Then) -> set[str]:
        """What counts at a moment, done to those who are there; whom it did something to."""
        event = moment.sheet.event if moment.sheet else None
        if isinstance(event, tabled.TrackSet):
            then[event.character] = then[event.character].set(event.track, event.value)
        touched = set[str]()
        roll = None if moment.roll is None else self._rolls.get(moment.roll)
        if roll is None:
            return touched
        for entry in counting_at(roll, moment.seq):
            for effect in self._effects(entry, roll, then):
                then[effect.character] = marked(self._game, then[effect.character], effect)
                touched.add(effect.character)
        return touched

    def _effects(self, entry: RecordedEvent, roll: RollState, then: Then) -> tuple[Effect, ...]:
        def sheets(who: str) -> Sheet:
            return Sheet(who, self._ratings(who, where), then[who])

        where = place(roll, entry)
        return effects_of(self._game, entry, roll, sheets)[0]


def corrected(
    game: Game,
    ratings: Ratings,
    rolls: Numbered[RollState],
    timeline: Timeline,
    roll: RollState,
    now: Tracks,
) -> tuple[Timeline, Tracks]:
    """The timeline and the tracks once `roll`, one of these, counts otherwise than before."""
    own = [since(roll, entry) for entry in roll.trail if may_mark(entry)]
    if not own:
        return timeline, now
    correction = Correction(game, ratings, rolls, timeline)
    for who in whom(game, roll):
        if who in now:
            correction.begin(who, min(own), timeline.before(who, min(own), now[who]))
    tracks = correction.run(max(own), now)
    return correction.timeline, tracks
