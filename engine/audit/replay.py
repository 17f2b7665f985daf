"""A log is followed entry by entry, as a table would, in memory that does not grow with it.

Nothing is judged here. What cannot be followed is passed over: a forged entry may be anything.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias, TypeVar

from immutables import Map
from msgspec import json, msgpack
from msgspec.structs import replace

from ...errors import Damaged, Defect, Refused, Unavailable, UrimError
from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...events.roll import DamageApplied
from ...events.table import CharacterEntered, TrackSet
from ...projections.automaton import LIVE
from ...projections.numbered import Indexed
from ...projections.rollstate import RollState
from ...projections.tables import REOPENING, Rulesets, TableState, fold, pass_over
from ...projections.tracks import Tracks, counting, track_change
from .cache import PrivateFile
from .roll_store import Following, Rolls, RollStore, Stored

T = TypeVar("T")

STRIDE = 64
"""Entries that change tracks between two snapshots of all tracks."""

OF_SHEETS = (CharacterEntered, TrackSet)

CHANGING = (*OF_SHEETS, DamageApplied, rolled.RollRevealed)
"""Events that may change a track without effects of their own: what a roll spent while it was
hidden counts from its reveal on."""
"""Events that set tracks without a roll."""


class Unfollowable(Exception):
    """An entry that no table can follow, and why."""


class Replay:
    """The table so far; `live` are the rolls under way."""

    def __init__(self, rulesets: Rulesets, file: PrivateFile) -> None:
        self.store = RollStore(file)
        self.track_log = TrackLog(file)
        self.live: set[int] = set()
        self._rulesets = rulesets
        self._state: TableState | None = None
        self._stale: int | None = None  # the first entry from which tracks must be recomputed

    @property
    def opened(self) -> TableState | None:
        """The table now, its tracks perhaps not recomputed yet; None before it is opened."""
        return self._state

    def current(self) -> TableState | None:
        """The table now, its tracks recomputed where a roll was voided or amended.

        Many rolls may be voided in a row: the tracks are recomputed once for all of them.
        """
        first, self._stale = self._stale, None
        if self._state is not None and first is not None:
            tracks = self._state.tracks  # kept where a forged damage event stops the recomputation
            with suppress(ValueError, TypeError, LookupError, ArithmeticError, Refused, Damaged):
                tracks = self.track_log.recompute_from(self._state, first)
            self._state = replace(self._state, tracks=tracks)
        return self._state

    def open(self, record: RecordedEvent) -> None:
        """Follow the first entry. Raises Unfollowable where it opens no table known here."""
        try:
            state = fold(None, record, self._rulesets)
        except UrimError as error:
            raise Unfollowable(str(error)) from error
        except (TypeError, ValueError, LookupError) as error:  # the rules cannot use these readings
            raise Unfollowable(error_text(error)) from error
        self._state = replace(
            state,
            rolls=self.store.rolls(state.game),
            following=self.store.following(),
            entry_rolls=self.store.entry_rolls(),
            writings=self.store.writings(),
        )

    def pass_over(self, entry: Entry) -> None:
        """Count an entry that cannot be read or followed, and no more."""
        if self._state is not None:
            after = pass_over(self._state, entry)
            kept = {name: _kept(getattr(after, name)) for name in ("entry_rolls", "writings")}
            self._state = replace(after, **kept)

    @property
    def highest_roll(self) -> int:
        """The highest number of a roll so far."""
        return 0 if self._state is None else len(self._state.rolls)

    def set_highest_roll(self, number: int) -> TableState | None:
        """The table so far has this many rolls, some of which this file may not show."""
        if self._state is not None:
            rolls, _ = _stored_in(self._state)
            self._state = replace(self._state, rolls=rolls.with_highest(number))
        return self._state

    def follow(self, entry: Entry, record: RecordedEvent) -> None:
        """Follow one more entry. Raises Unfollowable, and then nothing has changed."""
        try:
            state = self._state
            if state is None:
                raise Unfollowable("the table is not open")
            self._state = self._stored(state, self._folded(state, record), record)
        except Unavailable:
            raise
        except Exception as error:  # a forged entry may break a system's code
            raise Unfollowable(error_text(error)) from error

    def _folded(self, state: TableState, record: RecordedEvent) -> TableState:
        """The table after the entry, but for tracks that must be recomputed."""
        if isinstance(record.event, tabled.EpochBegun):
            known = tuple(each for each in record.event.commits if each.roll in state.rolls)
            record = replace(record, event=replace(record.event, commits=known))
        return fold(state, record, self._rulesets)

    def _stored(self, before: TableState, after: TableState, record: RecordedEvent) -> TableState:
        """The table after the entry, its changed rolls and tracks stored."""
        event = record.event
        rolls, following = _stored_in(after)
        roll = rolls.get(event.roll) if isinstance(event, rolled.RollEventBase) else None
        if may_change_tracks(record) and (roll is None or not roll.hidden):
            self.track_log.add(record, before.tracks)
        rolls, following = rolls.stored(), following.stored()
        # What grows with the log is in the store, or is not asked for here.
        after = replace(
            after,
            rolls=rolls,
            following=following,
            sheets=(),
            texts=Map(),
            entry_rolls=_kept(after.entry_rolls),
            writings=_kept(after.writings),
        )
        if isinstance(event, REOPENING):
            firsts = (self.track_log.first_change(event.roll), self._stale)
            self._stale = min((seq for seq in firsts if seq is not None), default=None)
        if isinstance(event, rolled.RollEventBase):
            self._count(rolls, event.roll)
        return after

    def _count(self, rolls: Rolls, number: int) -> None:
        roll = rolls[number]
        if roll.state in LIVE:
            self.live.add(number)
        else:
            self.live.discard(number)

    def with_live(self, state: TableState) -> TableState:
        """The table for a command that goes through all rolls under way."""
        rolls, _ = _stored_in(state)
        listed = rolls.with_values(lambda rolls: (rolls[number] for number in sorted(self.live)))
        return replace(state, rolls=listed)

    def looking_back(self, state: TableState, roll: int) -> TableState:
        """The table for a command that needs the tracks since a roll was declared."""
        known = state.rolls.get(roll)
        return state if known is None else self.track_log.window(state, known.trail[0].seq)


def _stored_in(state: TableState) -> tuple[Rolls, Following]:
    """The rolls and followers of a table opened here, as the objects that they are."""
    rolls, following = state.rolls, state.following
    if isinstance(rolls, Rolls) and isinstance(following, Following):
        return rolls, following
    raise Defect("the table of an audit keeps its rolls elsewhere")


def _kept(index: Indexed[T]) -> Stored[T]:
    """An index of a table opened here, every change in the store."""
    if isinstance(index, Stored):
        return index.stored()
    raise Defect("the table of an audit keeps its entries elsewhere")


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


def error_text(error: Exception) -> str:
    """What went wrong, in words."""
    if isinstance(error, (Damaged, Refused, Unfollowable)):
        return str(error) if isinstance(error, Unfollowable) else error.why
    return f"{type(error).__name__}: {error}"


# --- tracks ---------------------------------------------------------------------------------------


def may_change_tracks(record: RecordedEvent) -> bool:
    """Whether an entry may change a track where its roll is not hidden."""
    event = record.event
    return isinstance(event, CHANGING) or bool(getattr(event, "effects", ()))


SCHEMA = (
    "CREATE TABLE changes (seq INTEGER PRIMARY KEY, roll INTEGER, sheet BLOB, snapshot BLOB)",
    "CREATE INDEX changes_of ON changes (roll)",
)
"""Entries that may change a track: `sheet` is the entry itself where it is of no roll, `snapshot`
all tracks before it, for every STRIDE-th."""

Change: TypeAlias = tuple[int, int | None, bytes | None, bool]
"""One of them: its sequence, its roll, its `sheet`; whether it has a snapshot."""

_sheet_encoder = msgpack.Encoder()
_sheet = msgpack.Decoder(RecordedEvent)
_snapshot = json.Decoder(dict[str, dict[str, int]])


def _packed(tracks: Tracks) -> bytes:
    """All tracks as JSON: forged prices may add up to more than MessagePack's 64 bits."""
    return json.encode({who: dict(own) for who, own in tracks.items()})


