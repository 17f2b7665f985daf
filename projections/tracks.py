"""Every character's tracks, recomputed in log order, as if voided rolls had never been.

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

    `damage` is what was derived where damage was applied; `announced` what its entry holds.
    """

    seq: int
    at: int
    roll: int | None
    effects: tuple[Effect, ...]
    before: Tracks
    after: Tracks
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
    """Every change of a track at this table, in log order, with the tracks before and after it."""
    entries = sorted(
        [*sheets, *(entry for roll in rolls.values() for entry in counting(roll))],
        key=lambda entry: entry.seq,
    )
    tracks: Tracks = Map()
    for entry in entries:
        event = entry.event
        roll = rolls[event.roll] if isinstance(event, rolled.RollEventBase) else None
        change = track_change(game, ratings, tracks, entry, roll)
        yield change
        tracks = change.after


def track_change(
    game: Game, ratings: Ratings, tracks: Tracks, entry: RecordedEvent, roll: RollState | None
) -> TrackChange:
    """What one entry changes, given the tracks before it."""
    event = entry.event
    number = roll.number if roll else None
    if isinstance(event, tabled.CharacterEntered):
        after = tracks.set(event.character, Map(event.tracks))
        return TrackChange(entry.seq, entry.at, None, (), tracks, after)
    if isinstance(event, tabled.TrackSet):
        own = tracks[event.character].set(event.track, event.value)
        return TrackChange(entry.seq, entry.at, None, (), tracks, tracks.set(event.character, own))
    if isinstance(event, rolled.DamageApplied) and roll is not None:
        damage = game.ruleset.damage(roll.roll, sheets_at(ratings, tracks, entry.seq))
        after = applied(game, tracks, damage.effects)
        announced = roll.damage
        return TrackChange(
            entry.seq, entry.at, number, damage.effects, tracks, after, damage, announced
        )
    effects: tuple[Effect, ...] = getattr(event, "effects", ())
    return TrackChange(entry.seq, entry.at, number, effects, tracks, applied(game, tracks, effects))


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
