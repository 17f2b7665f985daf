"""Hidden rolls: what is kept beside them, so that a table can be given without them.

A hidden roll costs and gains nothing before its reveal, in every fold, that of the host too: what
it spent counts from the reveal on. So a table less its hidden rolls is the table that other seats
fold from what they have.
"""

from typing import TypeVar

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ..events import roll as rolled
from ..events import ruling
from ..events.codec import Event, RecordedEvent
from .rolls import evolve
from .rollstate import Game, RollState

T = TypeVar("T")

ALWAYS_OPEN = (rolled.ThrowAsked, rolled.ShareOpened, rolled.ThrowBroken, rolled.RollRevealed)
"""Events that every seat may have of a hidden roll too: they name roll, throw and seats."""

DECLARED = (
    rolled.RollDeclared,
    rolled.ReactionDeclared,
    ruling.DeclarationVetoed,
    ruling.DeclarationReplaced,
)
"""Events that a participant of a blind roll may have beside these."""


def declares(event: Event, roll: RollState) -> bool:
    """Whether an event is about what is declared in a roll; `roll` is as the event leaves it.

    So is an amendment before the first throw, like a replacement: what is declared after it, and
    shown, follows from it.
    """
    amends = isinstance(event, ruling.RollAmended) and roll.state in ("declared", "reacted")
    return isinstance(event, DECLARED) or amends


def _without(rolls: Map[int, T], number: int) -> Map[int, T]:
    return rolls.delete(number) if number in rolls else rolls


class Entries(Struct, frozen=True, gc=False):
    """The entries of a hidden roll and those about it, oldest first, by sequence.

    `declared` are those that a participant of a blind one may have, `others` all others.
    """

    declared: tuple[int, ...] = ()
    others: tuple[int, ...] = ()


class Hidden(Struct, frozen=True):
    """What is kept of the rolls that are hidden now, by their numbers.

    `blind` are blind rolls as their participants have them, who see no dice.
    """

    entries: Map[int, Entries] = Map()
    blind: Map[int, RollState] = Map()

    def without(self, number: int) -> "Hidden":
        """The same without that roll."""
        return Hidden(
            _without(self.entries, number),
            _without(self.blind, number),
        )

    def with_entry(self, number: int, seq: int, *, declared: bool) -> "Hidden":
        """The same with one more entry of that roll, or about it."""
        known = self.entries.get(number, Entries())
        if declared:
            more = replace(known, declared=(*known.declared, seq))
        else:
            more = replace(known, others=(*known.others, seq))
        return replace(self, entries=self.entries.set(number, more))

    def evolved(self, roll: RollState, entry: RecordedEvent, game: Game) -> "Hidden":
        """The same after an entry of a roll that is hidden after it."""
        number = roll.number
        shown = isinstance(entry.event, ALWAYS_OPEN) or declares(entry.event, roll)
        after = self.with_entry(number, entry.seq, declared=shown)
        if roll.visibility != "blind" or not shown:
            return after
        seen = evolve(self.blind.get(number), entry, game)
        return replace(after, blind=after.blind.set(number, seen))
