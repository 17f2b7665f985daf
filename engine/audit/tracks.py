"""The tracks of an audited table, told again from where something changed, without its whole log.

What a void or an amendment changes begins at its roll's first effect, so that is where the telling
begins: from the tracks written down there, or a little before.
"""

import pickle
from collections.abc import Iterator
from typing import Any, cast

from immutables import Map
from msgspec.structs import replace

from ...events.codec import Recorded
from ...events.roll import DamageApplied
from ...events.table import CharacterEntered, TrackSet
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...projections.tracks import Tracks, counting, step_of
from .store import Rolls, Store

STRIDE = 64
"""Entries that change tracks between two places where all tracks are written down."""

OF_SHEETS = (CharacterEntered, TrackSet)


def tells(record: Recorded) -> bool:
    """Whether an entry may change a track."""
    event = record.event
    return isinstance(event, (*OF_SHEETS, DamageApplied)) or bool(getattr(event, "effects", ()))


class Telling:
    """Every entry that may change a track, by its place, and the tracks before some of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._since = 0

    def note(self, record: Recorded, before: Tracks) -> None:
        """Write down an entry that may change a track, and now and then the tracks before it."""
        body = pickle.dumps(record) if isinstance(record.event, OF_SHEETS) else None
        told = pickle.dumps(before) if self._since % STRIDE == 0 else None
        self._since += 1
        row = (record.seq, getattr(record.event, "roll", None), body, told)
        self._store.run("INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?)", row)

    def first(self, roll: int) -> int | None:
        """The first entry of a roll that may have changed a track."""
        found = self._store.run("SELECT min(seq) FROM told WHERE roll = ?", (roll,)).fetchone()
        return cast(int | None, found[0])

    def again(self, state: TableState, first: int, until: int | None = None) -> Tracks:
        """The tracks told again from entry `first`, to the end or to before entry `until`.

        What is written down on the way is put right.
        """
        sql = "SELECT seq, before FROM told WHERE seq <= ? AND before IS NOT NULL ORDER BY seq DESC"
        found = self._store.run(f"{sql} LIMIT 1", (first,)).fetchone()
        at, tracks = (-1, Map()) if found is None else (found[0], pickle.loads(found[1]))  # noqa: S301
        while True:
            rows = self._rows(at)
            for seq, number, body, kept in rows:
                if until is not None and seq >= until:
                    return cast(Tracks, tracks)
                if kept:
                    fresh = (pickle.dumps(tracks), seq)
                    self._store.run("UPDATE told SET before = ? WHERE seq = ?", fresh)
                tracks = _after(state, tracks, seq, number, body)
            if len(rows) < STRIDE:
                return cast(Tracks, tracks)
            at = rows[-1][0] + 1

    def _rows(self, at: int) -> list[Any]:
        sql = "SELECT seq, roll, body, before IS NOT NULL FROM told WHERE seq >= ? ORDER BY seq"
        return self._store.run(f"{sql} LIMIT {STRIDE}", (at,)).fetchall()

    def window(self, state: TableState, first: int) -> TableState:
        """The table for whoever asks what tracks were, or would be, at entry `first` or later.

        What came before is told in one breath, as if everybody had entered just then.
        """
        then = self.again(state, first, first)
        entering = tuple(
            Recorded(first - 1, 0, b"", CharacterEntered("", who, "", {}, cast(Any, own)))
            for who, own in then.items()
        )
        rolls = cast(Rolls, state.rolls).told_by(lambda rolls: self._since_entry(rolls, first))
        sheets = (*entering, *self._sheets(first))
        return replace(state, sheets=sheets, rolls=cast(Any, rolls))

    def _since_entry(self, rolls: Rolls, first: int) -> Iterator[RollState]:
        """The rolls that changed a track from entry `first` on, without what came before."""
        sql = "SELECT DISTINCT roll FROM told WHERE seq >= ? AND roll IS NOT NULL"
        for (number,) in self._store.run(sql, (first,)).fetchall():
            roll = rolls[number]
            yield replace(roll, trail=tuple(e for e in roll.trail if e.seq >= first))

    def _sheets(self, first: int) -> Iterator[Recorded]:
        sql = "SELECT body FROM told WHERE seq >= ? AND body IS NOT NULL ORDER BY seq"
        for (body,) in self._store.run(sql, (first,)).fetchall():
            yield pickle.loads(body)  # noqa: S301


def _after(
    state: TableState, tracks: Tracks, seq: int, number: int | None, body: bytes | None
) -> Tracks:
    """The tracks after one entry, as it counts now."""
    if number is None:
        record = cast(Recorded, pickle.loads(cast(bytes, body)))  # noqa: S301
        return step_of(state.game, state.ratings, tracks, record, None).after
    roll = state.rolls[number]
    for entry in counting(roll):
        if entry.seq == seq:
            return step_of(state.game, state.ratings, tracks, entry, roll).after
    return tracks
