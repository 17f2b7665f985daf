"""A correction is propagated: tracks are recomputed from where a roll counts otherwise than before.

Only the moments of those who differ are computed again, the earliest first, each once.
"""

from heapq import heappop, heappush

from ...events import table as tabled
from ...events.base import Effect
from ...events.codec import RecordedEvent
from ...rules.ruleset import Sheet
from ..numbered import Numbered
from ..rollstate import Game, RollState
from ..tracks import Ratings, Tracks, effects_of, marked, place, since
from .timeline import Moment, Own, Timeline, effective_at, may_mark, whom


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


class Propagation:
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
        for entry in effective_at(roll, moment.seq):
            for effect in self._effects(entry, roll, then):
                then[effect.character] = marked(self._game, then[effect.character], effect)
                touched.add(effect.character)
        return touched

    def _effects(self, entry: RecordedEvent, roll: RollState, then: Then) -> tuple[Effect, ...]:
        def sheets(who: str) -> Sheet:
            return Sheet(who, self._ratings(who, where), then[who])

        where = place(roll, entry)
        return effects_of(self._game, entry, roll, sheets)[0]


def propagated(
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
    propagation = Propagation(game, ratings, rolls, timeline)
    for who in whom(game, roll):
        if who in now:
            propagation.begin(who, min(own), timeline.before(who, min(own), now[who]))
    tracks = propagation.run(max(own), now)
    return propagation.timeline, tracks
