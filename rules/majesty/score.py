"""The results on seven dice of Allies of Majesty, and what their Adjustments cost."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from ...events.base import Face
from ..ruleset import Die, Hand
from .options import Options

KIND = "d12"
FACES = tuple(range(1, 13))
DICE = 7
NEGATIVE, POSITIVE = (1, 2, 3), (9, 10, 11, 12)
EPIC_NEGATIVE, EPIC_POSITIVE = 1, 12


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The one kind of die."""
    return {KIND: FACES}


def _cost(start: int, end: int, *, wrap: bool) -> int:
    way = abs(start - end)
    return min(way, len(FACES) - way) if wrap else way


COSTS: Mapping[bool, Mapping[Face, Mapping[Face, int]]] = {
    wrap: {start: {end: _cost(start, end, wrap=wrap) for end in FACES} for start in FACES}
    for wrap in (False, True)
}
"""Adjustments from face to face, by whether 12 and 1 are next to each other (Adjustments)."""


class Count(Struct, frozen=True):
    """The results on the dice, in dice; 12s are positive as well, 1s negative."""

    positives: int
    negatives: int
    neutrals: int
    twelves: int
    ones: int

    @property
    def epic(self) -> int:
        """12s left over (above 0), or 1s left over, once each has cancelled one of the other."""
        return self.twelves - self.ones

    @property
    def is_epic(self) -> bool:
        """Whether two or more are left over: of dice as they were thrown, an Epic Roll."""
        return abs(self.epic) >= 2

    @property
    def extra(self) -> int:
        """The further positive of each 12 that no 1 cancels."""
        return max(0, self.epic)

    @property
    def net(self) -> int:
        """Uncancelled positives (above 0) or uncancelled negatives (below 0)."""
        return self.positives + self.extra - self.negatives


def count(faces: Iterable[Any]) -> Count:
    """The results that these faces show (Results)."""
    shown = tuple(faces)
    positives = sum(face in POSITIVE for face in shown)
    negatives = sum(face in NEGATIVE for face in shown)
    return Count(
        positives=positives,
        negatives=negatives,
        neutrals=len(shown) - positives - negatives,
        twelves=shown.count(EPIC_POSITIVE),
        ones=shown.count(EPIC_NEGATIVE),
    )


def unadjusted(hand: Hand) -> Count:
    """The results as they were thrown, which alone make an Epic Roll (Epic Rolls)."""
    return count(die.landed for die in hand.dice)


def locked(hand: Hand, opts: Any) -> tuple[str, ...]:
    """The dice of an Epic Roll that cannot be adjusted, by id (Epic Rolls).

    `opts` are the options, or they Consulted: looked up only where both 1s and 12s fell.
    """
    thrown = unadjusted(hand)
    if not thrown.is_epic:
        return ()
    prevailing = EPIC_POSITIVE if thrown.epic > 0 else EPIC_NEGATIVE
    both = thrown.twelves and thrown.ones and opts.epic_lock == "all"
    faces = (EPIC_NEGATIVE, EPIC_POSITIVE) if both else (prevailing,)
    return tuple(die.id for die in hand.dice if die.landed in faces)


def spent(hand: Hand, opts: Any) -> int:
    """Adjustments made so far."""
    return sum(moved(hand, opts).values())


def moved(hand: Hand, opts: Any) -> dict[str, int]:
    """The Adjustments of each die that was moved, by id.

    `opts`: asked only where going round would have been shorter.
    """
    found: dict[str, int] = {}
    for die in hand.dice:
        if die.face != die.landed:
            wrap = abs(int(die.landed) - int(die.face)) > 6 and opts.wrap
            found[die.id] = COSTS[wrap][die.landed][die.face]
    return found


def free(hand: Hand, opts: Any) -> tuple[Die, ...]:
    """The dice that may be adjusted."""
    fixed = locked(hand, opts)
    return tuple(die for die in hand.dice if die.id not in fixed)


def spendable(hand: Hand, most: int, opts: Any) -> int:
    """How many of `most` Adjustments the dice can take at all, each from where it fell."""
    dice = free(hand, opts)
    wrap = most > 6 * len(dice) and opts.wrap  # every die takes six, round the end or not
    return min(most, sum(max(COSTS[wrap][die.landed].values()) for die in dice))
