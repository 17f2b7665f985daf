"""One table that has snapshots: what it keeps in rows, written and taken up again."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from immutables import Map
from msgspec.msgpack import Decoder
from msgspec.structs import replace

from ...errors import Defect
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...projections.rollstate import Game
from ...projections.tables import Rulesets, TableState
from ..core.aggregate import Aggregate, Kept
from ..core.index import Index as EntryIndex
from ..core.visible_parts import Parts, Place, VisibleParts
from .head import StoredHead, decoded, encoded, fits, head_of, opened_by, state_of
from .kind import Kind
from .lists import Entries, Numbers, Positions, Records, StoredTree, nodes_of, numbers_of
from .maps import AllRolls, Index, StoredTexts, rolls_of, texts_of, written_at
from .packing import pack, pack_moment, unpack_moment, unpack_number, unpack_taking, unpack_writing
from .protocol import HEAD, Row
from .rows import TableRows

T = TypeVar("T")

EVERY = 200
"""Entries after which the next snapshot is due."""

Batch: TypeAlias = list[tuple[Any, int, Any, Row]]
"""Rows to write: of each its kind, None for the head, its number, the object, and the row."""

INDEXES: Mapping[str, tuple[Callable[[Any], bytes], Callable[[bytes], Any], bool]] = {
    "following": (pack, Decoder(tuple[int, ...] | None).decode, False),
    "writings": (pack, unpack_writing, False),
    "entry_rolls": (pack, unpack_number, False),
    "moments": (pack_moment, unpack_moment, True),
    "takings": (pack, unpack_taking, True),
}
"""Kinds of rows that a table's state reads by number: packed, unpacked, whether all are there."""

_parts = Decoder(tuple[Parts, ...]).decode
_place = Decoder(Place).decode


