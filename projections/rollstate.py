"""What is known of one roll at one point of the log, and of the rules it is played by."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ..events.base import Level, Visibility
from ..events.codec import Recorded
from ..rules.ruleset import Damage, Face, Roll, Ruleset, Track

LYING = ("rolled", "frozen", "rerolled", "adjusted")
"""The states in which dice lie on the table."""

LIVE = ("declared", "reacted", *LYING)
"""The states of a roll that goes on."""


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


class Outstanding(Struct, frozen=True):
    """A commitment that waits for its throw; `seq` and `leaf` are its entry's."""

    throw: int
    commit: str
    seq: int
    leaf: bytes


class Binding(Struct, frozen=True):
    """A roller's bound nonce for a throw at level `table`, the seats asked, and what they gave."""

    seat: str
    throw: int
    nonce_commit: str
    seq: int
    asked: tuple[str, ...]
    given: tuple[tuple[str, str], ...] = ()


class RollState(Struct, frozen=True, kw_only=True):
    """A roll as the log leaves it.

    `number` counts from 1 in the table; `seat` declared it; `throws` counts the throws so far.
    `damage` is what was announced and still holds. `trail` holds the roll's entries so far.
    """

    number: int
    seat: str
    state: str
    roll: Roll
    visibility: Visibility
    level: Level
    follows: tuple[int, str] | None
    throws: int = 0
    outstanding: Outstanding | None = None
    binding: Binding | None = None
    vetoed: bool = False
    revealed: bool = False
    damage: Damage | None = None
    trail: tuple[Recorded, ...] = ()

    @property
    def hidden(self) -> bool:
        """Whether some seats may not see all of it."""
        return self.visibility != "public" and not self.revealed
