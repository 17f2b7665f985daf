"""What counts now of the tracks that a roll's outcome or its damage changes, in words."""

from collections.abc import Iterable, Iterator

from immutables import Map
from msgspec import Struct

from ..events.roll import DamageApplied
from ..rules.ruleset import Damage
from .changes import changes_of
from .lexicon import Lexicon
from .rollstate import RollState
from .tracks import TrackChange, settles


class Change(Struct, frozen=True):
    """A track of a character, by names, before and after; `most` is its bound, if it has one."""

    who: str
    track: str
    before: int
    after: int
    most: int | None


def counting(lexicon: Lexicon, roll: RollState, *, damage: bool) -> tuple[TrackChange, ...]:
    """The changes that the roll's outcome makes now, or its damage; none where it was voided."""
    if roll.state == "voided":
        return ()
    if damage:
        return changes_of(
            lexicon.state, (each for each in roll.trail if isinstance(each.event, DamageApplied))
        )
    settled = [entry for entry in roll.trail if settles(entry.event)]
    return changes_of(lexicon.state, settled[-1:])


def now_text(announced: Damage, counting: Iterable[TrackChange]) -> str:
    """That damage counts otherwise than it was announced, where it does."""
    for damage in (each.damage for each in counting if each.damage is not None):
        if (damage.amount, damage.figures) != (announced.amount, announced.figures):
            return "This is what was announced. Another roll was voided or amended; now it counts:"
    return ""


def changes_in_words(lexicon: Lexicon, counting: Iterable[TrackChange]) -> tuple[Change, ...]:
    """The changes in words, in their order."""
    return tuple(change for each in counting for change in _changed(lexicon, each))


def _changed(lexicon: Lexicon, change: TrackChange) -> Iterator[Change]:
    touched = dict.fromkeys((effect.character, effect.track) for effect in change.effects)
    for who, track in touched:
        before = change.before.get(who, Map()).get(track, 0)
        after = change.after.get(who, Map()).get(track, 0)
        bounds = lexicon.state.game.tracks[track]
        most = bounds.most if bounds.least >= 0 else None
        yield Change(lexicon.name(who), lexicon.of("track", track), before, after, most)