class TableSnapshot:
    """What one table keeps, with the rows behind it.

    `size` is that of the latest snapshot, `head` the one that it was taken up with.
    """

    def __init__(self, rows: TableRows, head: StoredHead | None = None) -> None:
        self.rows = rows
        self.size = head.size if head else 0
        self._headed = self.size
        high = defaultdict(lambda: -1, head.highest if head else {})
        self.head = head
        self.entries = Entries(rows, self.size)
        self.records = Records(self.entries)
        self._of_rolls = numbers_of(rows, "of_rolls", high["of_rolls"])
        self._of_all = Positions(rows, "of_all", high["of_all"] + 1)
        self._follow = numbers_of(rows, "follow", high["follow"])
        self._erasures = numbers_of(rows, "erasures", high["erasures"])
        self.index = EntryIndex(self._of_rolls, self._of_all, self._follow, self._erasures)
        self._nodes = nodes_of(rows, high["nodes"])
        self.tree = StoredTree(self.entries, self._nodes)
        self._parts: Numbers[tuple[Parts, ...]] = Numbers(
            Kind(rows, "parts", pack, lambda _, body: _parts(body), high["parts"])
        )
        self._hidden = numbers_of(rows, "hidden_entries", high["hidden_entries"])
        self._places: Numbers[Place] = Numbers(
            Kind(rows, "places", pack, lambda _, body: _place(body), high["places"])
        )
        self._changes = numbers_of(rows, "changes", high["changes"])
        self.visible_parts = VisibleParts(self._parts, self._hidden, self._places, self._changes)

    @property
    def _grown(self) -> tuple[Any, ...]:
        """What an Aggregate keeps beside its entries."""
        of_entries = (self._of_rolls, self._of_all, self._follow, self._erasures, self._nodes)
        return *of_entries, self._parts, self._hidden, self._places, self._changes

    @property
    def kept(self) -> Kept:
        """What an Aggregate of the table keeps."""
        return Kept(
            self.entries, self.records, self.index, self.visible_parts, self.tree, self.opened
        )

    def opened(self, state: TableState) -> TableState:
        """A table that was just opened, what grows in it in rows."""
        texts = texts_of(self.rows, self.entries, Map())
        return placed(state, self._rolls(state.game), texts, self._indexes(0, {}))

    def _rolls(self, game: Game, size: int = 0, highest: int = 0, count: int = 0) -> AllRolls:
        self._game = game
        return rolls_of(self.rows, lambda: self._game, size, highest, count)

    def _indexes(self, size: int, highest: Mapping[str, int]) -> dict[str, Index[Any]]:
        """What else is in rows, as a table of this size has it."""
        found = dict[str, Index[Any]]()
        for name, (packed, unpacked, dense) in INDEXES.items():
            high = highest.get(name, -1)
            kind = Kind(self.rows, name, packed, _numberless(unpacked), high, dense=dense)
            found[name] = Index(kind, size)
        return found

    # --- taken up ---------------------------------------------------------------------------------

    def take_up(self, aggregate: Aggregate, first: Entry, rulesets: Rulesets) -> bool:
        """Give an aggregate the table of the latest snapshot; False where there is none to trust.

        `aggregate` keeps what `kept` is, and has nothing yet; `first` is the log's first entry.
        """
        head = self.head
        if head is None or head.opened.leaf != first.leaf:
            return False
        opened = opened_by(head, rulesets)
        if not fits(head, self.rows.table, opened):
            return False
        names = {about: written_at(self.entries, seqs) for about, seqs in head.names.items()}
        named = Map({about: texts for about, texts in names.items() if texts})
        aggregate.state = placed(
            state_of(head, opened),
            self._rolls(opened.game, head.size, head.highest["rolls"], head.rolls),
            texts_of(self.rows, self.entries, named, head.size, head.highest["texts"]),
            self._indexes(head.size, head.highest),
        )
        self.index.highest = head.noted
        self.index.asked.update(head.asked)
        self.visible_parts.unrevealed = set(head.unrevealed)
        self.visible_parts.known = aggregate.state
        aggregate.frontier = head.frontier
        return True

    @property
    def leaf(self) -> bytes:
        """The leaf of the last entry before the snapshot that is taken up."""
        return self.head.leaf if self.head else b""

    @property
    def usage(self) -> bytes:
        """What the service had put into the head that was taken up."""
        return self.head.usage if self.head else b""

    # --- written ----------------------------------------------------------------------------------

    def due(self, aggregate: Aggregate) -> bool:
        """Whether the next snapshot is due: at once where others erased what is in this one."""
        return len(aggregate.entries) - self._headed >= EVERY or self.entries.withheld

    def outrun(self, aggregate: Aggregate) -> bool:
        """Whether others wrote snapshots since, so that rows of this one may be gone."""
        return self.rows.shared and len(aggregate.entries) - self._headed >= 2 * EVERY

    def put_off(self, aggregate: Aggregate) -> None:
        """Know that the next snapshot could not be written: it is due after as many entries."""
        self._headed = len(aggregate.entries)

    def write(self, aggregate: Aggregate, usage: bytes | None) -> None:
        """Write the next snapshot of the table as it is; nobody may change or read it meanwhile.

        Without `usage` it has no head, and is nothing to open a table through: as long as not all
        of a log is read and checked; among rows that
        others read nothing is written then. Raises Unavailable where it cannot be written: then
        nothing has changed.
        """
        if usage is None and self.rows.shared:
            return
        rows = self.rows_of(aggregate, usage)
        self.write_rows(rows, len(aggregate.entries))
        self.wrote(aggregate, rows)

    def write_rows(self, rows: Batch, size: int) -> None:
        """Write what `rows_of` gave of a table of this size. Raises as `write`.

        Nothing that was erased stays in the store.

        Rows without a head are of a later size than the head that is there, which goes.
        """
        headed = any(kind is None for kind, *_ in rows)
        withheld = {*self.entries.rewritten}
        for kind, seq, _, row in rows:
            if kind is self.entries.kind and seq in withheld:
                self._write_over(seq, row)
        written = (
            row
            for kind, each, _, row in rows
            if kind is not self.entries.kind or each not in withheld
        )
        self.rows.write(written, without=() if headed else ((HEAD, 0),), size=size)
        if self.entries.withheld:
            self.rows.snapshots.purge()

    def rows_of(self, aggregate: Aggregate, usage: bytes | None) -> Batch:
        """What the next snapshot writes: the kind, the number, the object and its row of each."""
        state, _ = aggregate.opened, aggregate.tree  # extended: its nodes are rows too
        found = [
            (kind, each, item, kind.row(each, item, state.size))
            for kind, changed in self._changed(state)
            for each, item in changed
        ]
        high = {kind.name: kind.highest for kind, _ in self._changed(state)}
        for kind, each, _, _ in found:
            high[kind.name] = max(high[kind.name], each)
        found += self._marks(state, found)
        if usage is None:
            return found
        first = aggregate.records[0]
        if first is None:
            raise Defect("a table without its first entry has no snapshot")
        head = self._new_head(aggregate, state, first, high, usage)
        return [*found, (None, 0, None, (HEAD, 0, encoded(head)))]

    def _marks(self, state: TableState, found: Batch) -> Iterator[tuple[Any, int, Any, Row]]:
        """The rows of marks that these rows change."""
        numbers: dict[Any, list[int]] = {}
        for kind, each, _, _ in found:
            numbers.setdefault(kind, []).append(each)
        for kind, written in numbers.items():
            for page, bits in kind.marked(written).items():
                yield kind.marks, page, bits, kind.marks.row(page, bits, state.size)

    def wrote(self, aggregate: Aggregate, rows: Batch) -> None:
        """Let go of what is in these rows, which were written."""
        self.rows.wrote(len(aggregate.entries))
        self._game = aggregate.opened.game  # which may read something otherwise since
        for kind, each, item, row in rows:
            if kind is None:
                self._headed = len(aggregate.entries)
            else:
                kind.wrote(each, item, row)
        self._let_go(aggregate)

    def _write_over(self, seq: int, row: Row) -> None:
        """Write an entry in place of all that it was, for whatever size others read it."""
        self.rows.write([row], [(self.entries.kind.name, seq)], seq + 1)

    def erase(self, seq: int) -> None:
        """Let nothing of an entry's text stay in the file, once the table has it withheld.

        Raises StaleSnapshot, and Unavailable where nothing can be written.
        """
        if seq < self.size:
            entry = self.entries[seq]
            row = self.entries.kind.row(seq, entry, self.size)
            self._write_over(seq, row)
            self.entries.kind.wrote(seq, entry, row)
            self.entries.erased(seq)
            self.rows.snapshots.purge()

    def kinds(self, aggregate: Aggregate) -> list[Kind[Any]]:
        """All kinds of rows of the table."""
        return [kind for kind, _ in self._changed(aggregate.opened)]

    def _changed(self, state: TableState) -> Iterator[tuple[Kind[Any], Iterator[tuple[int, Any]]]]:
        """What changed since the last snapshot, by the kind of its rows."""
        for index in _indexes(state):
            yield index.kind, index.changed()
        for one in self._grown:
            yield one.kind, one.changed()
        yield self.entries.kind, self.entries.changed()

    def _new_head(
        self,
        aggregate: Aggregate,
        state: TableState,
        first: RecordedEvent,
        high: dict[str, int],
        usage: bytes,
    ) -> StoredHead:
        tree = aggregate.frontier
        texts = state.texts
        if not isinstance(texts, StoredTexts):
            raise Defect("the texts of the table are kept elsewhere")
        leaf = aggregate.entries[-1].leaf
        unrevealed, index = self.visible_parts.unrevealed, self.index
        return head_of(state, tree, leaf, first, texts.names, unrevealed, index, high, usage)

    def _let_go(self, aggregate: Aggregate) -> None:
        """Drop from memory what is in rows now."""
        state, size = aggregate.opened, len(aggregate.entries)
        rolls, texts = state.rolls, state.texts
        if not isinstance(rolls, AllRolls) or not isinstance(texts, StoredTexts):
            raise Defect("the table is kept elsewhere")
        indexes = {each.kind.name: each.written(size) for each in _indexes(state)}
        aggregate.state = placed(state, rolls.written(size), texts.written(size), indexes)
        for one in self._grown:
            one.written()
        self.entries.written()
        self.records.written()
        self.visible_parts.known = aggregate.state
        self.size = size
        aggregate.stored = 0


