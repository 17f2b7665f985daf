"""What may be asked of a seat: the table as it was sent, and how far it is signed."""

from ...events.codec import asked_in
from ...events.line import entry_line
from ...events.roll import DiceRerolled, DiceRolled, ThrowAsked, ThrowBroken, ThrowPlanned
from ...projections.rollstate import Ask
from ...projections.tables import TableState
from ...rules.words import ENGLISH
from ..core.moves import Awaiting, Move, RollMoves, awaiting, legal_moves, moves
from ..core.sight import Sight, sight
from .happened import Done
from .heads import Heads
from .kept import Kept


class Reading:
    """The part of a seat that changes nothing: read from its own fold, and from the heads."""

    id: str
    _kept: Kept
    _heads: Heads
    _epoch: int

    # --- entries and heads ------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many entries came."""
        return self._kept.size

    @property
    def head_size(self) -> int:
        """How many entries the newest head covers that is known to be of this log; 0 for none."""
        return self._heads.newest.head.size if self._heads.newest else 0

    def covers(self, size: int) -> bool:
        """Whether a signed head covers so many entries, or none can.

        After an epoch the host signs no size again that it signed before, of the log that was lost.
        Only the host knows how many those are: what is unsigned is taken from the entry that begins
        the epoch (`EpochSeen`) until the first head that covers it, and never after that.
        """
        return self.head_size >= size or self._unsigned

    @property
    def _unsigned(self) -> bool:
        return self._epoch >= 0 and self._heads.largest <= self._epoch

    @property
    def confirmed(self) -> bool:
        """Whether all is here that the seat was shown before it was stored."""
        return self._heads.confirmed

    # --- the table --------------------------------------------------------------------------------

    @property
    def state(self) -> TableState:
        """The table as the seat may see it. Raises Refused("unknown") before its first entry."""
        return self._kept.state

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The entries as lines, as the seat may have them."""
        return tuple(map(entry_line, self._kept.entries))

    def sight(self, language: str = ENGLISH) -> Sight:
        """The table as a structure. Raises Refused("unknown") for a seat not there."""
        return sight(self.state, self.id, language=language)

    def legal_moves(self, now: int | None = None) -> tuple[RollMoves, ...]:
        """What the seat may do; `now` in milliseconds since 1970, else the last entry's time."""
        return legal_moves(self.state, self.id, now=now)

    def moves(self, roll: int, now: int | None = None) -> tuple[Move, ...]:
        """Every trigger of one roll."""
        return moves(self.state, self.id, roll, now=now)

    def awaiting(self, now: int | None = None, language: str = ENGLISH) -> tuple[Awaiting, ...]:
        """What the table waits for the seat to do."""
        return awaiting(self.state, self.id, now=now, language=language)

    # --- shares -----------------------------------------------------------------------------------

    @property
    def asked(self) -> Ask | None:
        """The throw that waits for a share of this seat; None where none does."""
        ask = self.state.ask
        return ask if ask is not None and self.id in ask.waiting else None

    @property
    def planned(self) -> tuple[Done, ThrowPlanned] | None:
        """The request that asked for the shares the table waits for, and the throw; None for none.

        None too where the seat does not see the roll.
        """
        seq = -1 if self.state.ask is None else self.state.ask.seq - 1
        record = self._kept.event(seq) if seq >= 0 else None
        asked = asked_in(self._kept.entries[seq]) if record is not None else None
        if record is None or asked is None or not isinstance(record.event, ThrowPlanned):
            return None
        return Done(asked.request, seq), record.event

    def thrown(self, done: Done) -> Done | None:
        """The request, once what it asked for fell; None where the throw was broken off."""
        ask = None if done.seq is None else self._kept.event(done.seq + 1)
        if ask is None or not isinstance(asked := ask.event, ThrowAsked):
            return done
        for record in self._kept.after(ask.seq):
            event = record.event
            if isinstance(event, ThrowBroken) and event.roll == asked.roll:
                return None
            if isinstance(event, (DiceRolled, DiceRerolled)) and event.roll == asked.roll:
                return done
        return done
