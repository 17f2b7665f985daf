"""A table that is cut again and again, and compared with the same table in memory."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.pairs.play import TABLE, table_of
from urim.engine.core.aggregate import TICK, Aggregate
from urim.engine.core.commands import Asking, BreakThrow, apart
from urim.engine.core.moves import legal_moves
from urim.engine.core.parse import body_of
from urim.engine.core.sight import sight
from urim.engine.snapshots.file import Snapshots
from urim.engine.snapshots.table import TableSnapshot, latest
from urim.engine.testing.kit.luck import Luck
from urim.events.entry import HIDDEN
from urim.projections.history import history
from urim.projections.rollstate import BREAKING

KEY = bytes(32)
MEMORY = 20_000
"""Bytes of rows in memory: nearly none."""


class Cut:
    """A table whose snapshots are written, and which is opened through them, at any moment."""

    def __init__(self, folder: Path, seed: str, dice: str) -> None:
        folder.mkdir()
        self._path = folder / "snapshots"
        self._ticks = [TICK]
        self._environment = table_of(seed, dice, self._ticks).environment
        self._luck = Luck(f"cuts {seed}")
        self.done = Counter[str]()
        self._snapshots = Snapshots(self._path, MEMORY)
        self._known = self._new()
        self.aggregate = Aggregate(self._environment, self._known.kept)

    def _new(self) -> TableSnapshot:
        return latest(self._snapshots.table(TABLE, KEY))

    def ask(self, seat: str, asked: Asking, request: str) -> None:
        """Do what a seat asks; now and then a snapshot is written, and the table opened again."""
        plain, text = apart(asked)
        self._ticks[0] = BREAKING if isinstance(plain, BreakThrow) else TICK
        prepared = self.aggregate.prepare(seat, body_of(plain), request, text)
        self.aggregate.keep(replace(prepared, request=None))
        if self._luck.one_in(3):
            self._known.write(self.aggregate, b"")
            self.done["snapshots"] += 1
        if self._luck.one_in(8):
            self.cut()

    def cut(self) -> None:
        """Open the table again: through its latest snapshot, and by the entries behind it."""
        whole = list(self.aggregate.entries)
        self._snapshots.close()
        self._snapshots = Snapshots(self._path, MEMORY)
        self._known = self._new()
        size = self._known.size
        self.aggregate = Aggregate(self._environment, self._known.kept)
        if size:
            taken = self._known.take_up(self.aggregate, whole[0], self._environment.rulesets)
            assert taken, "the snapshot was not trusted"
            self.done["opened through a snapshot"] += 1
        self.aggregate.load(whole[size:])


def differences(wanted: Aggregate, found: Aggregate) -> list[str]:
    """What is not the same at two tables, in words; nothing where they are."""
    pairs = zip(_all_of(wanted), _all_of(found), strict=True)
    return [
        f"{what}:\n  {one}\n  {other}"
        for (what, all_), (_, others) in pairs
        for one, other in zip_longest(all_, others)
        if one != other
    ]


def _all_of(table: Aggregate) -> Iterator[tuple[str, Sequence[Any]]]:
    """All that can be asked of a table, each a list."""
    state = table.opened
    yield "entries", list(table.entries)
    yield "records", list(table.records)
    yield "root", [table.frontier.root()]
    yield "rolls", sorted(state.rolls.values(), key=lambda roll: roll.number)
    yield "count", (len(state.rolls), state.next_roll, state.size, state.at, state.epoch)
    yield "seats", (dict(state.seats), dict(state.characters), state.tracks)
    made, taken = state.corrections.made, state.corrections.taken
    yield "open", (set(state.open), made, state.hidden, state.commit)
    yield "taken", [[*taken.between(who, 0, state.size)] for who in sorted(taken.lists)]
    seqs = range(len(table.entries))
    yield "rolls of entries", [state.entry_rolls.get(seq) for seq in seqs]
    yield "writings", [state.writings.get(seq) for seq in seqs]
    yield "texts", sorted(state.texts.items())
    yield "moments", state.timeline.moments(0, state.size)
    yield "following", [state.following.get(number, ()) for number in range(state.next_roll)]
    yield (
        "of rolls",
        [tuple(table.index.of_rolls.get(number, ())) for number in range(state.next_roll)],
    )
    yield "of all", list(table.index.of_all)
    yield "erasures", [table.index.erasures.get(seq, ()) for seq in seqs]
    size = len(table.entries)
    yield "proofs", [table.tree.inclusion_proof(seq, size) for seq in seqs]
    yield "history", [line.text for line in history(state, table.records)]
    hidden = [entry.seq for entry in table.entries if entry.kind in HIDDEN]
    for seat, known in sorted(state.seats.items()):
        if known.here:
            yield f"sight of {seat}", [sight(state, seat)]
            yield f"moves of {seat}", legal_moves(state, seat, now=state.at)
        parts = table.visible_parts
        yield (
            f"parts of {seat}",
            [(s, at) for s in hidden for at in seqs if parts.shown(seat, s, at)],
        )
        yield (
            f"changes for {seat}",
            [list(parts.changed(seat, seq, seq + 1, seq)) for seq in seqs],
        )
