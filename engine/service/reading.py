"""A table read by a seat beside the queue: what it may see, and what it may do, from its view."""

from collections.abc import Callable, Collection, Sequence
from time import thread_time
from typing import TypeAlias, TypedDict, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.base import JSON
from ...events.codec import RecordedEvent, asked_in
from ...events.entry import Entry
from ...projections.account import Account, account
from ...projections.tables import TableState
from ...rules.ruleset import Rollable
from ..core.aggregate import Aggregate
from ..core.attempt import roll_of, seat_of
from ..core.choices import Choice, choices, rollables
from ..core.commands import AnyCommand
from ..core.kept import Numbers
from ..core.moves import (
    Awaited,
    Awaiting,
    Move,
    RollMoves,
    awaited,
    awaiting,
    in_language,
    legal_moves,
    moves,
)
from ..core.odds import Question, advised
from ..core.parse import read_logged, reread
from ..core.preview import Preview, preview
from ..core.sight import Sight, sight
from ..core.view import view_of
from ..core.visibility import redacted
from .news import News, ended_in, waits_in

T = TypeVar("T")

Rolls: TypeAlias = Collection[int] | None
"""Numbers of rolls that are read; None: all of them."""


class Waiting(Struct, frozen=True):
    """What a table of `size` entries waits for: what a seat may do, and whom else for."""

    size: int
    mine: tuple[Awaiting, ...]
    others: tuple[Awaited, ...]


class Answering(TypedDict, total=False):
    """Which roll is answered, and how: see `urim.engine.core.choices.choices`."""

    reacts_to: int | None
    follows: tuple[int, str] | None


class Given(Answering, total=False):
    """What is filled in besides a field: see `urim.engine.core.choices.choices`."""

    so_far: JSON | None


class Reading(Struct, frozen=True):
    """A table at one size of its log, for one seat.

    It can be read in another thread while the table goes on. `table` is the
    whole table; all that is answered is computed from the seat's view of it. `now` is in
    milliseconds since 1970. `entries`, `records` and `of_rolls` are the aggregate's and may grow
    meanwhile: what is beyond the size of `table` is not looked at.
    """

    table: TableState
    seat: str
    now: int
    entries: Sequence[Entry]
    records: Sequence[RecordedEvent | None]
    of_rolls: Numbers[tuple[int, ...]]

    @property
    def view(self) -> TableState:
        """The table as the seat ("" for nobody) may see it.

        Raises Refused("unknown") for a seat that is not there.
        """
        if self.seat:
            seat_of(self.table, self.seat)
        return view_of(self.table, self.seat)

    def rolls(self) -> tuple[int, ...]:
        """See `Service.rolls`."""
        return tuple(sorted(roll.number for roll in self.view.rolls.values()))

    def sight(self, language: str, rolls: Rolls = None) -> Sight:
        """See `Service.sight`."""
        return sight(self.table, self.seat, language=language, rolls=rolls)

    def legal_moves(self, language: str, rolls: Rolls = None) -> tuple[RollMoves, ...]:
        """See `Service.legal_moves`."""
        view = self.view
        found = legal_moves(view, self.seat, now=self.now, rolls=rolls)
        return tuple(replace(of, moves=in_language(view, of.moves, language)) for of in found)

    def moves(self, roll: int, language: str) -> tuple[Move, ...]:
        """See `Service.moves`."""
        view = self.view
        return in_language(view, moves(view, self.seat, roll, now=self.now), language)

    def awaiting(self, language: str) -> tuple[Awaiting, ...]:
        """See `Service.awaiting`."""
        return awaiting(self.table, self.seat, now=self.now, language=language)

    def awaited(self, language: str) -> tuple[Awaited, ...]:
        """See `Service.awaited`."""
        return awaited(self.table, self.seat, language=language)

    def waiting(self, language: str) -> Waiting:
        """See `Service.waiting`."""
        return Waiting(self.table.size, self.awaiting(language), self.awaited(language))

    def news(self, after: int, *, everybody: bool = False) -> News:
        """See `Service.news`."""
        # What everybody may see is what nobody in particular may.
        view = view_of(self.table, "") if everybody else self.view
        who = "" if everybody else self.seat
        seen = (self._seen(seq, who) for seq in range(max(after, -1) + 1, view.size))
        own = awaiting(view, self.seat, now=self.now)
        others = awaited(view, self.seat) if everybody else ()
        waits = tuple(waits_in(view, self.seat, own, others))
        return News(view.size, view.at, view.name or view.id, waits, tuple(ended_in(view, seen)))

    def preview(self, command: AnyCommand, language: str) -> Preview:
        """See `Service.preview`."""
        asked, found = reread(command), self._command_at
        return preview(
            self.table, self.seat, asked, now=self.now, command_at=found, language=language
        )

    def choices(self, character: str, field: str, given: Given) -> tuple[Choice, ...]:
        """See `Service.choices`."""
        return choices(self.table, self.seat, character, field, **given)

    def rollables(self, character: str, given: Answering) -> tuple[Rollable, ...]:
        """See `Service.rollables`."""
        return rollables(self.table, self.seat, character, **given)

    def question(self, roll: int) -> Question:
        """See `Service.question`."""
        return advised(self.view, self.seat, roll)

    def account(self, roll: int, language: str) -> Account:
        """See `Service.account`."""
        view = self.view
        roll_of(view, roll, self.seat)
        known = (
            self._seen(seq, self.seat) for seq in self.of_rolls.get(roll, ()) if seq < view.size
        )
        return account(view, known, roll, language=language)

    def _seen(self, seq: int, seat: str) -> RecordedEvent | None:
        """An entry that a seat may see, or with "" everybody."""
        seen = redacted(self.table, seat, self.entries[seq])
        return None if seen.payload is None else self.records[seq]

    def _command_at(self, seq: int) -> AnyCommand:
        """The command behind an entry. Raises Refused("not-seen") where the seat may not see it."""
        asked = asked_in(self.entries[seq]) if self._seen(seq, self.seat) is not None else None
        if asked is None:
            why = f"seat {self.seat!r} may not see entry {seq}, which is hidden"
            raise Refused("not-seen", why, allowed=["after it is revealed"])
        return read_logged(asked.body)


def timed(answer: Callable[[], T]) -> tuple[float, T]:
    """What is answered, and the processor's seconds that it took."""
    start = thread_time()
    found = answer()
    return thread_time() - start, found


def read_by(aggregate: Aggregate, seat: str) -> Reading:
    """The table as it is now, for a seat."""
    return Reading(
        aggregate.opened,
        seat,
        aggregate.now(),
        aggregate.entries,
        aggregate.records,
        aggregate.index.of_rolls,
    )
