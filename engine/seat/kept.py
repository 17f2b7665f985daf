"""What a seat was sent of a table: its entries, its own fold of them, and the checks of both.

Each commit must go on where the last one ended and fit its digests; an entry must be of its event's
class, and a text the one that came with it. Every throw must follow from its seed, its nonces or
shares, and the entry that committed to it: the checks are those of an audit. What is shown later,
or no more, is folded again from there.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.json import decode

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events.asked import Text
from ...events.codec import Event, RecordedEvent, asked_in, recorded
from ...events.entry import HIDDEN, TEXTS, Entry, verify
from ...events.roll import RollEventBase
from ...events.strict import Malformed
from ...events.table import EntryErased, TableOpened, TextSaid
from ...projections.automaton import AFTER
from ...projections.hidden import ALWAYS_OPEN
from ...projections.tables import Rulesets, TableState
from ..bundle.read import entry_of
from ..core.aggregate import Aggregate, Environment
from ..core.sources import TYPED
from ..core.visibility import hidden
from .checks import Throws
from .heads import Tree

IN_COURSE = frozenset(event for event, _ in AFTER) - frozenset(ALWAYS_OPEN)
"""The events of a roll's course, but for those that are seen of rolls that are not."""


class Step(Struct, frozen=True):
    """Entries that were folded: where they begin, and the events seen now for the first time.

    `events` are those of older entries that are shown now, then those of new ones.
    """

    start: int
    stop: int
    events: tuple[RecordedEvent, ...]


class Kept:
    """The entries of a table as a seat was sent them, in order; the first `folded` are folded.

    A history gives every entry as it may be seen at its end, so it can be folded only there.
    """

    def __init__(self, table: str, rulesets: Rulesets, tree: Tree) -> None:
        self.entries: list[Entry] = []
        self._table = table
        self._rulesets = rulesets
        self._tree = tree
        self._fold = self._empty()
        self._before: dict[int, TableState] = {}
        self._changed: set[int] = set()
        self._throws = Throws()
        self._missing: set[int] = set()

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.entries)

    @property
    def folded(self) -> int:
        """How many of them are folded."""
        return len(self._fold.entries)

    @property
    def state(self) -> TableState:
        """The table as it was folded. Raises Refused("unknown") before its first entry was."""
        return self._fold.opened

    def event(self, seq: int) -> RecordedEvent | None:
        """The event of an entry, None where it is withheld, or not folded yet."""
        return self._fold.records[seq] if seq < self.folded else None

    def after(self, seq: int) -> Iterator[RecordedEvent]:
        """The events of the entries after one, as far as they are shown."""
        return (record for record in self._fold.records[seq + 1 :] if record is not None)

    # --- the form of a commit ---------------------------------------------------------------------

    def take(self, lines: Sequence[bytes], changed: Sequence[bytes], size: int) -> None:
        """One more commit, and the lines that take the place of others; not folded yet.

        Raises Damaged for one that is not whole, not the next, or not what was sent before.
        """
        new = [_read(line, seq) for seq, line in enumerate(lines, self.size)]
        self._placed(new, size)
        erased = {seq for entry in new for seq in _erased(entry)}
        for line in changed:
            self._replace(_read(line), erased)
        self._missing |= {e.seq for e in new if e.kind == "text" and e.payload is None}
        self._missing -= erased
        self.entries += new
        self._tree.extend(entry.leaf for entry in new)

    def _placed(self, entries: Sequence[Entry], size: int) -> None:
        """Check that these are one commit, whole, and the next one."""
        first = self.size
        if not entries:
            raise Damaged("a commit without entries")
        earliest = self.entries[-1].at if self.entries else 0
        for seq, entry in enumerate(entries, first):
            verify(entry)
            if entry.seq != seq:
                raise Damaged(f"expected entry {seq}", seq=entry.seq)
            if entry.commit != first:
                raise Damaged(f"it is of commit {entry.commit}, not {first}", seq=seq)
            if entry.at != entries[0].at:
                raise Damaged("the entries of one commit are of different times", seq=seq)
            if entry.at < earliest:
                raise Damaged(f"time goes back from {earliest} to {entry.at}", seq=seq)
            if entry.payload is None and entry.kind == "open":
                raise Damaged("an open entry is withheld", seq=seq)
        if size != first + len(entries):
            why = f"the table would have {size} entries, and has {first + len(entries)}"
            raise Damaged(why, seq=first)

    def _replace(self, entry: Entry, erased: set[int]) -> None:
        """Put an entry in its place, if it is the one that was sent, with more or less of it."""
        seq = entry.seq
        if seq >= self.size:
            raise Damaged("it is changed, and was not sent yet", seq=seq)
        known = self.entries[seq]
        verify(entry)
        if (entry.leaf, entry.commit) != (known.leaf, known.commit):
            raise Damaged("it is not the entry that was sent before", seq=seq)
        gone = entry.payload is None and known.payload is not None
        if gone and entry.kind not in HIDDEN and seq not in erased:
            raise Damaged("it is withheld now, and nobody erased it", seq=seq)
        self.entries[seq] = entry
        if entry.kind in HIDDEN and seq < self.folded:
            self._changed.add(seq)

    def ends(self, size: int) -> None:
        """The history ends here. Raises Damaged where more was sent, or a text was kept back."""
        if size != self.size:
            raise Damaged(f"the log has {size} entries, and {self.size} were sent")
        for seq in sorted(self._missing):
            raise Damaged("a text is withheld, and nobody erased it", seq=seq)

    # --- folded -----------------------------------------------------------------------------------

    def fold(self) -> Step:
        """Fold what changed, and what is new, and check the throws in it. Raises Damaged."""
        shown = self._fold_again() if self._changed else []
        start = self.folded
        for entry in self.entries[start:]:
            self._load(entry)
        new = self._fold.records[start:]
        for entry, record in zip(self.entries[start:], new, strict=True):
            self._check(entry, record)
        self._throws.end()
        seen = (*shown, *(record for record in new if record is not None))
        return Step(start, self.folded, seen)

    def _fold_again(self) -> list[RecordedEvent]:
        """Fold again from the first entry that changed; the events that are shown now."""
        changed, known = sorted(self._changed), self._fold
        sealed = [seq for seq in changed if known.entries[seq].payload is None]
        start, stop = changed[0], self.folded
        self._fold = self._empty()
        self._fold.state = self._before[start]
        self._fold.entries = known.entries[:start]
        self._fold.records = known.records[:start]
        for entry in self.entries[start:stop]:
            self._load(entry)
        self._changed.clear()
        self._throws = Throws()  # what may be seen now counts from its own place on
        for entry in self._fold.entries:
            self._throws.take(entry)
        found = (self.event(seq) for seq in sealed)
        return [record for record in found if record is not None]

    def _empty(self) -> Aggregate:
        return Aggregate(Environment(TYPED["manual"], _still, _unsalted, b"", self._rulesets))

    def _load(self, entry: Entry) -> None:
        fold = self._fold
        if entry.kind in HIDDEN and fold.state is not None:
            self._before[entry.seq] = fold.state
        before = fold.state
        fold.load((entry,), checked=True)
        event = fold.records[entry.seq]
        if event is not None and isinstance(event.event, RollEventBase):
            _in_course(event, event.event, before)
        if event is not None and fold.state is not None:
            _check_class(entry, event, fold.state)
            self._check_text(entry, event.event)
        opened = event.event if event is not None else None
        if isinstance(opened, TableOpened) and (entry.seq or opened.table != self._table):
            raise Damaged(f"it opens table {opened.table}, not {self._table}", seq=entry.seq)

    # --- throws -----------------------------------------------------------------------------------

    def _check(self, entry: Entry, record: RecordedEvent | None) -> None:
        self._throws.take(entry)
        event = None if record is None else record.event
        if isinstance(event, rolled.RollRevealed) and event.roll not in self.state.rolls:
            raise Damaged(f"it reveals roll {event.roll}, which is not shown", seq=entry.seq)

    def _check_text(self, entry: Entry, event: Event) -> None:
        """Check that a text has the hash that was asked for with it."""
        first = self.entries[entry.commit]
        if not isinstance(event, TextSaid) or first.payload is None:
            return
        asked = asked_in(first)
        wanted = decode(asked.body).get("text") if asked is not None else None
        found = Text(event.salt, event.text).hash
        if found != wanted:
            raise Damaged(f"a text of hash {found}; asked was {wanted}", seq=entry.seq)


