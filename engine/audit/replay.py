"""A log followed entry by entry, as a table would, in memory that does not grow with it.

Nothing is judged here. What cannot be followed is passed over: a forged entry may be anything.
"""

import pickle
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

from immutables import Map
from msgspec.structs import replace

from ...errors import Damaged, Refused, Unavailable, UrimError
from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...events.roll import DamageApplied
from ...events.table import CharacterEntered, TrackSet
from ...projections.rollstate import LIVE, RollState
from ...projections.tables import REOPENING, Rulesets, TableState, fold, pass_over
from ...projections.tracks import Tracks, counting, track_change
from .roll_store import Following, Rolls, RollStore

TEXTS = (tabled.Noted, tabled.SeatNamed, tabled.CharacterNamed)
"""Names and notes: who wrote them is kept, and of notes no more."""

STRIDE = 64
"""Entries that change tracks between two places where all tracks are written down."""

OF_SHEETS = (CharacterEntered, TrackSet)


class Unfollowable(Exception):
    """An entry that no table can follow, and why."""


class Replay:
    """The table so far; `live` are the rolls under way that wait for a committed throw."""

    def __init__(self, rulesets: Rulesets) -> None:
        self.store = RollStore()
        self.live: set[int] = set()
        self._rulesets = rulesets
        self._telling = TrackLog(self.store)
        self._state: TableState | None = None
        self._stale: int | None = None

    @property
    def opened(self) -> TableState | None:
        """The table as it stands, its tracks perhaps told no further; None before it is opened."""
        return self._state

    def fresh(self) -> TableState | None:
        """The table as it stands, its tracks told again where voids had left them behind.

        Many rolls may be voided in a row, and the tracks are told once for all of them.
        """
        first, self._stale = self._stale, None
        if self._state is not None and first is not None:
            tracks = self._state.tracks  # they stay where a forged blow cannot be told
            with suppress(ValueError, TypeError, LookupError, ArithmeticError, Refused, Damaged):
                tracks = self._telling.again(self._state, first)
            self._state = replace(self._state, tracks=tracks)
        return self._state

    def open(self, record: RecordedEvent) -> None:
        """Follow the first entry. Raises Lost where it opens no table that is known here."""
        try:
            state = fold(None, record, self._rulesets)
        except UrimError as error:
            raise Unfollowable(str(error)) from error
        except (TypeError, ValueError, LookupError) as error:  # the rules cannot use these readings
            raise Unfollowable(said(error)) from error
        rolls: Any = self.store.rolls(state.game)
        following: Any = self.store.following()
        self._state = replace(state, rolls=rolls, following=following)

    def pass_over(self, entry: Entry) -> None:
        """Go on behind an entry that cannot be read, or followed."""
        if self._state is not None:
            self._state = pass_over(self._state, entry)

    @property
    def given(self) -> int:
        """The highest number of a roll so far."""
        return 0 if self._state is None else len(self._state.rolls)

    def number(self, given: int) -> TableState | None:
        """The table so far has this many rolls, some of which may be out of sight."""
        if self._state is not None:
            rolls: Any = cast(Rolls, cast(Any, self._state.rolls)).numbered(given)
            self._state = replace(self._state, rolls=rolls)
        return self._state

    def follow(self, entry: Entry, record: RecordedEvent) -> None:
        """Follow one more entry. Raises Lost, and then nothing has changed."""
        try:
            state = self._state
            if state is None:
                raise Unfollowable("the table is not open")
            if isinstance(record.event, tabled.Noted):
                self._state = pass_over(state, entry)
            else:
                self._state = self._kept(state, self._folded(state, record), record)
        except Unavailable:
            raise
        except Exception as error:  # a forged entry may break a system's code
            raise Unfollowable(said(error)) from error
        self._place(record)

    def _folded(self, state: TableState, record: RecordedEvent) -> TableState:
        """The table after the entry, but for tracks that it reopens."""
        if isinstance(record.event, tabled.EpochBegun):
            known = tuple(each for each in record.event.commits if each.roll in state.rolls)
            record = replace(record, event=replace(record.event, commits=known))
        return fold(state, record, self._rulesets)

    def _kept(self, before: TableState, after: TableState, record: RecordedEvent) -> TableState:
        event = record.event
        if tells(record):
            self._telling.note(record, before.tracks)
        rolls = cast(Rolls, cast(Any, after.rolls)).kept()
        following = cast(Following, cast(Any, after.following)).kept()
        after = replace(after, rolls=cast(Any, rolls), following=cast(Any, following), sheets=())
        if isinstance(event, REOPENING):
            firsts = (self._telling.first(event.roll), self._stale)
            self._stale = min((seq for seq in firsts if seq is not None), default=None)
        if isinstance(event, rolled.RollEventBase):
            self._count(rolls, event.roll)
        return after

    def _count(self, rolls: Rolls, number: int) -> None:
        roll = rolls[number]
        if roll.state in LIVE and roll.outstanding is not None:
            self.live.add(number)
        else:
            self.live.discard(number)

    def _place(self, record: RecordedEvent) -> None:
        """Write down whose entry it is, for notes about it and for whoever erases it."""
        event = record.event
        if isinstance(event, tabled.Noted):
            about = self.store.place(event.about)
            self.store.put_place(record.seq, None if about is None else about.roll, event.by)
        elif isinstance(event, TEXTS):
            self.store.put_place(record.seq, None, event.by)
        elif isinstance(event, rolled.RollEventBase):
            self.store.put_place(record.seq, event.roll)
        elif isinstance(event, tabled.EntryErased):
            self.store.forget(event.seq)

    def looking_back(self, state: TableState, roll: int) -> TableState:
        """The table for a command that asks what tracks were since a roll was declared."""
        known = state.rolls.get(roll)
        return state if known is None else self._telling.window(state, known.trail[0].seq)


