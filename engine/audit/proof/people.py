"""The seats of a log as an audit knows them: roles, keys, chains of shares, who kept a share back.

It is the audit's own book, from the entries alone, and takes nothing from the projections: a fault
there does not hide from it.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from ....errors import Refused
from ....events import roll as rolled
from ....events import table as tabled
from ....events.base import Level, Role
from ....events.keys import checked_key
from ..line import Line


class Chain(Struct):
    """A seat's chain of shares, published by entry `seq`.

    `link` is the newest link that is known, and `at` its number; `asks` counts the asks that named
    the seat.
    """

    seq: int
    link: str
    at: int = 0
    asks: int = 0


class Person(Struct):
    """A seat: its role, whether somebody is there, its public key (32 bytes), its chain."""

    id: str
    role: Role
    here: bool = True
    key: bytes | None = None
    chain: Chain | None = None


class People:
    """Who is at the table so far.

    `source` and `level` are the opening's; `fair` says that its dice are. `kept_back` are the seats
    that kept a share back when a throw was broken off, and did nothing that all may see since.
    `epoch` is the entry of the last epoch, -1 where there is none.
    """

    def __init__(self) -> None:
        self.table = ""
        self.source = ""
        self.level: Level = "server"
        self.core = 0
        self.one_machine = False
        self.kept_back: set[str] = set()
        self.epoch = -1
        self._seats: dict[str, Person] = {}

    @property
    def fair(self) -> bool:
        """Whether the dice of the table are fair."""
        return self.source == "fair"

    def get(self, seat: str) -> Person | None:
        """A seat; None where nobody ever took it."""
        return self._seats.get(seat)

    def narrates(self, seat: str) -> bool:
        """Whether the seat is a narrator's."""
        person = self._seats.get(seat)
        return person is not None and person.role == "narrator"

    def anchored(self) -> dict[str, Chain]:
        """The seats that may be asked for shares: somebody is there, and has an anchor."""
        return {
            id: person.chain
            for id, person in sorted(self._seats.items())
            if person.here and person.chain is not None
        }

    def due(self, seat: str, named: Level | None, *, hidden: bool) -> Level:
        """The level that is due for a throw of this seat, in a roll that is hidden or not.

        `named` is the level that the declaration named.
        """
        if named is not None or not self.fair or self.one_machine:
            return named or self.level
        early = self.core < tabled.COUNTED  # of version 0.2
        watched = hidden or self.narrates(seat) if early else self.level != "server"
        return "table" if watched and self.anchored().keys() - {seat} else self.level

    def awake(self, seat: str) -> bool:
        """Whether another seat may be asked that did not keep its last share back."""
        return bool(self.anchored().keys() - {seat} - self.kept_back)

    def take(self, line: Line) -> None:
        """Follow one more entry."""
        if line.record is None:
            return
        event: Any = line.record.event
        change = self.CHANGES.get(type(event))
        if change is not None:
            change(self, event, line.entry.seq)
        if line.entry.kind == "open":
            self.kept_back.discard(event.by)

    def _opened(self, event: tabled.TableOpened, seq: int) -> None:
        if seq:
            return
        self.table, self.source, self.level = event.table, event.source, event.level
        self.core, self.one_machine = event.core, event.one_machine
        self._seats[event.by] = Person(event.by, "narrator")

    def _taken(self, event: tabled.SeatTaken, seq: int) -> None:
        known = self._seats.get(event.seat)
        if known is not None and takes_key(event, known):
            known.key = key_of(event)
        else:
            self._seats[event.seat] = Person(event.seat, event.role)

    def _left(self, event: tabled.SeatLeft, seq: int) -> None:
        person = self._seats.get(event.seat)
        if person is not None:
            person.here, person.chain = False, None

    def _broken(self, event: rolled.ThrowBroken, seq: int) -> None:
        self.kept_back.update(event.kept)

    def _began(self, event: tabled.EpochBegun, seq: int) -> None:
        """It ends every chain, and with the asks who is waited for."""
        self.epoch = seq
        self.kept_back.clear()
        for person in self._seats.values():
            person.chain = None

    CHANGES: ClassVar[Mapping[type[Struct], Callable[..., None]]] = {
        tabled.TableOpened: _opened,
        tabled.SeatTaken: _taken,
        tabled.SeatLeft: _left,
        tabled.EpochBegun: _began,
        rolled.ThrowBroken: _broken,
    }
    """What each event changes; a chain is changed by the check of shares."""


def takes_key(event: tabled.SeatTaken, known: Person | None) -> bool:
    """Whether a seat that is taken takes a key, and is not taken for a person by another."""
    return known is not None and known.here and event.by == event.seat


def key_of(event: tabled.SeatTaken) -> bytes | None:
    """The key that a seat takes; None for none, and for one that may be no key."""
    if event.key is None:
        return None
    try:
        return checked_key(event.key)
    except Refused:
        return None
