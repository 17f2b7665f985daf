"""Which rolls were corrected, and who took what from a sheet: what depends on what is found by it.

Nothing is decided here. It is an index, which leads from a corrected roll to the entries that may
depend on it, and past all others.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...events.base import Effect
from ...events.codec import RecordedEvent
from ..rollstate import RollState
from .postings import Postings

CORRECTIONS = (rolled.RollVoided, ruling.RollAmended)
"""Events after which what a roll had given may be there no more."""


class Taking(Struct, frozen=True, gc=False):
    """Entry `seq` of roll `roll`, which may have taken something from a character's sheet."""

    seq: int
    roll: int


class Corrections(Struct, frozen=True):
    """What was corrected at a table, and what may depend on that.

    `made` is every void or amendment of a roll that had cost or given something, as (entry, roll),
    oldest first; `taken` what took from each character's sheet while its roll was in the open.
    """

    made: tuple[tuple[int, int], ...] = ()
    taken: Postings[Taking] = Postings()

    def after(self, roll: RollState, entry: RecordedEvent) -> "Corrections":
        """The same after one more entry of a roll, which is as the entry leaves it."""
        made, taken = self.made, self.taken
        if _corrects(entry, roll.trail):
            made = (*made, (entry.seq, roll.number))
        for who in () if roll.hidden else _takers(roll, entry):
            taken = taken.added(who, Taking(entry.seq, roll.number))
        return self if made is self.made and taken is self.taken else Corrections(made, taken)

    def seen(self, hidden: Collection[int], parts: Iterable[RollState]) -> "Corrections":
        """The same without the corrections of hidden rolls, but for those that these parts have."""
        made = [each for each in self.made if each[1] not in hidden]
        made += [
            (entry.seq, part.number)
            for part in parts
            for at, entry in enumerate(part.trail, 1)
            if _corrects(entry, part.trail[:at])
        ]
        return Corrections(tuple(sorted(made)), self.taken)

    @property
    def last(self) -> int:
        """The latest correction's entry; -1 where there is none."""
        return self.made[-1][0] if self.made else -1


def _corrects(entry: RecordedEvent, trail: Iterable[RecordedEvent]) -> bool:
    """Whether an entry is a void or an amendment of what cost or gave something up to it."""
    return isinstance(entry.event, CORRECTIONS) and any(map(effects_in, trail))


def effects_in(entry: RecordedEvent) -> tuple[Effect, ...]:
    """What an entry of a roll costs and gives, as it was recorded."""
    effects: tuple[Effect, ...] = getattr(entry.event, "effects", ())
    return effects


def given_by(roll: RollState) -> Iterator[tuple[int, str]]:
    """The entries by which a roll cost or gave somebody something, each with that character."""
    for entry in roll.trail:
        for effect in effects_in(entry):
            yield entry.seq, effect.character


TAKER: Mapping[type, Callable[[RollState, Any], str]] = {
    rolled.RollDeclared: lambda roll, event: event.character,
    rolled.ReactionDeclared: lambda roll, event: event.character,
    ruling.DeclarationReplaced: lambda roll, event: roll.roll.character,
    rolled.DamageApplied: lambda roll, event: event.target,
}
"""The character from whose sheet an event may have taken something, beside its effects."""


def _takers(roll: RollState, entry: RecordedEvent) -> Collection[str]:
    """The characters from whose sheets an entry may have taken something."""
    taker = TAKER.get(type(entry.event))
    own = () if taker is None else (taker(roll, entry.event),)
    effects = effects_in(entry)
    return {*own, *(effect.character for effect in effects)} if effects else own