def _read(line: bytes, seq: int | None = None) -> Entry:
    try:
        return entry_of(line)
    except Malformed as error:
        raise Damaged(f"a line that is no entry: {error}", seq=seq) from error


def _erased(entry: Entry) -> Iterator[int]:
    """The text that an entry erases, where it says so."""
    if entry.payload is not None and b"entry-erased/" in entry.payload:
        event = recorded(entry).event
        if isinstance(event, EntryErased):
            yield event.seq


def _check_class(entry: Entry, record: RecordedEvent, table: TableState) -> None:
    """Check that an entry is of its event's class, as far as its roll is shown."""
    event = record.event
    wrong = isinstance(event, TextSaid) != (entry.kind in TEXTS)
    if isinstance(event, RollEventBase) and event.roll in table.rolls:
        roll = table.rolls[event.roll]
        wrong |= hidden(table, event, roll) != (entry.kind in HIDDEN)
    if wrong:
        raise Damaged(f"a {type(event).__name__} is of class {entry.kind}", seq=entry.seq)


def _in_course(record: RecordedEvent, event: RollEventBase, table: TableState | None) -> None:
    """Check that an event may follow in its roll, as far as its roll's state says."""
    if type(event) not in IN_COURSE:
        return
    roll = table.rolls.get(event.roll) if table is not None else None
    state = roll.state if roll is not None else "new"
    if (type(event), state) not in AFTER:
        why = f"no {type(event).__name__} can follow in roll {event.roll}, which is {state}"
        raise Damaged(why, seq=record.seq)


def _still(state: TableState | None) -> int:
    return 0


def _unsalted(table: str, seq: int) -> bytes:
    raise Refused("not-offered", "a seat's own fold seals no entries")
