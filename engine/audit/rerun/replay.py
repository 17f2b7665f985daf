"""A log is followed entry by entry, as a table would, in memory that does not grow with it.

Nothing is judged here. What cannot be followed is passed over: a forged entry may be anything.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from immutables import Map
from msgspec.structs import replace

from ....errors import Damaged, Defect, Refused, Unavailable, UrimError
from ....events import table as tabled
from ....events.codec import RecordedEvent
from ....events.entry import Entry
from ....projections.corrections import Corrections
from ....projections.lines import Lines
from ....projections.numbered import Indexed
from ....projections.shares import after_share
from ....projections.tables import Rulesets, TableState, fold, pass_over
from ....projections.timeline import Timeline
from ....projections.tracks import Tracks
from ..cache import PrivateFile
from .roll_store import Following, Rolls, RollStore, Stored

T = TypeVar("T")


class Unfollowable(Exception):
    """An entry that no table can follow, and why."""


class Replay:
    """The table so far."""

    def __init__(self, rulesets: Rulesets, file: PrivateFile) -> None:
        self.store = RollStore(file)
        self._rulesets = rulesets
        self._state: TableState | None = None

    @property
    def opened(self) -> TableState | None:
        """The table now; None before it is opened."""
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
            timeline=Timeline(self.store.moments()),
            corrections=Corrections(taken=Lines(self.store.takings())),
        )

    def pass_over(self, entry: Entry) -> None:
        """Count an entry that cannot be read or followed, and no more."""
        if self._state is not None:
            after = pass_over(self._state, entry)
            kept = {name: _kept(getattr(after, name)) for name in ("entry_rolls", "writings")}
            self._state = replace(after, **kept)

    def overhear(self, entry: Entry, record: RecordedEvent) -> None:
        """Follow an open entry of a roll that is not disclosed: what it says of the seats."""
        if self._state is not None:
            after = after_share(self._state, record)
            self._state = replace(after, kept_back=after.kept_back - {record.event.by})
        self.pass_over(entry)

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
            self._state = self._stored(self._folded(state, record))
        except Unavailable:
            raise
        except Exception as error:  # a forged entry may break a system's code
            raise Unfollowable(error_text(error)) from error

    def _folded(self, state: TableState, record: RecordedEvent) -> TableState:
        """The table after the entry."""
        if isinstance(record.event, tabled.EpochBegun):
            known = tuple(each for each in record.event.commits if each.roll in state.rolls)
            record = replace(record, event=replace(record.event, commits=known))
        return fold(state, record, self._rulesets)

    def _stored(self, after: TableState) -> TableState:
        """The table after the entry, all that grows with the log in the store."""
        rolls, following = _stored_in(after)
        taken = after.corrections.taken
        return replace(
            after,
            rolls=rolls.stored(),
            following=following.stored(),
            texts=Map(),
            entry_rolls=_kept(after.entry_rolls),
            writings=_kept(after.writings),
            timeline=replace(after.timeline, held=_kept(after.timeline.held)),
            corrections=replace(after.corrections, taken=replace(taken, held=_kept(taken.held))),
        )


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

    def set(self, who: str, own: Mapping[str, int]) -> Tracks:
        """The tracks with other ones of a character: who changes them has looked."""
        self.read = True
        return self._tracks.set(who, Map(own))

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

    def set(self, name: str, value: int) -> Map[str, int]:
        """The character's tracks with another value."""
        self._watched.read = True
        return Map(self._own).set(name, value)

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
