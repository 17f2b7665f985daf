"""One commit as an audit meets it: the events that must come next, and the text that may."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import Event, RecordedEvent
from .deferred import LEGAL, Wrong, told

NAMED: Mapping[type, type] = {
    tabled.SeatTaken: tabled.SeatNamed,
    tabled.CharacterEntered: tabled.CharacterNamed,
}
"""Events behind which a name may stand in the same commit."""

REASONED = (
    rolled.RollDeclared,
    rolled.RollVoided,
    ruling.RollAmended,
    ruling.DeclarationVetoed,
    ruling.DeclarationReplaced,
    ruling.DisputeRaised,
    ruling.RulingMade,
)
"""Events behind which a reason, or a label, may stand in the same commit."""


class Follower(Struct, frozen=True):
    """A roll voided out of its voider's sight: `wrong`, unless what it follows comes next."""

    record: RecordedEvent
    wrong: Wrong
    parent: int


class Commit:
    """What the commit under way still owes, entry by entry.

    Its first event is decided by somebody else. A void or an amendment may bring others with it.
    Followers, which are voided first, are voids of their own here: nothing else is asked of them,
    unless the seat may not see them, and could void them only together with what they follow.
    """

    def __init__(self) -> None:
        self._followers: list[Follower] = []
        self._rest: tuple[Event, ...] = ()
        self._first: RecordedEvent | None = None

    @property
    def owed(self) -> Event | None:
        """The event that must come next."""
        return self._rest[0] if self._rest else None

    def begin(self, first: RecordedEvent, rest: tuple[Event, ...]) -> None:
        """A commit whose first event is there."""
        self._first, self._rest = first, rest

    def paid(self) -> None:
        """What was owed is there, or withheld."""
        self._rest = self._rest[1:]

    def broken_off(self, event: Event | None) -> Wrong:
        """Another event, or none, came instead of the one owed; the commit is over."""
        expected = told(self._rest[0]) if self._rest else None
        self.over()
        found = told(event) if event else "the end of the log"
        return Wrong(LEGAL, "a commit was broken off", expected, found)

    def over(self) -> None:
        """Nothing more of it is expected."""
        self._first, self._rest = None, ()

    def goes_on(self, event: Event) -> bool:
        """Whether an event is the one owed, whatever else it says."""
        owed = self.owed
        number = getattr(owed, "roll", None)
        return type(owed) is type(event) and number == getattr(event, "roll", None)

    def is_text(self, event: Any) -> bool:
        """Whether an event is the name, label or reason that may stand behind the commit."""
        first = self._first.event if self._first else None
        if first is None or self._first is None or self._rest or event.by != first.by:
            return False
        if isinstance(event, tabled.Noted):
            return isinstance(first, REASONED) and event.about == self._first.seq
        kind = NAMED.get(type(first))
        who = "seat" if kind is tabled.SeatNamed else "character"
        return type(event) is kind and getattr(event, who) == getattr(first, who)

    def follower(self, record: RecordedEvent, wrong: Wrong, parent: int) -> None:
        """A void that is right only if the roll that it follows is voided or amended at once."""
        self._followers.append(Follower(record, wrong, parent))

    def unexplained(self, event: Event | None) -> list[Follower]:
        """The followers' voids that `event`, which comes next, does not explain; None: the end."""
        if not self._followers:
            return []
        left = self._followers
        goes_on = isinstance(event, (rolled.RollVoided, ruling.RollAmended))
        if isinstance(event, (rolled.RollVoided, ruling.RollAmended)):
            by, roll = event.by, event.roll
            left = [each for each in left if (each.parent, each.record.event.by) != (roll, by)]
            goes_on = isinstance(event, rolled.RollVoided)
        self._followers = left if goes_on else []
        return [] if goes_on else left
