"""Which seat could see how much of each hidden roll, from which entry on: an index of a table.

It is derived from the entries and their states, and holds what a state alone cannot say: what a
seat could see some entries ago. `visibility.visible_part` decides, here it is only kept.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from ...events.codec import RecordedEvent
from ...events.entry import HIDDEN, Entry
from ...events.roll import RollEventBase
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from .kept import Numbers
from .visibility import VisiblePart, shows, visible_part

NONE: VisiblePart = "nothing"
NOBODY: frozenset[str] = frozenset()
"""No seat moved."""


class Parts(Struct, frozen=True):
    """What each seat may see of a roll from entry `seq` on, those left out nothing.

    `parts` is None once the roll is revealed: every seat may see everything.
    """

    seq: int
    parts: Mapping[str, VisiblePart] | None


class Place(Struct, frozen=True, gc=False):
    """The hidden roll that an entry belongs to; `declares`: who sees its declaration sees it."""

    roll: int
    declares: bool


class VisibleParts:
    """The index of one table; `note` every entry of it in order, from the first on.

    `of` are a roll's parts, oldest first; `entries` its hidden entries; `places` where a hidden
    entry belongs; `changes` the rolls of which an entry changes what is seen. `unrevealed` are the
    rolls that are hidden now.
    """

    def __init__(
        self,
        of: Numbers[tuple[Parts, ...]] | None = None,
        entries: Numbers[tuple[int, ...]] | None = None,
        places: Numbers[Place] | None = None,
        changes: Numbers[tuple[int, ...]] | None = None,
    ) -> None:
        self.unrevealed: set[int] = set()
        self.known: TableState | None = None
        self._of: Numbers[tuple[Parts, ...]] = {} if of is None else of
        self._entries: Numbers[tuple[int, ...]] = {} if entries is None else entries
        self._places: Numbers[Place] = {} if places is None else places
        self._changes: Numbers[tuple[int, ...]] = {} if changes is None else changes

    # --- building -----------------------------------------------------------------------------

    def note(self, state: TableState, entry: Entry, record: RecordedEvent | None) -> None:
        """Take over an entry, and the table after it or after the commit that it is of."""
        moved = self._moved(state) if self.unrevealed else NOBODY
        self.known = state
        for number in sorted(self.unrevealed) if moved else ():
            self._look(state, state.rolls[number], entry.seq, moved)
        event = None if record is None else record.event
        roll = state.rolls.get(event.roll) if isinstance(event, RollEventBase) else None
        if roll is not None and (roll.hidden or roll.number in self.unrevealed):
            self._look(state, roll, entry.seq, state.seats)
        if entry.kind in HIDDEN:
            self._place(state, entry)

    def _moved(self, state: TableState) -> frozenset[str]:
        """The seats that came, left, changed their role, or gave or got a character."""
        known = self.known
        if known is None or (known.seats is state.seats and known.characters is state.characters):
            return NOBODY
        seats = {id for id, seat in state.seats.items() if known.seats.get(id) != seat}
        before = {id: character.seat for id, character in known.characters.items()}
        now = {id: character.seat for id, character in state.characters.items()}
        owners = {owner for _, owner in before.items() ^ now.items()}
        return frozenset(seats | owners)

    def _look(self, state: TableState, roll: RollState, seq: int, seats: Iterable[str]) -> None:
        """Note what these seats may see of a roll now, where that is something else."""
        known = self._of.get(roll.number, ())
        before = known[-1].parts if known else None
        now: Mapping[str, VisiblePart] | None = None
        if roll.hidden:
            self.unrevealed.add(roll.number)
            parts: dict[str, VisiblePart] = dict(before or {})
            parts.update((seat, visible_part(state, seat, roll)) for seat in seats)
            now = {seat: part for seat, part in parts.items() if part != NONE}
        else:
            self.unrevealed.discard(roll.number)
        if now != before or not known:
            self._of[roll.number] = (*known, Parts(seq, now))
            self._changes[seq] = (*self._changes.get(seq, ()), roll.number)

    def _place(self, state: TableState, entry: Entry) -> None:
        number = state.entry_rolls.get(entry.seq)
        roll = None if number is None else state.rolls.get(number)
        if roll is not None:
            kept = state.hidden.entries.get(roll.number)
            declared = kept is not None and entry.seq in kept.declared
            self._places[entry.seq] = Place(roll.number, declared)
            self._entries[roll.number] = (*self._entries.get(roll.number, ()), entry.seq)

    # --- asking -------------------------------------------------------------------------------

    def part(self, roll: int, seat: str, at: int) -> VisiblePart:
        """How much of a hidden roll the seat could see once entry `at`, a commit's last, was in."""
        known = self._of.get(roll, ())
        later = bisect_right(known, at, key=lambda parts: parts.seq)
        if not later:
            return NONE
        parts = known[later - 1].parts
        return "everything" if parts is None else parts.get(seat, NONE)

    def shown(self, seat: str, seq: int, at: int) -> bool:
        """Whether the seat could see the hidden entry `seq` once entry `at` was in."""
        place = self._places.get(seq)
        return place is not None and shows(self.part(place.roll, seat, at), declared=place.declares)

    def changed(self, seat: str, start: int, stop: int, below: int) -> Iterator[tuple[int, bool]]:
        """The hidden entries before `below` that a commit from `start` to `stop` shows or hides.

        Each with whether the seat could see it before.
        """
        for roll in sorted(self._within(start, stop)):
            before, now = self.part(roll, seat, start - 1), self.part(roll, seat, stop - 1)
            if before == now:
                continue
            for seq in self._entries.get(roll, ()):
                if seq >= below:
                    break
                place = self._places.get(seq)
                declaring = place is not None and place.declares
                if shows(before, declared=declaring) != shows(now, declared=declaring):
                    yield seq, shows(before, declared=declaring)

    def touched(self, start: int, stop: int) -> bool:
        """Whether the entries from `start` up to `stop` change any seat's sight of anything."""
        return bool(self._within(start, stop))

    def _within(self, start: int, stop: int) -> set[int]:
        """The rolls of which these entries change what is seen."""
        return {number for seq in range(start, stop) for number in self._changes.get(seq, ())}
