"""What is known of one roll at one point of the log, and of the rules it is played by."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ..events.base import Face, Level, Visibility, Withheld
from ..events.codec import RecordedEvent
from ..rules.ruleset import Damage, Roll, Ruleset, Track
from .automaton import State


class Game(Struct, frozen=True):
    """The rules in force at a table: a system and the values of its readings.

    `faces` (by kind of die) and `tracks` (by name) follow from them; they are asked for once.
    """

    ruleset: Ruleset
    options: Any
    faces: Mapping[str, tuple[Face, ...]]
    tracks: Mapping[str, Track]


def game(ruleset: Ruleset, options: Any) -> Game:
    """The rules in force, with what follows from them."""
    return Game(ruleset, options, ruleset.faces(options), ruleset.tracks(options))


class Outstanding(Struct, frozen=True, gc=False):
    """A commitment that waits for its throw; `seq` and `leaf` are its entry's."""

    throw: int
    commit: str
    seq: int
    leaf: bytes


SECONDS = 60
"""How long a throw at level `table` is waited for where no narrator set it."""


class Witnessing(Struct, frozen=True):
    """How a throw at level `table` is waited for; by itself a minute, then it is voided.

    `seconds` is the time that the seats asked have, and then the roller; `withheld` says what
    becomes of the roll where the roller does not throw.
    """

    seconds: int = SECONDS
    withheld: Withheld = "void"


class Binding(Struct, frozen=True, gc=False):
    """A roller's bound nonce for a throw at level `table`, the seats asked, and what they gave.

    `passed` were passed over; `reported` says that the roller was, for not throwing. `at` is when
    the nonce was bound, `heard` when the last seat gave its own or was passed over, in milliseconds
    since 1970. `witnessing` is what held at the table then: later changes are for later throws.
    """

    seat: str
    throw: int
    nonce_commit: str
    seq: int
    asked: tuple[str, ...]
    at: int
    heard: int
    given: tuple[tuple[str, str], ...] = ()
    passed: tuple[str, ...] = ()
    reported: bool = False
    witnessing: Witnessing = Witnessing()

    @property
    def silent(self) -> tuple[str, ...]:
        """The seats asked that the throw still waits for."""
        done = {*self.passed, *(seat for seat, _ in self.given)}
        return tuple(seat for seat in self.asked if seat not in done)

    @property
    def until(self) -> int:
        """When what the throw waits for is late: the seats asked, else the roller. Milliseconds."""
        return (self.at if self.silent else self.heard) + self.witnessing.seconds * 1_000


class RollState(Struct, frozen=True, gc=False, kw_only=True):
    """A roll as the log leaves it.

    `number` counts from 1 in the table; `seat` declared it; `throws` counts the throws so far.
    `damage` is what was announced and still holds. `revealed_at` is the entry that revealed it.
    `trail` holds the roll's entries so far.
    """

    number: int
    seat: str
    state: State
    roll: Roll
    visibility: Visibility
    level: Level
    follows: tuple[int, str] | None
    throws: int = 0
    outstanding: Outstanding | None = None
    binding: Binding | None = None
    vetoed: bool = False
    revealed_at: int | None = None
    damage: Damage | None = None
    trail: tuple[RecordedEvent, ...] = ()

    def __repr__(self) -> str:
        """In short: anybody who prints a state must not pay for all its events."""
        return f"<RollState {self.number} {self.state}, {self.throws} throws>"

    @property
    def hidden(self) -> bool:
        """Whether some seats may not see all of it."""
        return self.visibility != "public" and self.revealed_at is None

    def counts_from(self, seq: int) -> int:
        """The entry from which what its entry `seq` costs or gains counts: itself, or the reveal.

        A hidden roll costs and gains nothing before its reveal.
        """
        return seq if self.revealed_at is None else max(seq, self.revealed_at)
