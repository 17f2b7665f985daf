"""Two ways to the same odds: the rulesets' own scoring and icepool, equal as fractions."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from tests.oracles import by_icepool, sagatafl
from tests.oracles.by_rules import declared, lying, odds, throws
from urim.events.base import Face
from urim.rules.ruleset import Outcome


@pytest.mark.sampled(14)
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize(
    ("dice", "rd"), [(1, 6), (1, 12), (2, 8), (3, 8), (4, 4), (4, 11), (3, 14)]
)
def test_sagatafl(dice: int, rd: int, safe: bool) -> None:
    wish = {"trait": "Lockpicking", "rd": rd}
    ruleset, roll, offer = declared("sagatafl", wish, {"Lockpicking": dice}, {})
    assert len(offer.dice) == dice
    roll = replace(roll, declaration=replace(roll.declaration, safe=safe))
    found: Counter[str] = Counter()
    for faces, weight in throws(tuple(range(1, 13)), dice):
        told = replace(roll, hands=(lying(offer.hand, offer.dice, faces),))
        found[sagatafl.shorthand(ruleset.outcome(told).margin)] += weight
    exact = {written: Fraction(count, 12**dice) for written, count in found.items()}
    assert exact == by_icepool.sagatafl(dice, rd, safe=safe)


@pytest.mark.slow
def test_majesty() -> None:
    wish = {"kind": "check", "value": 3, "opposing": 3}
    exact = odds("majesty", wish, lambda outcome: outcome.margin)
    assert exact == by_icepool.majesty()


@pytest.mark.parametrize(
    ("dice", "difficulty"), [(1, 6), (2, 2), (3, 10), (4, 6), (5, 6), (5, 10), (6, 8)]
)
def test_scarterra(dice: int, difficulty: int) -> None:
    wish = {"attribute": "Dexterity", "difficulty": difficulty}

    def net(outcome: Outcome) -> Any:
        found = outcome.figures["net"]
        return ("botch", found) if outcome.degree == "botch" else found

    exact = odds("scarterra", wish, net, attributes={"Dexterity": dice})
    assert exact == by_icepool.scarterra(dice, difficulty)


@pytest.mark.parametrize("ceiling", [True, False])
@pytest.mark.parametrize(("basic", "dice"), [(7, 0), (9, 1), (9, 2), (13, 4), (17, 5)])
def test_age_of_magic(basic: int, dice: int, ceiling: bool) -> None:
    exact = odds(
        "age_of_magic",
        {"skill": "Brawling", "characteristic": "ST", "difficulty": 8},
        lambda outcome: Fraction(outcome.figures["result"], 2),
        attributes={"Brawling": basic - 3, "ST": 3},
        options={"ceiling": "basic" if ceiling else "none"},
        dice=dice,
    )
    assert exact == by_icepool.age_of_magic(basic, dice, ceiling=ceiling)


@pytest.mark.parametrize(("basic", "dice"), [(9, 1), (10, 2), (12, 3)])
def test_age_of_magic_when_lucky(basic: int, dice: int) -> None:
    exact = odds(
        "age_of_magic",
        {"skill": "Brawling", "characteristic": "ST", "difficulty": 8, "luck": 3},
        lambda outcome: Fraction(outcome.figures["result"], 2),
        attributes={"Brawling": basic - 6, "ST": 3, "luck": 1},
        options={"ceiling": "none"},
        dice=dice,
        second="second",
    )
    assert exact == by_icepool.age_of_magic(basic, dice, ceiling=False, lucky=True)


PAIRS = {
    "red-a": ["רד", "וב", "גד", "טל", "הל", "מ*"],
    "red-b": ["חד", "טב", "גד", "טל", "הל", "**"],
}
"""Dice of a table's own: the root's letters are two of twelve faces, or one; Wilds one, or two."""

KINDS = [(2, 1), (1, 2), (2, 1)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "rerolls"), [(1, 0), (2, 1), (2, 2), (3, 1)])
def test_milhamah(target: int, rerolls: int) -> None:
    root = "רוחצ"  # its last letter stands on no die, so that no natural root can come
    wish: dict[str, Any] = {"root": root, "rating": 3, "target": target, "dice": {"red": 3}}
    wish["status"] = {"few": {"D": -5}}
    ruleset, roll, offer = declared("milhamah", wish, {}, {"faces": PAIRS})
    assert offer.dice == ("red-a", "red-b", "red-a")
    tables = [ruleset.faces(roll.options)[kind] for kind in offer.dice]

    @cache
    def told(faces: tuple[Face, ...]) -> tuple[int, int, str]:
        outcome = ruleset.outcome(replace(roll, hands=(lying(offer.hand, offer.dice, faces, 1),)))
        return outcome.figures["letters"], outcome.figures["wilds"], outcome.degree

    exact: dict[Any, Fraction] = {}
    for first in product(*tables):
        duds = [at for at, face in enumerate(first) if face not in {*root, "*"}][:rerolls]
        for second in product(*(tables[at] for at in duds)):
            faces = list(first)
            for at, face in zip(duds, second, strict=True):
                faces[at] = face
            key = told(tuple(faces))
            exact[key] = exact.get(key, Fraction(0)) + Fraction(1, 12 ** (3 + len(duds)))
    assert exact == by_icepool.milhamah(KINDS, target, rerolls)