class Watched(Mapping[str, Mapping[str, int]]):
    """Tracks by character that remember whether anybody looked."""

    def __init__(self, tracks: Tracks) -> None:
        self._tracks = tracks
        self.read = False

    def __getitem__(self, who: str) -> Mapping[str, int]:
        return _Own(self, self._tracks[who])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tracks)

    def __len__(self) -> int:
        return len(self._tracks)


class _Own(Mapping[str, int]):
    """One character's tracks, likewise."""

    def __init__(self, watched: Watched, own: Mapping[str, int]) -> None:
        self._watched = watched
        self._own = own

    def __getitem__(self, name: str) -> int:
        self._watched.read = True
        return self._own[name]

    def __iter__(self) -> Iterator[str]:
        self._watched.read = True
        return iter(self._own)

    def __len__(self) -> int:
        self._watched.read = True
        return len(self._own)


def said(error: Exception) -> str:
    """What went wrong, in words."""
    if isinstance(error, (Damaged, Refused, Unfollowable)):
        return str(error) if isinstance(error, Unfollowable) else error.why
    return f"{type(error).__name__}: {error}"


def tells(record: RecordedEvent) -> bool:
    """Whether an entry may change a track."""
    event = record.event
    return isinstance(event, (*OF_SHEETS, DamageApplied)) or bool(getattr(event, "effects", ()))


class TrackLog:
    """Every entry that may change a track, by its place, and the tracks before some of them."""

    def __init__(self, store: RollStore) -> None:
        self._store = store
        self._since = 0

    def note(self, record: RecordedEvent, before: Tracks) -> None:
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
            RecordedEvent(first - 1, 0, b"", CharacterEntered("", who, "", {}, cast(Any, own)))
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

    def _sheets(self, first: int) -> Iterator[RecordedEvent]:
        sql = "SELECT body FROM told WHERE seq >= ? AND body IS NOT NULL ORDER BY seq"
        for (body,) in self._store.run(sql, (first,)).fetchall():
            yield pickle.loads(body)  # noqa: S301


def _after(
    state: TableState, tracks: Tracks, seq: int, number: int | None, body: bytes | None
) -> Tracks:
    """The tracks after one entry, as it counts now."""
    if number is None:
        record = cast(RecordedEvent, pickle.loads(cast(bytes, body)))  # noqa: S301
        return track_change(state.game, state.ratings, tracks, record, None).after
    roll = state.rolls[number]
    for entry in counting(roll):
        if entry.seq == seq:
            return track_change(state.game, state.ratings, tracks, entry, roll).after
    return tracks
