"""Every character's tracks, recomputed in log order, as if voided rolls had never been.

What a hidden roll costs and gains counts from its reveal on, and not before, for everybody.

Prices and gains count as recorded; damage is asked of the ruleset again, for the roll and the
sheets at that point, so that voiding an early blow also changes what later ones met. Each step is
clamped to the track's bounds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from immutables import Map
from msgspec import Struct

from ..events import roll as rolled
from ..events import ruling
from ..events import table as tabled
from ..events.base import Effect
from ..events.codec import RecordedEvent
from ..rules.ruleset import Damage, Sheet, Sheets
from .numbered import Numbered
from .rollstate import Game, RollState

Tracks = Map[str, Map[str, int]]
"""Track values by character, then by track."""

Ratings = Callable[[str, int], Mapping[str, int | float]]
"""A character's attribute ratings by name, as they were before an entry, by its sequence."""

PRICES = (rolled.ReactionDeclared, rolled.DiceRerolled)
"""Events whose effects always count, unless their roll was voided."""


class TrackChange(Struct, frozen=True):
    """One change of tracks: its entry, and the roll it belongs to (None: a narrator's change).

    It counts from entry `since` on: its own, or the one that revealed its roll. `damage` is what
    was derived where damage was applied; `announced` what its entry holds.
    """

    seq: int
    at: int
    roll: int | None
    effects: tuple[Effect, ...]
    before: Tracks
    after: Tracks
    since: int
    damage: Damage | None = None
    announced: Damage | None = None


def counting(roll: RollState) -> Iterator[RecordedEvent]:
    """The entries of a roll whose effects hold: none of a voided one, none amended since."""
    if roll.state == "voided":
        return
    last_declared = _last(roll, lambda event: isinstance(event, DECLARING))
    last_settled = _last(roll, settles)
    for entry in roll.trail:
        event = entry.event
        holds = isinstance(event, rolled.DamageApplied) and entry.seq > last_settled
        latest = entry.seq in (last_declared, last_settled)
        if holds or latest or isinstance(event, PRICES):
            yield entry


DECLARING = (rolled.RollDeclared, ruling.DeclarationReplaced)


def settles(event: object) -> bool:
    """Whether the event announces an outcome, the first or an amended one."""
    if isinstance(event, ruling.RollAmended):
        return event.outcome is not None
    return isinstance(event, rolled.RollResolved)


def _last(roll: RollState, test: Callable[[object], bool]) -> int:
    return max((entry.seq for entry in roll.trail if test(entry.event)), default=-1)


def track_changes(
    game: Game, ratings: Ratings, sheets: Iterable[RecordedEvent], rolls: Numbered[RollState]
) -> Iterator[TrackChange]:
    """Every change of a track, in the order in which they count, with the tracks around it."""
    entries = [(entry.seq, entry.seq, entry) for entry in sheets]
    for roll in rolls.values():
        if not roll.hidden:
            entries += ((roll.counts_from(e.seq), e.seq, e) for e in counting(roll))
    tracks: Tracks = Map()
    for _, _, entry in sorted(entries, key=lambda each: each[:2]):
        event = entry.event
        known = rolls[event.roll] if isinstance(event, rolled.RollEventBase) else None
        change = track_change(game, ratings, tracks, entry, known)
        yield change
        tracks = change.after


def revealed_changes(
    game: Game, ratings: Ratings, tracks: Tracks, roll: RollState
) -> Iterator[TrackChange]:
    """What a roll changes by being revealed: all that it had spent, given the tracks before."""
    for entry in counting(roll):
        if roll.counts_from(entry.seq) == roll.revealed_at:
            change = track_change(game, ratings, tracks, entry, roll)
            yield change
            tracks = change.after


def pending(roll: RollState) -> Iterator[Effect]:
    """What a hidden roll has cost and gained, which counts for nobody but itself yet."""
    for entry in counting(roll) if roll.hidden else ():
        yield from getattr(entry.event, "effects", ())


def track_change(
    game: Game, ratings: Ratings, tracks: Tracks, entry: RecordedEvent, roll: RollState | None
) -> TrackChange:
    """What one entry changes, given the tracks before it."""
    event, seq, at = entry.event, entry.seq, entry.at
    if isinstance(event, tabled.CharacterEntered):
        after = tracks.set(event.character, Map(event.tracks))
        return TrackChange(seq, at, None, (), tracks, after, seq)
    if isinstance(event, tabled.TrackSet):
        own = tracks[event.character].set(event.track, event.value)
        return TrackChange(seq, at, None, (), tracks, tracks.set(event.character, own), seq)
    number, since = (roll.number, roll.counts_from(seq)) if roll else (None, seq)
    effects: tuple[Effect, ...] = getattr(event, "effects", ())
    damage = announced = None
    if isinstance(event, rolled.DamageApplied) and roll is not None:
        damage = game.ruleset.damage(roll.roll, sheets_at(ratings, tracks, seq))
        effects, announced = damage.effects, roll.damage
    after = applied(game, tracks, effects)
    return TrackChange(seq, at, number, effects, tracks, after, since, damage, announced)


def sheets_at(ratings: Ratings, tracks: Tracks, seq: int) -> Sheets:
    """Sheets by character before entry `seq`, where its tracks were these.

    The function raises KeyError for an unknown character.
    """
    return lambda character: Sheet(character, ratings(character, seq), tracks[character])


def applied(game: Game, tracks: Tracks, effects: Iterable[Effect]) -> Tracks:
    """The tracks after these effects, each changed or set, and clamped to its track's bounds."""
    for effect in effects:
        own = tracks.get(effect.character, Map())
        track = game.tracks[effect.track]
        value = own.get(effect.track, 0) + effect.delta if effect.to is None else effect.to
        value = max(track.least, value)
        value = value if track.most is None else min(track.most, value)
        tracks = tracks.set(effect.character, own.set(effect.track, value))
    return tracks
