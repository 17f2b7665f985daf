"""What a void or an amendment leaves: rolls that took from a sheet what is there no more.

A later roll keeps what it took when it was declared, and its outcome stands. But what it took came
from a roll that counts for nothing now, or for less; so the table is told which rolls those are. A
narrator settles an unthrown one again (`replace`), and voids or amends a thrown one.
"""

from collections.abc import Iterator

from msgspec import Struct

from ..events.base import Effect
from .rollstate import RollState
from .tables import TableState
from .tracks import TrackChange, counting, track_changes


class Hanging(Struct, frozen=True):
    """Entry `seq` of roll `roll` took `amount` more of a track than is there now.

    `sources` are the rolls that had given it: voided or amended since, oldest first.
    """

    roll: int
    seq: int
    character: str
    track: str
    amount: int
    sources: tuple[int, ...]


def hanging(state: TableState) -> tuple[Hanging, ...]:
    """Every roll that hangs on what is no more, in log order."""
    gone = {number: tuple(_gone(roll)) for number, roll in _by_number(state)}
    if not any(gone.values()):
        return ()
    changes = track_changes(state.game, state.ratings, state.sheets, state.rolls)
    return tuple(each for change in changes for each in _short(state, change, gone))


def _by_number(state: TableState) -> list[tuple[int, RollState]]:
    return sorted(((roll.number, roll) for roll in state.rolls.values()), key=lambda pair: pair[0])


def _gone(roll: RollState) -> Iterator[Effect]:
    """What a roll had given and does not give any more."""
    counts = {entry.seq for entry in counting(roll)}
    for entry in roll.trail:
        if entry.seq not in counts:
            yield from (each for each in getattr(entry.event, "effects", ()) if each.delta > 0)


def _short(
    state: TableState, change: TrackChange, gone: dict[int, tuple[Effect, ...]]
) -> Iterator[Hanging]:
    """What one change took beyond what was there, where a roll that is gone had given it."""
    if change.roll is None or change.damage is not None:
        return
    for effect in change.effects:
        least = state.game.tracks[effect.track].least
        had = change.before[effect.character].get(effect.track, least)
        amount = least - (had + effect.delta)
        sources = tuple(
            number
            for number, effects in gone.items()
            if number < change.roll
            and any((e.character, e.track) == (effect.character, effect.track) for e in effects)
        )
        if effect.delta < 0 < amount and sources:
            yield Hanging(change.roll, change.seq, effect.character, effect.track, amount, sources)
