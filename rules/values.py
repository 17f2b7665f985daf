"""Values that a game system is given: a character's sheet, dice in hands; and what they come to."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from ..events.base import Effect, Face


class Track(Struct, frozen=True):
    """A counter of a character: soak, wounds, merit.

    Its value stays from `least`, which may be below 0, to `most` (None: no upper bound). A
    character that enters without a value starts at `start`: a number, or the name of an attribute,
    to take its rating.
    """

    least: int = 0
    most: int | None = None
    start: int | str = 0


class Sheet(Struct, frozen=True):
    """A character at one point of the log: ratings by name, tracks by name.

    Ratings are whole numbers, or halves (7.5) in a system that has `halves`. What is in neither
    mapping counts as 0: `tracks.get("luck", 0)`.
    """

    character: str
    attributes: Mapping[str, int | float]
    tracks: Mapping[str, int]

    def whole(self, name: str) -> int:
        """A rating of a system without halves; 0 where the sheet does not have it."""
        return int(self.attributes.get(name, 0))


class Die(Struct, frozen=True, gc=False):
    """One die of a roll.

    `thrown` holds every face it fell on, oldest first; a die taken over starts with the face it
    had. `landed` is its face when the hand's last throw had ended, `face` its face now, adjusted or
    not.
    """

    id: str
    kind: str
    thrown: tuple[Face, ...]
    landed: Face
    face: Face
    frozen: bool = False


class Hand(Struct, frozen=True, gc=False):
    """The dice that one character throws for one purpose.

    `rerolls` counts the throws after the first. `means` names, one item a die, the adjustments
    that a later throw has settled. `taken`: the dice were taken over from another roll.
    """

    name: str
    character: str
    dice: tuple[Die, ...]
    rerolls: int = 0
    means: tuple[str, ...] = ()
    taken: bool = False

    @property
    def stands(self) -> bool:
        """Whether every die is frozen: nothing in the hand changes again."""
        return bool(self.dice) and all(die.frozen for die in self.dice)


class Scored(Struct, frozen=True, gc=False):
    """What a roll comes to, without the telling: an Outcome's degree, margin and effects."""

    degree: str
    margin: int
    effects: tuple[Effect, ...] = ()


Tally: TypeAlias = Hashable
"""All that faces of a hand count for, as one value: a number, or a tuple of such."""


def sorted_faces(roll: Any, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """The faces themselves, sorted by kind: where like dice may be exchanged."""
    lying = [die for die in hand.dice if die.id in faces]
    shown = [(die.kind, faces[die.id], fell(die, faces[die.id]), die.frozen) for die in lying]
    return tuple(sorted(shown, key=repr))


def fell(die: Die, face: Face) -> Face:
    """The face that a die fell on which shows this one: another one only where it was adjusted."""
    return die.landed if face == die.face else face