def placed(
    state: TableState, rolls: AllRolls, texts: StoredTexts, indexes: Mapping[str, Index[Any]]
) -> TableState:
    """A table with these of its parts in rows."""
    return replace(
        state,
        rolls=rolls,
        texts=texts,
        following=indexes["following"],
        writings=indexes["writings"],
        entry_rolls=indexes["entry_rolls"],
        timeline=replace(state.timeline, held=indexes["moments"]),
        corrections=replace(
            state.corrections, taken=replace(state.corrections.taken, held=indexes["takings"])
        ),
    )


def _numberless(unpack: Callable[[bytes], T]) -> Callable[[int, bytes], T]:
    return lambda _, body: unpack(body)


def _indexes(state: TableState) -> list[Any]:
    """The parts of a table's state that are in rows."""
    texts = state.texts
    if not isinstance(texts, StoredTexts):
        raise Defect("the table is kept elsewhere")
    return [
        state.rolls,
        state.following,
        texts.about,
        state.writings,
        state.entry_rolls,
        state.timeline.held,
        state.corrections.taken.held,
    ]


def latest(rows: TableRows) -> TableSnapshot:
    """The table with its latest snapshot; without one that can be used nothing of it is left.

    Raises StaleSnapshot.
    """
    body = rows.read(HEAD, 0)
    head = None if body is None else decoded(body)
    if head is None:
        rows.start_over()
    return TableSnapshot(rows, head)
