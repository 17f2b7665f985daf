"""Which seat could see how much of each hidden roll, from which entry on: an index of a table.

It is derived from the entries and their states, and holds what a state alone cannot say: what a
seat could see some entries ago. `visibility.visible_part` decides, here it is only kept.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from ...events.codec import RecordedEvent
from ...events.entry import HIDDEN, Entry
from ...events.roll import RollEventBase
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from .visibility import VisiblePart, shows, visible_part

NONE: VisiblePart = "nothing"


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
    """The index of one table; `note` every entry of it in order, from the first on."""

    def __init__(self) -> None:
        self._of: dict[int, list[Parts]] = {}
        self._entries: dict[int, list[int]] = {}
        self._places: dict[int, Place] = {}
        self._changes: list[tuple[int, ...]] = []
        self._unrevealed: set[int] = set()
        self._known: TableState | None = None

    # --- building -----------------------------------------------------------------------------

    def note(self, state: TableState, entry: Entry, record: RecordedEvent | None) -> None:
        """Take over an entry, and the table after it or after the commit that it is of."""
        moved = self._moved(state) if self._unrevealed else frozenset[str]()
        self._known = state
        for number in sorted(self._unrevealed) if moved else ():
            self._look(state, state.rolls[number], entry.seq, moved)
        event = None if record is None else record.event
        roll = state.rolls.get(event.roll) if isinstance(event, RollEventBase) else None
        if roll is not None and (roll.hidden or roll.number in self._unrevealed):
            self._look(state, roll, entry.seq, state.seats)
        if entry.kind in HIDDEN:
            self._place(state, entry)

    def _moved(self, state: TableState) -> frozenset[str]:
        """The seats that came, left, changed their role, or gave or got a character."""
        known = self._known
        if known is None or (known.seats is state.seats and known.characters is state.characters):
            return frozenset()
        seats = {id for id, seat in state.seats.items() if known.seats.get(id) != seat}
        before = {id: character.seat for id, character in known.characters.items()}
        now = {id: character.seat for id, character in state.characters.items()}
        owners = {owner for _, owner in before.items() ^ now.items()}
        return frozenset(seats | owners)

    def _look(self, state: TableState, roll: RollState, seq: int, seats: Iterable[str]) -> None:
        """Note what these seats may see of a roll now, where that is something else."""
        known = self._of.setdefault(roll.number, [])
        before = known[-1].parts if known else None
        now: Mapping[str, VisiblePart] | None = None
        if roll.hidden:
            self._unrevealed.add(roll.number)
            parts: dict[str, VisiblePart] = dict(before or {})
            parts.update((seat, visible_part(state, seat, roll)) for seat in seats)
            now = {seat: part for seat, part in parts.items() if part != NONE}
        else:
            self._unrevealed.discard(roll.number)
        if now != before or not known:
            known.append(Parts(seq, now))
            self._changes.append((seq, roll.number))

    def _place(self, state: TableState, entry: Entry) -> None:
        number = state.entry_rolls.get(entry.seq)
        roll = None if number is None else state.rolls.get(number)
        if roll is not None:
            kept = state.hidden.entries.get(roll.number)
            declared = kept is not None and entry.seq in kept.declared
            self._places[entry.seq] = Place(roll.number, declared)
            self._entries.setdefault(roll.number, []).append(entry.seq)

    # --- asking -------------------------------------------------------------------------------

    def part(self, roll: int, seat: str, at: int) -> VisiblePart:
        """How much of a hidden roll the seat could see once entry `at`, a commit's last, was in."""
        known = self._of.get(roll, [])
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
        for roll in sorted({number for _, number in self._within(start, stop)}):
            before, now = self.part(roll, seat, start - 1), self.part(roll, seat, stop - 1)
            if before == now:
                continue
            for seq in self._entries.get(roll, ()):
                if seq >= below:
                    break
                declaring = self._places[seq].declares
                if shows(before, declared=declaring) != shows(now, declared=declaring):
                    yield seq, shows(before, declared=declaring)

    def touched(self, start: int, stop: int) -> bool:
        """Whether the entries from `start` up to `stop` change any seat's sight of anything."""
        return len(self._within(start, stop)) > 0

    def _within(self, start: int, stop: int) -> list[tuple[int, ...]]:
        first, last = (bisect_left(self._changes, (seq,)) for seq in (start, stop))
        return self._changes[first:last]
