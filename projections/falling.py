"""Dice of a hand as they fall: throws whose faces count alike are one, and how many each is."""

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from ..errors import Refused
from ..events.base import Face
from ..rules.ruleset import Die, Hand, Roll, Ruleset
from .choosing import Shown
from .spread import Spread

TALLIES = 32_000
"""Ways in which the dice of one throw may count, at most: as many as 7d12 have, and some."""

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


class Fold(Struct, frozen=True, eq=False):
    """Hands that differ in their faces alone, whatever else lies: how their dice count.

    A sort is a number for dice that count alike. `after` has what a hand may be by one die more, by
    how many of its faces, and `ends` what it may be once all have fallen.
    """

    roll: Roll
    again: Collection[Face]
    sorts: dict[Hashable, int]
    sort_of: dict[Die, int]
    classes: dict[str, list[tuple[Face, int]]]
    fallen: dict[Hashable, Fallen]
    after: dict[Fallen, tuple[tuple[Fallen, int], ...]]
    ends: dict[Fallen, dict[Fallen, int]]


class Hands(Struct, frozen=True, eq=False):
    """The same hands in a roll, after the same means: what is known of where they lead.

    `known` holds what may come by the sorts of the dice that lie, others being thrown or none;
    `best` that of the best ones of these to keep, by how many may be thrown, at least and at most;
    `come` what may come once all have fallen.
    """

    roll: Roll
    put: Means
    fold: Fold
    come: dict[Fallen, Spread | None]
    known: dict[tuple[int, ...], Spread | None]
    best: dict[tuple[tuple[int, ...], int, int], Spread | None]


def falls(dice: Dice, fold: Fold, hand: Hand, coming: Collection[Die]) -> Mapping[Fallen, int]:
    """All that may fall in a throw, and how many of all throws it is; dice to come have any face.

    Raises Refused where that is too much to count.
    """
    ids = {die.id for die in coming}
    kept = {die.id: die.face for die in hand.dice if die.id not in ids}
    first = _fallen(dice, fold, hand, kept, tuple(sorted(coming, key=lambda die: die.kind)))
    if first not in fold.ends:
        found = {first: 1}
        for _ in first.coming:
            after: dict[Fallen, int] = {}
            for fallen, many in found.items():
                for then, alike in _by_one_more(dice, fold, fallen):
                    after[then] = after.get(then, 0) + many * alike
                if len(after) > TALLIES:
                    every = f"{len(coming)} dice of {hand.name}"
                    raise too_large(f"{every} count in over {TALLIES:,} ways")
            found = after
        fold.ends[first] = found
    return fold.ends[first]


def sort_of(dice: Dice, fold: Fold, hand: Hand, die: Die, kind: str) -> int:
    """A number for what a die that lies counts for, of its kind where others of it are to come."""
    if die not in fold.sort_of:
        tally = dice.rules.tally(fold.roll, hand, {die.id: die.face}, len(hand.dice) - 1)
        fold.sort_of[die] = fold.sorts.setdefault((kind, tally), len(fold.sorts))
    return fold.sort_of[die]


def _fallen(dice: Dice, fold: Fold, hand: Hand, shown: Shown, coming: tuple[Die, ...]) -> Fallen:
    """A hand whose dice count so far for what they do: the first one of all these."""
    tally = dice.rules.tally(fold.roll, hand, shown, len(coming))
    key = tally, tuple(die.kind for die in coming)
    if key not in fold.fallen:
        step(dice, f"the dice of {hand.name} count in too many ways")
        fold.fallen[key] = Fallen(hand, shown, coming)
    return fold.fallen[key]


def _by_one_more(dice: Dice, fold: Fold, fallen: Fallen) -> tuple[tuple[Fallen, int], ...]:
    """What a hand may be once the next die has fallen, and by how many of its faces."""
    if fallen not in fold.after:
        die, *others = fallen.coming
        fold.after[fallen] = tuple(
            (_fallen(dice, fold, fallen.hand, {**fallen.shown, die.id: face}, (*others,)), many)
            for face, many in _classes(dice, fold, fallen.hand, die)
        )
    return fold.after[fallen]


def _classes(dice: Dice, fold: Fold, hand: Hand, die: Die) -> list[tuple[Face, int]]:
    """A face of each sort that counts alike, and how many are of the sort."""
    if die.id not in fold.classes:
        found: dict[Hashable, tuple[Face, int]] = {}
        for face in dice.faces[die.kind]:
            if face not in fold.again:
                left = len(hand.dice) - 1
                key = dice.rules.tally(fold.roll, hand, {die.id: face}, left)
                first, many = found.get(key, (face, 0))
                found[key] = first, many + 1
        fold.classes[die.id] = list(found.values())
    return fold.classes[die.id]


def step(dice: Dice, why: str) -> None:
    """Count one more step. Raises Refused where there were too many."""
    if next(dice.steps) >= dice.most:
        raise too_large(f"{why}: over {dice.most:,} steps")


def too_large(why: str) -> Refused:
    """The refusal of what is too much to count, with the number that makes it so."""
    return Refused("out-of-range", f"too much to count: {why}")
