"""Dice of a hand as they fall: throws whose faces count alike are one, and how many each is."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..errors import Refused
from ..events.base import Face
from ..rules.ruleset import Die, Hand, Roll, Ruleset, Tally
from .choosing import Shown
from .spread import Spread

TALLIES = 32_000
"""Ways in which the dice of one throw may count, at most: as many as 7d12 have, and some."""

KNOWN = 10
"""Tallies that are as one step where it is known what they become."""

Means: TypeAlias = tuple[tuple[str, str], ...]
"""The hands of which dice were adjusted since their last throw, and by what."""


class Dice(Struct, frozen=True, eq=False):
    """A system, the faces of its dice at a table, `steps[0]` so far, and how many there may be."""

    rules: Ruleset
    faces: Mapping[str, tuple[Face, ...]]
    steps: list[int]
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
    sort_of = {die: _sort_to_come(dice, fold, hand, die) for die in coming}
    order = sorted(coming, key=lambda die: (die.kind, sort_of[die]))
    first = dice.rules.tally(fold.roll, hand, kept, len(order))
    key = first, tuple(sort_of[die] for die in order)
    if key not in fold.ends:
        found: dict[Tally, tuple[Shown, int]] = {first: (kept, 1)}
        for left, die in zip(range(len(order))[::-1], order, strict=True):
            found = _by_one_more(dice, fold, hand, found, die, sort_of[die], left)
        fold.ends[key] = {
            fold.fallen.setdefault(tally, Fallen(hand, shown)): many
            for tally, (shown, many) in found.items()
        }
    return fold.ends[key]


def _by_one_more(
    dice: Dice,
    fold: Fold,
    hand: Hand,
    before: Mapping[Tally, tuple[Shown, int]],
    die: Die,
    sort: int,
    left: int,
) -> dict[Tally, tuple[Shown, int]]:
    """What a hand may be once a die more has fallen: an example of each, and how many throws."""
    why = f"the dice of {hand.name} count in too many ways"
    step(dice, why, len(before) // KNOWN)
    found: dict[Tally, tuple[Shown, int]] = {}
    for tally, (lying, many) in before.items():
        key = tally, sort, left > 0
        if key not in fold.after:
            step(dice, why, len(fold.faces[sort]))
            fold.after[key] = [
                (dice.rules.tally(fold.roll, hand, {**lying, die.id: face}, left), face, alike)
                for face, alike in fold.faces[sort]
            ]
        for then, face, alike in fold.after[key]:
            shown, others = found.get(then) or ({**lying, die.id: face}, 0)
            found[then] = shown, others + many * alike
        if len(found) > TALLIES:
            every = f"{len(hand.dice)} dice of {hand.name}"
            raise too_large(f"{every} count in over {TALLIES:,} ways")
    return found


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


def step(dice: Dice, why: str, many: int = 1) -> None:
    """Count so many steps more. Raises Refused where there were too many."""
    dice.steps[0] += many
    if dice.steps[0] > dice.most:
        raise too_large(f"{why}: over {dice.most:,} steps")


def too_large(why: str) -> Refused:
    """The refusal of what is too much to count, with the number that makes it so."""
    return Refused("out-of-range", f"too much to count: {why}")
