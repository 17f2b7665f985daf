"""The five systems' dice once more, as the books describe them, in dyce; nothing of Urim's."""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

from dyce import H, P

Odds = dict[Any, Fraction]


def _tally(rolls: Iterable[tuple[tuple[int, ...], int]], score: Callable[..., Any]) -> Odds:
    counts: Counter[Any] = Counter()
    for roll, count in rolls:
        counts[score(roll)] += count
    return {outcome: Fraction(count, counts.total()) for outcome, count in counts.items()}


def _pool(sides: int, dice: int) -> Iterable[tuple[tuple[int, ...], int]]:
    return P(*[H(range(1, sides + 1))] * dice).rolls_with_counts()


def sagatafl(dice: int, rd: int, *, safe: bool = False) -> Odds:
    """Successes, or by how much the last of the sorted dice falls short, at most 6."""

    def written(roll: tuple[int, ...]) -> str:
        short = rd - roll[-1]
        if short <= 0:
            return f"{len([die for die in roll if not die < rd])}S"
        return "f-1" if safe or short < 2 else f"F-{min(6, short)}"

    return _tally(_pool(12, dice), written)


def majesty() -> Odds:
    """The net of 7d12: every die worth 1, 0 or -1, and each 12 that no 1 cancels 1 more."""
    worth = {**dict.fromkeys(range(1, 4), -1), **dict.fromkeys(range(9, 13), 1)}

    def net(roll: tuple[int, ...]) -> int:
        epic = Counter(roll)
        uncancelled = epic[12] - min(epic[12], epic[1])
        return sum(worth.get(die, 0) for die in roll) + uncancelled

    return _tally(_pool(12, 7), net)


def scarterra(dice: int, difficulty: int) -> Odds:
    """The net successes, or "botch"."""

    def net(roll: tuple[int, ...]) -> Any:
        ones = roll.count(1)
        hits = len(roll) - len([die for die in roll if die < difficulty])
        return "botch" if ones and not hits else hits - ones

    return _tally(_pool(10, dice), net)


def age_of_magic(basic: int, dice: int, *, ceiling: bool, lucky: bool = False) -> Odds:
    """The result of `basic` points with so many dice of risk; lucky: the better of two throws."""
    result = H({basic - 3 * dice: 1})
    for _ in range(dice):
        result = result + H(range(1, 7))
    throws = P(result, result) if lucky else P(result)

    def best(roll: tuple[int, ...]) -> int:
        return min(roll[-1], basic) if ceiling else roll[-1]

    return _tally(throws.rolls_with_counts(), best)


def milhamah(kinds: list[tuple[int, int]], target: int, rerolls: int) -> Odds:
    """(letters, wilds, degree); see the other model. 2 is a letter, 1 a Wild, 0 neither."""
    dice = [H({2: letters, 1: wilds, 0: 12 - letters - wilds}) for letters, wilds in kinds]
    odds: Odds = {}
    for faces in product(*(die.items() for die in dice)):
        weight = Fraction(1)
        for (_, count), die in zip(faces, dice, strict=True):
            weight *= Fraction(count, die.total)
        shown = [face for face, _ in faces]
        thrown = [at for at, face in enumerate(shown) if face == 0][:rerolls]
        for second in product(*(dice[at].items() for at in thrown)):
            lying, share = list(shown), weight
            for at, (face, count) in zip(thrown, second, strict=True):
                lying[at] = face
                share *= Fraction(count, dice[at].total)
            told = _degree(lying, target)
            odds[told] = odds.get(told, Fraction(0)) + share
    return odds


def _degree(lying: list[int], target: int) -> tuple[int, int, str]:
    letters, wilds = lying.count(2), lying.count(1)
    if not letters:
        return 0, wilds, "botch"
    total = letters + wilds
    if total == target:
        return letters, wilds, "success at a cost"
    return letters, wilds, "success" if total > target else "failure"
