"""Every character's tracks, recomputed in log order, as if voided rolls had never been.

What a hidden roll costs and gains counts from its reveal on, and not before, for everybody.

Prices and gains count as recorded; damage is asked of the ruleset again, for the roll and the
sheets at that point, so that voiding an early blow also changes what later ones met. Each step is
clamped to the track's bounds.

An amendment counts where the roll's own outcome stood, and damage that is announced again where it
stood first: as if the roll had been declared so from the start. What happened since then, a night's
rest or a price that was paid, comes after it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ..events import roll as rolled
from ..events import ruling
from ..events import table as tabled
from ..events.base import Effect
from ..events.codec import RecordedEvent
from ..rules.ruleset import Damage, Sheet, Sheets
from .rollstate import Game, RollState

Tracks = Map[str, Map[str, int]]
"""Track values by character, then by track."""

Ratings = Callable[[str, int], Mapping[str, int | float]]
"""A character's attribute ratings by name, as they were before an entry, by its sequence."""

PRICES = (rolled.ReactionDeclared, rolled.DiceRerolled)
"""Events whose effects always count, unless their roll was voided."""


class TrackChange(Struct, frozen=True):
    """One change of tracks: its entry, and the roll it belongs to (None: a narrator's change).

    It counts in the place of entry `place`: its own, or the one whose outcome or damage it
    replaces; from entry `since` on: that one, or the one that revealed its roll. `damage` is what
    was derived where damage was applied; `announced` what its entry holds.
    """

    seq: int
    at: int
    roll: int | None
    effects: tuple[Effect, ...]
    before: Tracks
    after: Tracks
    place: int
    since: int
    damage: Damage | None = None
    announced: Damage | None = None


def effective(roll: RollState) -> Iterator[RecordedEvent]:
    """The entries of a roll whose effects hold: none of a voided one, none amended since."""
    if roll.state == "voided":
        return
    last_declared = _last(roll, lambda event: isinstance(event, DECLARING))
    last_settled = _last(roll, settles)
    # By the roll, not by the trail: an audit keeps no more of it than counts since some entry.
    last_damage = _last(roll, damages) if roll.roll.damaged else -1
    for entry in roll.trail:
        latest = entry.seq in (last_declared, last_settled, last_damage)
        if latest or isinstance(entry.event, PRICES):
            yield entry


DECLARING = (rolled.RollDeclared, ruling.DeclarationReplaced)
ANNOUNCING = (rolled.RollResolved, rolled.DamageApplied, ruling.RollAmended)
"""Events that may announce an outcome or damage; the first of them has the place of all."""


def settles(event: object) -> bool:
    """Whether the event announces an outcome, the first or an amended one."""
    if isinstance(event, ruling.RollAmended):
        return event.outcome is not None
    return isinstance(event, rolled.RollResolved)


def _last(roll: RollState, test: Callable[[object], bool]) -> int:
    return max((entry.seq for entry in roll.trail if test(entry.event)), default=-1)


def place(roll: RollState, entry: RecordedEvent) -> int:
    """The entry of the roll in whose place one of its entries counts.

    It is the entry itself, but for what replaces an outcome or damage that was announced before.
    """
    if not isinstance(entry.event, ANNOUNCING):  # almost every one
        return entry.seq
    test = settles if settles(entry.event) else damages if damages(entry.event) else None
    if test is None:
        return entry.seq
    return next(each.seq for each in roll.trail if test(each.event))


def since(roll: RollState, entry: RecordedEvent) -> int:
    """The entry from which on one of a roll counts; see `place` and `RollState.counts_from`."""
    return roll.counts_from(place(roll, entry))


def damages(event: object) -> bool:
    """Whether the event announces damage, the first or an amended one."""
    return isinstance(event, rolled.DamageApplied)


def pending(roll: RollState) -> Iterator[Effect]:
    """What a hidden roll has cost and gained, which counts for nobody but itself yet."""
    for entry in effective(roll) if roll.hidden else ():
        yield from getattr(entry.event, "effects", ())


def track_change(
    game: Game, ratings: Ratings, tracks: Tracks, entry: RecordedEvent, roll: RollState | None
) -> TrackChange:
    """What one entry changes, given the tracks before it."""
    event, seq, at = entry.event, entry.seq, entry.at
    if isinstance(event, tabled.CharacterEntered):
        after = tracks.set(event.character, Map(event.tracks))
        return TrackChange(seq, at, None, (), tracks, after, seq, seq)
    if isinstance(event, tabled.TrackSet):
        own = tracks[event.character].set(event.track, event.value)
        return TrackChange(seq, at, None, (), tracks, tracks.set(event.character, own), seq, seq)
    if roll is None:
        return TrackChange(seq, at, None, (), tracks, tracks, seq, seq)
    where, counts = place(roll, entry), since(roll, entry)
    effects, damage = effects_of(game, entry, roll, sheets_at(ratings, tracks, where))
    announced = None if damage is None else roll.damage
    after, number = applied(game, tracks, effects), roll.number
    return TrackChange(seq, at, number, effects, tracks, after, where, counts, damage, announced)


def effects_of(
    game: Game, entry: RecordedEvent, roll: RollState, sheets: Sheets
) -> tuple[tuple[Effect, ...], Damage | None]:
    """What an entry of a roll costs and gives: as recorded, or damage as the sheets are."""
    if isinstance(entry.event, rolled.DamageApplied):
        damage = game.ruleset.damage(roll.roll, sheets)
        return damage.effects, damage
    effects: tuple[Effect, ...] = getattr(entry.event, "effects", ())
    return effects, None


def sheets_at(ratings: Ratings, tracks: Tracks, seq: int) -> Sheets:
    """Sheets by character before entry `seq`, where its tracks were these.

    The function raises KeyError for an unknown character.
    """
    return lambda character: Sheet(character, ratings(character, seq), tracks[character])


def applied(game: Game, tracks: Tracks, effects: Iterable[Effect]) -> Tracks:
    """The tracks after these effects."""
    for effect in effects:
        own = tracks.get(effect.character, Map())
        tracks = tracks.set(effect.character, marked(game, own, effect))
    return tracks


def taken(game: Game, tracks: Tracks, effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """What tracks that are like this take of effects, one by one: nothing beyond their bounds."""
    found = list[Effect]()
    for effect in effects:
        before = tracks.get(effect.character, Map())
        tracks = applied(game, tracks, (effect,))
        now = tracks[effect.character][effect.track]
        if effect.to is not None:
            found.append(replace(effect, to=now))
        elif now != before.get(effect.track, 0):
            found.append(replace(effect, delta=now - before.get(effect.track, 0)))
    return tuple(found)


def marked(game: Game, own: Map[str, int], effect: Effect) -> Map[str, int]:
    """A character's tracks after an effect, its track changed or set, and clamped to its bounds."""
    track = game.tracks[effect.track]
    value = own.get(effect.track, 0) + effect.delta if effect.to is None else effect.to
    value = max(track.least, value)
    return own.set(effect.track, value if track.most is None else min(track.most, value))
