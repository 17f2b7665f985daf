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
    """The net successes, of a botch ("botch", they): each die by itself is 1, 0 or -1."""
    one = icepool.Die(
        {
            icepool.Vector((1, 0)): 11 - difficulty,
            icepool.Vector((0, 0)): difficulty - 2,
            icepool.Vector((0, 1)): 1,
        }
    )

    def net(hits: int, ones: int) -> Any:
        return hits - ones if hits or not ones else ("botch", -ones)

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


# --- plain dice -----------------------------------------------------------------------------------

d4, d6, d8, d10, d20 = (icepool.d(sides) for sides in (4, 6, 8, 10, 20))
fate = icepool.Die([-1, 0, 1])


def _parts(die: Any, high: int) -> Any:
    """The throws of a die that is thrown again from a face on, three at most, as a tuple."""

    def more(thrown: tuple[int, ...]) -> Any:
        if thrown[-1] < high or len(thrown) == 3:
            return icepool.Die([thrown])
        return die.map(lambda face: (*thrown, face)).map(more)

    return die.map(lambda face: (face,)).map(more)


def _of_parts(die: Any, dice: int, high: int, score: Callable[[list[int]], int]) -> Any:
    def together(*throws: tuple[int, ...]) -> int:
        return score(sorted(sum(throws, ())))

    return icepool.map(together, *[_parts(die, high)] * dice, star=False)


PLAIN: dict[str, Callable[[], Any]] = {
    "3d6": lambda: 3 @ d6,
    "1d20+5": lambda: d20 + 5,
    "2d6+1d8+3": lambda: 2 @ d6 + d8 + 3,
    "1d20-1d4": lambda: d20 - d4,
    "2d%": lambda: 2 @ icepool.d(100),
    "4dF": lambda: 4 @ fate,
    "4dF+2 >= 1": lambda: 4 @ fate + 2 >= 1,
    "4d6kh3": lambda: d6.highest(4, 3),
    "4d6dl1+2": lambda: d6.highest(4, 3) + 2,
    "5d6kl2": lambda: d6.lowest(5, 2),
    "4d8dh2": lambda: d8.lowest(4, 2),
    "2d20kh1+5": lambda: d20.highest(2, 1) + 5,
    "2d20kl1 >= 11": lambda: d20.lowest(2, 1) >= 11,
    "3d10dl2": lambda: d10.highest(3, 1),
    "1d20+5 >= 15": lambda: d20 + 5 >= 15,
    "1d20+5 > 15": lambda: d20 + 5 > 15,
    "2d6+1 <= 7": lambda: 2 @ d6 + 1 <= 7,
    "3d4+0 = 7": lambda: (3 @ d4).map(lambda total: total == 7),
    "6d10 >= 7": lambda: 6 @ (d10 >= 7),
    "5d6 = 6": lambda: 5 @ d6.map(lambda face: int(face == 6)),
    "4d6cs<3+2": lambda: 4 @ (d6 < 3) + 2,
    "3d6cs>4-1d4cs=1": lambda: 3 @ (d6 > 4) - d4.map(lambda face: int(face == 1)),
    "5d6cs>=5 >= 3": lambda: 5 @ (d6 >= 5) >= 3,
    "3d6ro1": lambda: 3 @ d6.reroll([1], depth=1),
    "2d6ro<3+3": lambda: 2 @ d6.reroll([1, 2], depth=1) + 3,
    "3d6r1kh2": lambda: d6.reroll([1], depth=1).highest(3, 2),
    "3d6rr<3": lambda: 3 @ d6.reroll([1, 2], depth="inf"),
    "3d10rr<=2 >= 7": lambda: 3 @ (d10.reroll([1, 2], depth="inf") >= 7),
    "2d6!": lambda: 2 @ d6.explode(depth=2),
    "2d6!>4+1": lambda: 2 @ d6.explode([5, 6], depth=2) + 1,
    "3d4!kh2": lambda: _of_parts(d4, 3, 4, lambda faces: sum(faces[-2:])),
    "3d4!cs>=3": lambda: _of_parts(d4, 3, 4, lambda faces: sum(face >= 3 for face in faces)),
}
"""Expressions in their one form; an exploding die is thrown three times at most."""


def plain(expression: str) -> Odds:
    """The odds of the total; of a comparison, whether it holds."""
    return _odds(PLAIN[expression]())
