"""Exact odds of a roll by brute force over a ruleset's own scoring, every throw tried once."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, groupby, product
from math import factorial, prod
from typing import Any

from msgspec.structs import replace

from urim import Table
from urim.events.base import Face
from urim.rules.ruleset import Die, Hand, Offer, Outcome, Roll, Ruleset

Odds = dict[Any, Fraction]
Score = Callable[[Outcome], Any]


def declared(
    system: str,
    declaration: Mapping[str, Any],
    attributes: Mapping[str, int],
    options: Mapping[str, Any],
) -> tuple[Ruleset, Roll, Offer]:
    """A roll as the engine settles it, and the throw that it begins with."""
    table = Table(system, dice="scripted", options=options)
    roll = table.declare(table.character("One", attributes=attributes), **declaration)
    offer = next(offer for offer in roll.offers if offer.trigger == "roll")
    return table.state.game.ruleset, roll.state.roll, offer


def lying(name: str, kinds: tuple[str, ...], faces: tuple[Face, ...], rerolls: int = 0) -> Hand:
    """A hand of the roller's with these faces."""
    dice = tuple(
        Die(f"d{at}", kind, (face,), face, face)
        for at, (kind, face) in enumerate(zip(kinds, faces, strict=True), 1)
    )
    return Hand(name, "c1", dice, rerolls)


def throws(sides: tuple[Face, ...], dice: int) -> Iterator[tuple[tuple[Face, ...], int]]:
    """Every throw of like dice up to order, with how many orders it has."""
    for faces in combinations_with_replacement(sides, dice):
        alike = (len(list(group)) for _, group in groupby(faces))
        yield faces, factorial(dice) // prod(map(factorial, alike))


def odds(
    system: str,
    declaration: Mapping[str, Any],
    score: Score,
    *,
    attributes: Mapping[str, int] | None = None,
    options: Mapping[str, Any] | None = None,
    dice: int | None = None,
    second: str | None = None,
) -> Odds:
    """The exact odds of what `score` makes of the outcome, for dice of one kind.

    `dice` is the number named where the offer leaves it open; `second` names a hand that is thrown
    a second time with as many.
    """
    ruleset, roll, offer = declared(system, declaration, attributes or {}, options or {})
    kinds = offer.dice if dice is None else offer.dice[:dice]
    sides = ruleset.faces(roll.options)[offer.dice[0]] if offer.dice else ()
    counts: Counter[Any] = Counter()
    once = list(throws(sides, len(kinds)))
    for throw in product(once, repeat=2 if second else 1):
        names = (offer.hand, second or "")
        hands = tuple(
            lying(name, kinds, faces) for name, (faces, _) in zip(names, throw, strict=False)
        )
        scored = score(ruleset.outcome(replace(roll, hands=hands)))
        counts[scored] += prod(weight for _, weight in throw)
    return {outcome: Fraction(count, counts.total()) for outcome, count in counts.items()}
