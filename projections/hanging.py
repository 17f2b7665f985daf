"""Rolls that took from a sheet what is there no more.

A void or an amendment leaves them, and a reveal: what a hidden roll spent counts from then on, and
rolls in the open may have spent the same since.

A later roll keeps what it took when it was declared, and its outcome stands. But what it took came
from a roll that counts for nothing now, or for less; so the table is told which rolls those are. A
narrator settles an unthrown one again (`replace`), and voids or amends a thrown one.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ..events.base import Effect
from .rollstate import RollState
from .tables import TableState
from .tracks import TrackChange, counting, track_changes


class Hanging(Struct, frozen=True):
    """Entry `seq` of roll `roll` took `amount` more of a track than is there now.

    `sources` are the rolls that had given it, voided or amended since, oldest first; or where
    `twice` is true those that had spent it too, while the roll was hidden.
    """

    roll: int
    seq: int
    character: str
    track: str
    amount: int
    sources: tuple[int, ...]
    twice: bool = False


def hanging(state: TableState) -> tuple[Hanging, ...]:
    """Every roll that hangs on what is no more, in log order."""
    gone = {number: tuple(_gone(roll)) for number, roll in _by_number(state)}
    hid = any(roll.revealed_at is not None for roll in state.rolls.values())
    if not hid and not any(gone.values()):
        return ()
    changes = [*track_changes(state.game, state.ratings, state.sheets, state.rolls)]
    return tuple(each for change in changes for each in _short(state, change, gone, changes))


def _by_number(state: TableState) -> list[tuple[int, RollState]]:
    return sorted(((roll.number, roll) for roll in state.rolls.values()), key=lambda pair: pair[0])


def _gone(roll: RollState) -> Iterator[Effect]:
    """What a roll had given and does not give any more."""
    counts = {entry.seq for entry in counting(roll)}
    for entry in roll.trail:
        if entry.seq not in counts:
            yield from (each for each in getattr(entry.event, "effects", ()) if each.delta > 0)


def _short(
    state: TableState,
    change: TrackChange,
    gone: dict[int, tuple[Effect, ...]],
    changes: list[TrackChange],
) -> Iterator[Hanging]:
    """What one change took beyond what was there.

    Where a roll that is gone had given it, or others had spent it before this one was revealed.
    """
    if change.roll is None or change.damage is not None:
        return
    for effect in change.effects:
        least = state.game.tracks[effect.track].least
        had = change.before[effect.character].get(effect.track, least)
        amount = least - (had + effect.delta)
        if not effect.delta < 0 < amount:
            continue
        place = (effect.character, effect.track)
        twice = change.since > change.seq
        if twice:
            sources = tuple(_spenders(place, change, changes))
        else:
            gave = (n for n, effects in gone.items() if n < change.roll and _of(place, effects))
            sources = tuple(gave)
        if sources:
            yield Hanging(change.roll, change.seq, *place, amount, sources, twice)


def _of(place: tuple[str, str], effects: Iterable[Effect]) -> bool:
    return any((each.character, each.track) == place for each in effects)


def _spenders(
    place: tuple[str, str], change: TrackChange, changes: Iterable[TrackChange]
) -> Iterator[int]:
    """The rolls that spent of this track after the change's entry, and count before it."""
    found = dict[int, None]()
    for other in changes:
        spent = (each for each in other.effects if each.delta < 0)
        since = change.seq < other.since <= change.since and other is not change
        if since and other.roll not in (None, change.roll) and _of(place, spent):
            found[other.roll or 0] = None
    yield from found
