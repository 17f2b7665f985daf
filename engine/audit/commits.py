"""An audit follows one commit: the events that must come next, and the text that may."""

from collections.abc import Mapping
from typing import Any

from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import Event, RecordedEvent
from ..core.decide import REASONED
from .deferred import LEGAL, Wrong, event_text

NAMED: Mapping[type, type] = {
    tabled.SeatTaken: tabled.SeatNamed,
    tabled.CharacterEntered: tabled.CharacterNamed,
}
"""Events that a name may follow in the same commit."""

NOTED = (rolled.RollDeclared, *REASONED)
"""Events that a note, a label or a reason, may follow in the same commit."""


class Commit:
    """The events still expected in this commit, entry by entry.

    Its first event is checked elsewhere. What a void or an amendment brings with it comes behind.
    """

    def __init__(self) -> None:
        self._rest: tuple[Event, ...] = ()
        self._first: RecordedEvent | None = None

    @property
    def expected(self) -> Event | None:
        """The event that must come next."""
        return self._rest[0] if self._rest else None

    def begin(self, first: RecordedEvent, rest: tuple[Event, ...]) -> None:
        """The first event of a commit is there, and these must follow."""
        self._first, self._rest = first, rest

    def advance(self) -> None:
        """The event expected is there, or withheld."""
        self._rest = self._rest[1:]

    def broken_off(self, event: Event | None) -> Wrong:
        """Another event, or none, came instead of the one expected; the commit ends."""
        expected = event_text(self._rest[0]) if self._rest else None
        self.finish()
        found = event_text(event) if event else "the end of the log"
        return Wrong(LEGAL, "a commit was broken off", expected, found)

    def finish(self) -> None:
        """Nothing more is expected in this commit."""
        self._first, self._rest = None, ()

    def goes_on(self, event: Event) -> bool:
        """Whether an event is of the type and the roll expected."""
        expected = self.expected
        number = getattr(expected, "roll", None)
        return type(expected) is type(event) and number == getattr(event, "roll", None)

    def is_text(self, event: Any) -> bool:
        """Whether an event is the name, label or reason that may end the commit."""
        first = self._first.event if self._first else None
        if first is None or self._first is None or self._rest or event.by != first.by:
            return False
        if isinstance(event, tabled.Noted):
            return isinstance(first, NOTED) and event.about == self._first.seq
        kind = NAMED.get(type(first))
        who = "seat" if kind is tabled.SeatNamed else "character"
        return type(event) is kind and getattr(event, who) == getattr(first, who)
