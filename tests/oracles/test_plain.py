"""Plain dice: the odds by the rules' own scoring of every throw and by icepool, equal."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, groupby, product
from math import factorial, prod
from typing import Any

import pytest

from tests.oracles import by_icepool
from tests.oracles.by_rules import Odds
from urim.events.base import Face
from urim.rules.plain import RULESET, Options
from urim.rules.plain.hands import again, layout, matching, once
from urim.rules.plain.notation import Dice, parse
from urim.rules.ruleset import Die, Hand, Roll

Way = tuple[tuple[Face, ...], Fraction]
"""The faces that a die falls on, one after the other, and how probable that is."""


@pytest.mark.sampled(10)
@pytest.mark.parametrize("expression", by_icepool.PLAIN)
def test_the_odds_are_those_of_icepool(expression: str) -> None:
    exact = by_rules(expression)
    assert sum(exact.values()) == 1
    assert exact == by_icepool.plain(expression)


def by_rules(expression: str) -> Odds:
    """The odds of the total; of a comparison, whether it holds. Every throw is scored once."""
    options = Options()
    read = parse(expression)
    hands, _ = layout(read, options)
    ways = [_ways(term, options) for term in read.dice]
    thrown = [list(_throws(way, term.count)) for way, term in zip(ways, read.dice, strict=True)]
    exact: Odds = {}
    for throw in product(*thrown):
        faces = [die for dice, _ in throw for die in dice]
        shown = tuple(
            Die(f"d{at}", kind, each, each[-1], each[-1])
            for at, (kind, each) in enumerate(
                zip((kind for hand in hands for kind in hand.kinds), faces, strict=True), 1
            )
        )
        roll = Roll(
            options=options,
            character="c1",
            declaration=RULESET.Declaration(expression),
            hands=_dealt(shown, [len(hand.kinds) for hand in hands], [h.name for h in hands]),
        )
        outcome = RULESET.outcome(roll)
        found: Any = outcome.margin if outcome.degree == "total" else outcome.degree == "success"
        exact[found] = exact.get(found, Fraction(0)) + prod(weight for _, weight in throw)
    return exact


def _dealt(dice: tuple[Die, ...], sizes: Sequence[int], names: Sequence[str]) -> tuple[Hand, ...]:
    found: list[Hand] = []
    for name, size in zip(names, sizes, strict=True):
        found.append(Hand(name, "c1", dice[:size]))
        dice = dice[size:]
    return tuple(found)


def _ways(term: Dice, options: Options) -> list[Way]:
    """How one of its dice may fall: thrown three times at most where it explodes."""
    faces = RULESET.faces(options)[term.kind]
    share = Fraction(1, len(faces))
    found: list[Way] = []
    if term.explode is not None:
        high = again(term, options)
        last = [face for face in faces if face not in high]
        found += [((face,), share) for face in last]
        found += [((one, face), share**2) for one in high for face in last]
        found += [((*two, face), share**3) for two in product(high, repeat=2) for face in faces]
        return found
    low = () if term.reroll is None else matching(term, term.reroll[1], options)
    rest = [face for face in faces if face not in low]
    if low and not once(term, options):
        return [((face,), Fraction(1, len(rest))) for face in rest]
    found += [((face,), share) for face in rest]
    found += [((one, face), share**2) for one in low for face in faces]
    return found


def _throws(ways: list[Way], dice: int) -> Any:
    """Every throw of like dice up to order, with how probable it is in any order."""
    for throw in combinations_with_replacement(sorted(ways), dice):
        alike = (len(list(group)) for _, group in groupby(throw))
        orders = factorial(dice) // prod(map(factorial, alike))
        yield [faces for faces, _ in throw], orders * prod(share for _, share in throw)
