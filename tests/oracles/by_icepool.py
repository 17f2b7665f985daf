"""The five systems' dice once more, as the books describe them, in icepool; nothing of Urim's."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false
# icepool carries no types of its own, and Pyright's guesses at them are wrong.

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import icepool

Odds = dict[Any, Fraction]


def _odds(die: Any) -> Odds:
    return {outcome: die.probability(outcome) for outcome in die}


def _tally(pairs: Any, score: Callable[[int, int], Any]) -> Odds:
    """What `score` makes of each pair; icepool cannot sort a die of numbers and words."""
    odds: Odds = {}
    for pair, weight in pairs.items():
        outcome = score(*pair)
        odds[outcome] = odds.get(outcome, Fraction(0)) + Fraction(weight, pairs.denominator())
    return odds


def sagatafl(dice: int, rd: int, *, safe: bool = False) -> Odds:
    """Successes, or the highest die's distance from the difficulty, as the book writes them."""

    def written(roll: tuple[int, ...]) -> str:
        successes = sum(die >= rd for die in roll)
        if successes:
            return f"{successes}S"
        short = min(rd - max(roll), 6)
        return "f-1" if short == 1 or safe else f"F-{short}"

    return _odds(icepool.d12.pool(dice).expand().map(written))


def majesty() -> Odds:
    """The net of 7d12 as thrown."""

    def net(roll: tuple[int, ...]) -> int:
        positive = sum(die >= 9 for die in roll)
        negative = sum(die <= 3 for die in roll)
        twelves, ones = roll.count(12), roll.count(1)
        return positive + max(0, twelves - ones) - negative

    return _odds(icepool.d12.pool(7).expand().map(net))


def scarterra(dice: int, difficulty: int) -> Odds:
    """The net successes, or "botch": each die by itself is 1, 0 or -1."""
    one = icepool.Die(
        {
            icepool.Vector((1, 0)): 11 - difficulty,
            icepool.Vector((0, 0)): difficulty - 2,
            icepool.Vector((0, 1)): 1,
        }
    )

    def net(hits: int, ones: int) -> Any:
        return hits - ones if hits or not ones else "botch"

    return _tally((dice @ one), net)


def age_of_magic(basic: int, dice: int, *, ceiling: bool, lucky: bool = False) -> Odds:
    """The result of `basic` points with so many dice of risk; lucky: the better of two throws."""
    result = (dice @ icepool.d6) + (basic - 3 * dice) if dice else icepool.Die([basic])
    if ceiling:
        result = result.map(lambda points: min(points, basic))
    return _odds(result.highest(2) if lucky else result)


def milhamah(kinds: list[tuple[int, int]], target: int, rerolls: int) -> Odds:
    """(letters, wilds, degree) of dice with so many letters and Wilds among 12 faces each.

    The first so many dice that show neither are thrown again; a natural root cannot come.
    """
    dice = [
        icepool.Die({"letter": letters, "wild": wilds, "dud": 12 - letters - wilds})
        for letters, wilds in kinds
    ]

    def again(*faces: str) -> Any:
        duds = [at for at, face in enumerate(faces) if face == "dud"][:rerolls]
        lying = [dice[at] if at in duds else face for at, face in enumerate(faces)]
        return icepool.tupleize(*lying)

    def told(roll: tuple[str, ...]) -> tuple[int, int, str]:
        letters, wilds = roll.count("letter"), roll.count("wild")
        beyond = letters + wilds - target
        rungs = ("failure", "success at a cost", "success")
        degree = rungs[(beyond >= 0) + (beyond > 0)] if letters else "botch"
        return letters, wilds, degree

    return _odds(icepool.map(again, *dice).map(told))
