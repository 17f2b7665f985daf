"""Where in a log is what: the entries of a roll, those of everybody, what erased a text.

It is derived from the entries. It only grows: who reads it up to some size need not wait for who
adds to it.
"""

from collections.abc import MutableSequence

from msgspec import Struct, field

from ...events.codec import Event
from ...events.roll import RollDeclared, RollEventBase
from ...events.table import EntryErased, EpochBegun, Noted, SeatTaken, TextSaid
from .kept import Numbers

Places = Numbers[tuple[int, ...]]


class Index(Struct):
    """The index of one table; `note` every entry of it that can be read in order.

    `of_rolls` are the entries of each roll, and those about it, by its number, oldest first;
    `of_all` those that are no roll's, no note and no text; `following` the rolls that were declared
    to follow a roll; `erasures` the entries that erase a text, by its entry. `asked` is where the
    newest command of each seat begins its commit, since it was taken for its person; an epoch is
    the host's. `highest` is the highest number of a roll.
    """

    of_rolls: Places = field(default_factory=dict[int, tuple[int, ...]])
    of_all: MutableSequence[int] = field(default_factory=list[int])
    following: Places = field(default_factory=dict[int, tuple[int, ...]])
    erasures: Places = field(default_factory=dict[int, tuple[int, ...]])
    asked: dict[str, int] = field(default_factory=dict[str, int])
    highest: int = 0

    def note(self, seq: int, event: Event | None, roll: int | None, *, first: bool = False) -> None:
        """Take in entry `seq`, which belongs to that roll or is about it (None: about no roll).

        Without an event, as one whose text was erased, it is only an entry about the roll. `first`:
        it begins its commit.
        """
        if first and event is not None and not isinstance(event, EpochBegun):
            self.asked[event.by] = seq
        if isinstance(event, SeatTaken) and event.by != event.seat:
            self.asked.pop(event.seat, None)
        if roll is not None:
            _add(self.of_rolls, roll, seq)
            self.highest = max(self.highest, roll)
        match event:
            case RollDeclared(follows=(parent, _)):
                _add(self.following, parent, event.roll)
            case EntryErased():
                _add(self.erasures, event.seq, seq)
            case RollEventBase() | Noted() | TextSaid() | None:
                pass
            case _:
                self.of_all.append(seq)


def _add(places: Places, number: int, more: int) -> None:
    places[number] = (*places.get(number, ()), more)
