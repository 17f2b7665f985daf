"""Dice of a hand as they fall: throws whose faces count alike are one, and how many each is."""

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from ..errors import Refused
from ..events.base import Face
from ..rules.ruleset import Die, Hand, Roll, Ruleset
from .choosing import Shown
from .spread import Spread

TALLIES = 40_000
"""Ways in which the dice of one throw may count, at most."""

Means: TypeAlias = tuple[tuple[str, str], ...]
"""The hands of which dice were adjusted since their last throw, and by what."""


class Dice(Struct, frozen=True, eq=False):
    """A system, the faces of its dice at a table, the steps so far, and how many there may be."""

    rules: Ruleset
    faces: Mapping[str, tuple[Face, ...]]
    steps: Iterator[int]
    most: int


class Fallen(Struct, frozen=True, eq=False):
    """A hand of which some dice have fallen, others are `coming`: one of all that count alike."""

    hand: Hand
    shown: Shown
    coming: tuple[Die, ...]


class Hands(Struct, frozen=True, eq=False):
    """Hands that differ in their faces alone, in a roll and after the same means: what is known.

    A sort is a number for dice that count alike. `known` holds what may come by the sorts of the
    dice that lie, others being thrown or none; `after` what a hand may be by one die more, by how
    many of its faces; `come` what may come once all have fallen.
    """

    roll: Roll
    again: Collection[Face]
    put: Means
    sorts: dict[Hashable, int]
    sort_of: dict[Die, int]
    classes: dict[str, list[tuple[Face, int]]]
    fallen: dict[Hashable, Fallen]
    after: dict[Fallen, tuple[tuple[Fallen, int], ...]]
    come: dict[Fallen, Spread | None]
    known: dict[tuple[int, ...], Spread | None]


def falls(dice: Dice, hands: Hands, hand: Hand, coming: Collection[Die]) -> dict[Fallen, int]:
    """All that may fall in a throw, and how many of all throws it is; dice to come have any face.

    Raises Refused where that is too much to count.
    """
    ids = {die.id for die in coming}
    kept = {die.id: die.face for die in hand.dice if die.id not in ids}
    order = tuple(sorted(coming, key=lambda die: die.kind))
    found = {_fallen(dice, hands, hand, kept, order): 1}
    for _ in order:
        after: dict[Fallen, int] = {}
        for fallen, many in found.items():
            for then, alike in _by_one_more(dice, hands, fallen):
                after[then] = after.get(then, 0) + many * alike
            if len(after) > TALLIES:
                every = f"{len(coming)} dice of {hand.name}"
                raise too_large(f"{every} count in over {TALLIES:,} ways")
        found = after
    return found


def sort_of(dice: Dice, hands: Hands, hand: Hand, die: Die, kind: str) -> int:
    """A number for what a die that lies counts for, of its kind where others of it are to come."""
    if die not in hands.sort_of:
        tally = dice.rules.tally(hands.roll, hand, {die.id: die.face}, len(hand.dice) - 1)
        hands.sort_of[die] = hands.sorts.setdefault((kind, tally), len(hands.sorts))
    return hands.sort_of[die]


def _fallen(dice: Dice, hands: Hands, hand: Hand, shown: Shown, coming: tuple[Die, ...]) -> Fallen:
    """A hand whose dice count so far for what they do: the first one of all these."""
    if next(dice.steps) >= dice.most:
        why = f"the dice of {hand.name} count in too many ways: over {dice.most:,} steps"
        raise too_large(why)
    tally = dice.rules.tally(hands.roll, hand, shown, len(coming))
    key = tally, tuple(die.kind for die in coming)
    return hands.fallen.setdefault(key, Fallen(hand, shown, coming))


def _by_one_more(dice: Dice, hands: Hands, fallen: Fallen) -> tuple[tuple[Fallen, int], ...]:
    """What a hand may be once the next die has fallen, and by how many of its faces."""
    if fallen not in hands.after:
        die, *others = fallen.coming
        hands.after[fallen] = tuple(
            (_fallen(dice, hands, fallen.hand, {**fallen.shown, die.id: face}, (*others,)), many)
            for face, many in _classes(dice, hands, fallen.hand, die)
        )
    return hands.after[fallen]


def _classes(dice: Dice, hands: Hands, hand: Hand, die: Die) -> list[tuple[Face, int]]:
    """A face of each sort that counts alike, and how many are of the sort."""
    if die.id not in hands.classes:
        found: dict[Hashable, tuple[Face, int]] = {}
        for face in dice.faces[die.kind]:
            if face not in hands.again:
                left = len(hand.dice) - 1
                key = dice.rules.tally(hands.roll, hand, {die.id: face}, left)
                first, many = found.get(key, (face, 0))
                found[key] = first, many + 1
        hands.classes[die.id] = list(found.values())
    return hands.classes[die.id]


def too_large(why: str) -> Refused:
    """The refusal of what is too much to count, with the number that makes it so."""
    return Refused("out-of-range", f"too much to count: {why}")