def _unpacked(body: bytes) -> Tracks:
    return Map({who: Map(own) for who, own in _snapshot.decode(body).items()})


class TrackLog:
    """Every entry that may change a track, and snapshots of all tracks before some of them."""

    def __init__(self, file: PrivateFile) -> None:
        self._file = file
        self._count = 0
        for statement in SCHEMA:
            file.run(statement)

    def add(self, record: RecordedEvent, before: Tracks) -> None:
        """Add an entry that may change a track; `before` are the tracks before it."""
        sheet = _sheet_encoder.encode(record) if isinstance(record.event, OF_SHEETS) else None
        snapshot = _packed(before) if self._count % STRIDE == 0 else None
        self._count += 1
        row = (record.seq, getattr(record.event, "roll", None), sheet, snapshot)
        self._file.run("INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)", row)

    def first_change(self, roll: int) -> int | None:
        """The first entry of a roll that may have changed a track."""
        found = self._file.run("SELECT min(seq) FROM changes WHERE roll = ?", (roll,)).fetchone()
        first: int | None = found[0]
        return first

    def recompute_from(self, state: TableState, first: int, until: int | None = None) -> Tracks:
        """The tracks recomputed from entry `first`, to the end or to before entry `until`.

        The snapshots on the way are corrected.
        """
        at, tracks = self._snapshot_before(first)
        while True:
            changes = self._changes(at)
            for change in changes:
                seq, _, _, has_snapshot = change
                if until is not None and seq >= until:
                    return tracks
                if has_snapshot:
                    row = (_packed(tracks), seq)
                    self._file.run("UPDATE changes SET snapshot = ? WHERE seq = ?", row)
                tracks = _after(state, tracks, change)
            if len(changes) < STRIDE:
                return tracks
            at = changes[-1][0] + 1

    def _snapshot_before(self, first: int) -> tuple[int, Tracks]:
        """The last snapshot at entry `first` or before it, and its place."""
        sql = """SELECT seq, snapshot FROM changes WHERE seq <= ? AND snapshot IS NOT NULL
            ORDER BY seq DESC LIMIT 1"""
        found = self._file.run(sql, (first,)).fetchone()
        return (-1, Map()) if found is None else (found[0], _unpacked(found[1]))

    def _changes(self, at: int) -> list[Change]:
        """The next STRIDE changes from entry `at` on."""
        sql = "SELECT seq, roll, sheet, snapshot IS NOT NULL FROM changes WHERE seq >= ?"
        return self._file.run(f"{sql} ORDER BY seq LIMIT {STRIDE}", (at,)).fetchall()

    def window(self, state: TableState, first: int) -> TableState:
        """The table for anybody who needs the tracks as they were, or would be, from `first` on.

        What came before is put in one step: every character enters just then, with its tracks.
        """
        then = self.recompute_from(state, first, first)
        entering = tuple(
            RecordedEvent(first - 1, 0, b"", CharacterEntered("", who, "", {}, dict(own)))
            for who, own in then.items()
        )
        rolls, _ = _stored_in(state)
        rolls = rolls.with_values(lambda rolls: self._since(rolls, first))
        return replace(state, sheets=(*entering, *self._sheets(first)), rolls=rolls)

    def _since(self, rolls: Rolls, first: int) -> Iterator[RollState]:
        """The rolls that changed a track from entry `first` on, without what came before."""
        sql = "SELECT DISTINCT roll FROM changes WHERE seq >= ? AND roll IS NOT NULL"
        for (number,) in self._file.run(sql, (first,)).fetchall():
            roll = rolls[number]
            since = (e for e in roll.trail if roll.counts_from(e.seq) >= first)
            yield replace(roll, trail=tuple(since))

    def _sheets(self, first: int) -> Iterator[RecordedEvent]:
        sql = "SELECT sheet FROM changes WHERE seq >= ? AND sheet IS NOT NULL ORDER BY seq"
        for (sheet,) in self._file.run(sql, (first,)).fetchall():
            yield _sheet.decode(sheet)


def _after(state: TableState, tracks: Tracks, change: Change) -> Tracks:
    """The tracks after one entry, as it counts now."""
    seq, number, sheet, _ = change
    if sheet is not None:
        return track_change(state.game, state.ratings, tracks, _sheet.decode(sheet), None).after
    if number is not None:
        roll = state.rolls[number]
        for entry in counting(roll):
            if roll.counts_from(entry.seq) == seq:
                tracks = track_change(state.game, state.ratings, tracks, entry, roll).after
    return tracks
