"""Dice of a hand as they fall: throws whose faces count alike are one, and how many each is."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..errors import Refused
from ..events.base import Face
from ..rules.ruleset import Die, Hand, Roll, Ruleset, Tally
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
    """A hand once all its dice have fallen: one of all that count alike."""

    hand: Hand
    shown: Shown


class Fold(Struct, frozen=True, eq=False):
    """Hands that differ in their faces alone, whatever else lies: how their dice count.

    A sort is a number for dice that count alike, lying or to come, whose `faces` are of as many
    sorts, a face and its number each. `after` has what a tally may be by one die more of a sort, by
    how many of its faces, where others are to come and where none are; `ends` what a hand may be
    once all have fallen.
    """

    roll: Roll
    again: Collection[Face]
    sorts: dict[Hashable, int]
    sort_of: dict[Hashable, int]
    faces: dict[int, Sequence[tuple[Face, int]]]
    after: dict[tuple[Tally, int, bool], Sequence[tuple[Tally, Face, int]]]
    fallen: dict[Tally, Fallen]
    ends: dict[Hashable, dict[Fallen, int]]


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
    order = sorted(coming, key=lambda die: die.kind)
    sorts = [_sort_to_come(dice, fold, hand, die) for die in order]
    first = dice.rules.tally(fold.roll, hand, kept, len(order))
    key = first, tuple(sorts)
    if key not in fold.ends:
        found: dict[Tally, int] = {first: 1}
        shown: dict[Tally, Shown] = {first: kept}
        for left, die, sort in zip(range(len(order))[::-1], order, sorts, strict=True):
            after: dict[Tally, int] = {}
            examples: dict[Tally, Shown] = {}
            for tally, many in found.items():
                lying = shown[tally]
                for then, face, alike in _by_one_more(
                    dice, fold, hand, (tally, sort, left > 0), lying, die, left
                ):
                    if then not in after:
                        after[then], examples[then] = 0, {**lying, die.id: face}
                    after[then] += many * alike
            if len(after) > TALLIES:
                every = f"{len(coming)} dice of {hand.name}"
                raise too_large(f"{every} count in over {TALLIES:,} ways")
            found, shown = after, examples
        fold.ends[key] = {
            fold.fallen.setdefault(tally, Fallen(hand, shown[tally])): many
            for tally, many in found.items()
        }
    return fold.ends[key]


def _by_one_more(
    dice: Dice,
    fold: Fold,
    hand: Hand,
    key: tuple[Tally, int, bool],
    shown: Shown,
    die: Die,
    left: int,
) -> Sequence[tuple[Tally, Face, int]]:
    """What a tally may be once a die more has fallen, by which face, and by how many like it."""
    if key not in fold.after:
        step(dice, f"the dice of {hand.name} count in too many ways")
        fold.after[key] = [
            (dice.rules.tally(fold.roll, hand, {**shown, die.id: face}, left), face, many)
            for face, many in fold.faces[key[1]]
        ]
    return fold.after[key]


def _sort_to_come(dice: Dice, fold: Fold, hand: Hand, die: Die) -> int:
    """A number for what a die may come to count for, alone."""
    if die.id not in fold.sort_of:
        found: dict[Tally, tuple[Face, int]] = {}
        for face in dice.faces[die.kind]:
            if face not in fold.again:
                key = dice.rules.tally(fold.roll, hand, {die.id: face}, len(hand.dice) - 1)
                first, many = found.get(key, (face, 0))
                found[key] = first, many + 1
        sort = fold.sorts.setdefault((die.kind, *found.items()), len(fold.sorts))
        fold.sort_of[die.id] = sort
        fold.faces[sort] = tuple(found.values())
    return fold.sort_of[die.id]


def sort_of(dice: Dice, fold: Fold, hand: Hand, die: Die, kind: str) -> int:
    """A number for what a die that lies counts for, of its kind where others of it are to come."""
    if die not in fold.sort_of:
        tally = dice.rules.tally(fold.roll, hand, {die.id: die.face}, len(hand.dice) - 1)
        fold.sort_of[die] = fold.sorts.setdefault((kind, tally), len(fold.sorts))
    return fold.sort_of[die]


def step(dice: Dice, why: str) -> None:
    """Count one more step. Raises Refused where there were too many."""
    if next(dice.steps) >= dice.most:
        raise too_large(f"{why}: over {dice.most:,} steps")


def too_large(why: str) -> Refused:
    """The refusal of what is too much to count, with the number that makes it so."""
    return Refused("out-of-range", f"too much to count: {why}")
