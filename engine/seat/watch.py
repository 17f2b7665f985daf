"""What a client watches beside its own part: commands in its seat's name, and what others undo."""

from collections.abc import Collection

from ...events.codec import Event
from ...events.roll import RollDeclared, RollVoided, ShareOpened, ThrowAsked
from ...events.ruling import DeclarationReplaced, DeclarationVetoed, DisputeRaised
from ...events.table import CharacterGiven, SeatLeft, SeatTaken

ASKED = (ThrowAsked, SeatLeft, RollDeclared, RollVoided, DisputeRaised, CharacterGiven)
"""What a seat's player alone asks for, beside throws, anchors and shares. A narrator's seat takes
others in by the host's own doing, where a link is exchanged."""

UNDOING = (RollVoided, DeclarationVetoed, DeclarationReplaced)
"""What ends or replaces a roll, whatever its dice."""


class Watch:
    """What one seat watches."""

    def __init__(self, seat: str) -> None:
        self._seat = seat
        self._gave: set[int] = set()

    def asks_itself(self, event: Event) -> bool:
        """Whether the seat's player alone asks for what led to an event of the seat."""
        takes_key = isinstance(event, SeatTaken) and event.seat == self._seat
        return takes_key or isinstance(event, ASKED)

    def undone(self, event: Event, drawn: Collection[int]) -> int | None:
        """The roll that another seat ends or replaces by this event.

        None where it does not, and for a roll that the seat opened no share for and drew no nonce
        for: `drawn` are those for which it did.
        """
        if isinstance(event, ShareOpened) and event.by == self._seat:
            self._gave.add(event.roll)
        if not isinstance(event, UNDOING) or event.by == self._seat:
            return None
        return event.roll if event.roll in self._gave or event.roll in drawn else None
