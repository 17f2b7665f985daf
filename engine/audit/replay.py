"""A log is followed entry by entry, as a table would.

Nothing is judged here. What cannot be followed is passed over: a forged entry may be anything.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from immutables import Map
from msgspec import to_builtins
from msgspec.structs import replace

from ...errors import Damaged, Refused, UrimError
from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...projections.shares import after_share
from ...projections.tables import Rulesets, TableState, fold, pass_over
from ...projections.tracks import Tracks

COMPUTED = ("declaration", "declared", "reaction", "outcome", "damage")
"""Fields of events that the rules compute on with."""

LARGEST = 1_000_000
"""The largest number there that was not decided: a forger's may say how many dice there are."""


class Unfollowable(Exception):
    """An entry that no table can follow, and why."""


def opened(record: RecordedEvent, rulesets: Rulesets) -> TableState:
    """The table after its first entry. Raises Unfollowable where that opens none known here."""
    try:
        return fold(None, record, rulesets)
    except UrimError as error:
        raise Unfollowable(str(error)) from error
    except (TypeError, ValueError, LookupError) as error:  # the rules cannot use these readings
        raise Unfollowable(error_text(error)) from error


def followed(
    state: TableState, record: RecordedEvent, rulesets: Rulesets, *, decided: bool
) -> TableState:
    """The table after one more entry, which was decided again or not. Raises Unfollowable."""
    event = record.event
    for name in () if decided else COMPUTED:
        if _is_large(to_builtins(getattr(event, name, None))):
            raise Unfollowable(f"{name} has a number beyond {LARGEST:,}")
    if isinstance(event, tabled.EpochBegun):
        known = tuple(each for each in event.commits if each.roll in state.rolls)
        record = replace(record, event=replace(event, commits=known))
    try:
        return fold(state, record, rulesets)
    except Exception as error:  # a forged entry may break a system's code
        raise Unfollowable(error_text(error)) from error


def _is_large(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_large, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_large, value))
    return isinstance(value, int | float) and not -LARGEST <= value <= LARGEST


def overheard(state: TableState, entry: Entry, record: RecordedEvent) -> TableState:
    """The table after an open entry of a roll that is not disclosed: what it says of the seats."""
    after = after_share(state, record)
    return pass_over(replace(after, kept_back=after.kept_back - {record.event.by}), entry)


def with_shares(state: TableState, events: list[RecordedEvent]) -> TableState:
    """The table as a commit has it about shares, where other rolls' entries are missing.

    They may have asked for shares, and show who kept one back.
    """
    seats = state.seats
    for event in [record.event for record in events]:
        for seat, i in event.asked if isinstance(event, rolled.ThrowAsked) else ():
            known = seats.get(seat)
            if known is not None and known.anchor is not None and i > known.anchor.asks:
                anchor = replace(known.anchor, asks=i - 1)
                seats = seats.set(seat, replace(known, anchor=anchor))
    at_once = isinstance(events[0].event, (rolled.DiceRolled, rolled.DiceRerolled))
    return replace(state, seats=seats, kept_back=frozenset(seats if at_once else ()))


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
    if isinstance(error, (Damaged, Refused)):
        return error.why
    return f"{type(error).__name__}: {error}"
