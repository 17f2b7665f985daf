"""How the terms of an expression become hands of dice, and which of these are thrown again."""

from typing import Any, Literal

from msgspec import Struct

from ...events.base import Face
from ..ruleset import Die, Roll
from .dice import KINDS
from .notation import Compare, Dice, Expression, dice_written

TOGETHER = "dice"
"""The hand of all dice that are not thrown again at once."""


class Planned(Struct, frozen=True):
    """A hand to be thrown: the kinds of its dice, and the faces that are thrown again at once."""

    name: str
    kinds: tuple[str, ...]
    again: tuple[Face, ...] = ()


class Place(Struct, frozen=True):
    """Where a term's dice are: the hand's name, and how many dice of it come before."""

    hand: str
    before: int


# --- faces ----------------------------------------------------------------------------------------


def meets(value: int, compare: Compare, opts: Any) -> bool:
    """Whether a value is what is compared for; a reading is looked up only where it decides.

    `opts` are the options, or they Consulted, here and below.
    """
    if value == compare.number:
        return compare.sign not in ("<", ">") or opts.greater == "or equal"
    if compare.sign in (">", ">="):
        return value > compare.number
    return compare.sign in ("<", "<=") and value < compare.number


def matching(dice: Dice, compare: Compare | Literal["highest"], opts: Any) -> tuple[Face, ...]:
    """The faces of the dice that are meant."""
    faces = KINDS[dice.kind]
    if compare == "highest":
        return faces[-1:]
    return tuple(face for face in faces if meets(face, compare, opts))


def once(dice: Dice, opts: Any) -> bool:
    """Whether its dice may be rerolled, once each."""
    how = dice.reroll[0] if dice.reroll else ""
    return how == "ro" or (how == "r" and opts.r == "once")


def again(dice: Dice, opts: Any) -> tuple[Face, ...]:
    """The faces thrown again inside the same throw: they explode, or none of them is to be left."""
    if dice.explode is not None:
        return matching(dice, dice.explode, opts)
    if dice.reroll is not None and not once(dice, opts):
        return matching(dice, dice.reroll[1], opts)
    return ()


# --- hands ----------------------------------------------------------------------------------------


def layout(
    expression: Expression, opts: Any
) -> tuple[tuple[Planned, ...], tuple[Place | None, ...]]:
    """The hands to be thrown, in order, and where the dice of each term are (None: no dice).

    A term that is thrown again at once is a hand of its own, for a throw knows one set of such
    faces; all other dice are one hand.
    """
    hands: dict[str, Planned] = {}
    places: list[Place | None] = []
    for number, term in enumerate(expression.terms, 1):
        if not isinstance(term, Dice):
            places.append(None)
            continue
        faces = again(term, opts)
        name = dice_written(term) if faces else TOGETHER
        if faces and name in hands:
            name = f"{number}: {name}"
        kinds = hands[name].kinds if name in hands else ()
        places.append(Place(name, len(kinds)))
        hands[name] = Planned(name, kinds + (term.kind,) * term.count, faces)
    return tuple(hands.values()), tuple(places)


def dice_of(roll: Roll, expression: Expression, opts: Any) -> tuple[tuple[Die, ...] | None, ...]:
    """The dice of each term: empty for a number, None for those that are not thrown yet."""
    found: list[tuple[Die, ...] | None] = []
    for term, place in zip(expression.terms, layout(expression, opts)[1], strict=True):
        if place is None or not isinstance(term, Dice):
            found.append(())
            continue
        hand = roll.hand(place.hand)
        dice = hand.dice[place.before : place.before + term.count] if hand else ()
        found.append(dice if len(dice) == term.count else None)
    return tuple(found)


def unrerolled(dice: Dice, thrown: tuple[Die, ...], opts: Any) -> tuple[str, ...]:
    """The ids of a term's dice that still have to be rerolled, once each."""
    if dice.reroll is None or not once(dice, opts):
        return ()
    faces = matching(dice, dice.reroll[1], opts)
    return tuple(die.id for die in thrown if len(die.thrown) == 1 and die.face in faces)
