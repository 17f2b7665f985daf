"""What is known of one roll at one point of the log, and of the rules it is played by."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ..events.base import Face, Level, Visibility
from ..events.codec import RecordedEvent
from ..rules.ruleset import Damage, Roll, Ruleset, Track
from .automaton import State


class Game(Struct, frozen=True):
    """The rules in force at a table: a system and the values of its readings.

    `faces` (by kind of die) and `tracks` (by name) follow from them; they are asked for once. A
    reading that is set holds `since` its entry; `before` it the rules were these.
    """

    ruleset: Ruleset
    options: Any
    faces: Mapping[str, tuple[Face, ...]]
    tracks: Mapping[str, Track]
    since: int = 0
    before: "Game | None" = None

    def at(self, seq: int | None) -> "Game":
        """The rules of a roll that was declared by entry `seq`, which it ends by; None: not yet."""
        found = self
        while seq is not None and seq < found.since and found.before is not None:
            found = found.before
        return found


def game(ruleset: Ruleset, options: Any, since: int = 0, before: Game | None = None) -> Game:
    """The rules in force, with what follows from them."""
    return Game(ruleset, options, ruleset.faces(options), ruleset.tracks(options), since, before)


class Outstanding(Struct, frozen=True, gc=False):
    """A commitment that waits for its throw; `seq` and `leaf` are its entry's."""

    throw: int
    commit: str
    seq: int
    leaf: bytes


BREAKING = 10_000
"""Milliseconds after an ask from which on a seat that did not open its share keeps it back, at a
table that is not played by post."""


class Ask(Struct, frozen=True, gc=False):
    """A throw at level `table` that waits for shares: of a table at most one at a time.

    `seat` is the roller, `seq` and `at` are of the entry that asked (ThrowAsked), `committed` is
    the entry whose commitment the throw answers. `asked` are (seat, which link it opens), `opened`
    (seat, share) in the order in which they came, `left` the seats with an anchor that are not
    asked. It waits for `wait` milliseconds.
    """

    roll: int
    throw: int
    seat: str
    seq: int
    at: int
    committed: int
    asked: tuple[tuple[str, int], ...]
    left: tuple[str, ...] = ()
    opened: tuple[tuple[str, str], ...] = ()
    wait: int = BREAKING

    @property
    def waiting(self) -> tuple[str, ...]:
        """The seats asked that have not opened their shares."""
        done = {seat for seat, _ in self.opened}
        return tuple(seat for seat, _ in self.asked if seat not in done)

    @property
    def until(self) -> int:
        """From when on the throw may be broken off, in milliseconds since 1970."""
        return self.at + self.wait


class RollState(Struct, frozen=True, gc=False, kw_only=True):
    """A roll as the log leaves it.

    `number` counts from 1 in the table; `seat` declared it; `level` is the one that it named.
    `throws` counts the throws so far, those that were broken off too.
    `damage` is what was announced and still holds. `revealed_at` is the entry that revealed it.
    `trail` holds the roll's entries so far.
    """

    number: int
    seat: str
    state: State
    roll: Roll
    visibility: Visibility
    level: Level | None
    follows: tuple[int, str] | None
    throws: int = 0
    outstanding: Outstanding | None = None
    vetoed: bool = False
    revealed_at: int | None = None
    damage: Damage | None = None
    trail: tuple[RecordedEvent, ...] = ()

    def __repr__(self) -> str:
        """In short: anybody who prints a state must not pay for all its events."""
        return f"<RollState {self.number} {self.state}, {self.throws} throws>"

    @property
    def declared(self) -> int | None:
        """The entry that declared it; None where it is not declared yet."""
        return self.trail[0].seq if self.trail else None

    @property
    def hidden(self) -> bool:
        """Whether some seats may not see all of it."""
        return self.visibility != "public" and self.revealed_at is None

    def counts_from(self, seq: int) -> int:
        """The entry from which what its entry `seq` costs or gains counts: itself, or the reveal.

        A hidden roll costs and gains nothing before its reveal.
        """
        return seq if self.revealed_at is None else max(seq, self.revealed_at)
