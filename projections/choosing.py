"""What may be chosen of a hand: sets of dice, faces to put dice to; of like ones only one each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ..errors import Refused
from ..events.base import Face
from ..rules.ruleset import Hand, Offer

Shown: TypeAlias = Mapping[str, Face]
"""Faces by the ids of dice."""

Moved: TypeAlias = tuple[tuple[str, Face, bool, Face], ...]
"""Dice as they lay, each with the face that it was put to."""


def sets(alike: Sequence[Sequence[str]], least: int, most: int) -> Iterator[tuple[str, ...]]:
    """The first dice of each sort, `least` to `most` in all; none is looked at in vain."""
    if not alike:
        yield ()
        return
    first, *others = alike
    left = sum(map(len, others))
    for many in range(max(0, least - left), min(len(first), most) + 1):
        for more in sets(others, max(0, least - many), most - many):
            yield (*first[:many], *more)


def puts(hand: Hand, offer: Offer, limit: int) -> Iterator[Shown]:
    """Every way to put dice within the price; of like dice that lie alike only one each."""
    lying = {die.id: (die.kind, die.landed, die.frozen) for die in hand.dice}
    found: dict[tuple[Moved, int], Shown] = {((), 0): {}}
    for die in offer.dice:
        for (before, cost), to in list(found.items()):
            for face, price in offer.to.get(die, {}).items():
                if cost + price <= offer.most:
                    after = tuple(sorted((*before, (*lying[die], face)), key=repr))
                    found.setdefault((after, cost + price), {**to, die: face})
        if len(found) > limit:
            why = f"{offer.most} to put dice with gives over {limit:,} sets of faces"
            raise Refused("out-of-range", f"too much to count: {why}")
    moved = any(die.face != die.landed and not die.frozen for die in hand.dice)
    return (to for to in found.values() if to or moved)
