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


# --- plain dice -----------------------------------------------------------------------------------

D4, D6, D8, D10, D20 = (H(range(1, sides + 1)) for sides in (4, 6, 8, 10, 20))
FATE = H((-1, 0, 1))


def _keep(die: H[int], dice: int, of: slice) -> H[int]:
    """The sum of some of the sorted dice."""
    counts: Counter[int] = Counter()
    for roll, count in P(*[die] * dice).rolls_with_counts():
        counts[sum(roll[of])] += count
    return H(dict(counts))


def _again(die: H[int], low: Iterable[int]) -> H[int]:
    """A die thrown once more where it falls on one of these faces."""
    faces = set(low)
    counts: Counter[int] = Counter()
    for face, count in die.items():
        for second, weight in die.items():
            counts[second if face in faces else face] += count * weight
    return H(dict(counts))


def _without(die: H[int], low: Iterable[int]) -> H[int]:
    """A die thrown until it falls on none of these faces."""
    faces = set(low)
    return H({face: count for face, count in die.items() if face not in faces})


def _thrice(die: H[int], high: Iterable[int]) -> Counter[tuple[int, ...]]:
    """The throws of an exploding die, three at most, and how many of three throws begin so."""
    faces = set(high)
    found: Counter[tuple[int, ...]] = Counter()
    for first, second, third in product(die, repeat=3):
        if first not in faces:
            thrown: tuple[int, ...] = (first,)
        else:
            thrown = (first, second) if second not in faces else (first, second, third)
        found[thrown] += 1
    return found


def _of_exploded(
    die: H[int], dice: int, score: Callable[[list[tuple[int, ...]]], int], high: Iterable[int]
) -> H[int]:
    counts: Counter[int] = Counter()
    for throws in product(_thrice(die, high).items(), repeat=dice):
        weight = 1
        for _, count in throws:
            weight *= count
        counts[score([thrown for thrown, _ in throws])] += weight
    return H(dict(counts))


def _flat(throws: list[tuple[int, ...]]) -> list[int]:
    return sorted(face for thrown in throws for face in thrown)


PLAIN: dict[str, Callable[[], H[int]]] = {
    "3d6": lambda: 3 @ D6,
    "1d20+5": lambda: D20 + 5,
    "2d6+1d8+3": lambda: 2 @ D6 + D8 + 3,
    "1d20-1d4": lambda: D20 - D4,
    "2d%": lambda: 2 @ H(range(1, 101)),
    "4dF": lambda: 4 @ FATE,
    "4dF+2 >= 1": lambda: (4 @ FATE + 2).ge(1),
    "4d6kh3": lambda: _keep(D6, 4, slice(1, None)),
    "4d6dl1+2": lambda: _keep(D6, 4, slice(1, None)) + 2,
    "5d6kl2": lambda: _keep(D6, 5, slice(None, 2)),
    "4d8dh2": lambda: _keep(D8, 4, slice(None, 2)),
    "2d20kh1+5": lambda: _keep(D20, 2, slice(-1, None)) + 5,
    "2d20kl1 >= 11": lambda: _keep(D20, 2, slice(None, 1)).ge(11),
    "3d10dl2": lambda: _keep(D10, 3, slice(-1, None)),
    "1d20+5 >= 15": lambda: (D20 + 5).ge(15),
    "1d20+5 > 15": lambda: (D20 + 5).gt(15),
    "2d6+1 <= 7": lambda: (2 @ D6 + 1).le(7),
    "3d4+0 = 7": lambda: (3 @ D4 + 0).eq(7),
    "6d10 >= 7": lambda: 6 @ D10.ge(7),
    "5d6 = 6": lambda: 5 @ D6.eq(6),
    "4d6cs<3+2": lambda: 4 @ D6.lt(3) + 2,
    "3d6cs>4-1d4cs=1": lambda: 3 @ D6.gt(4) - D4.eq(1),
    "5d6cs>=5 >= 3": lambda: (5 @ D6.ge(5)).ge(3),
    "3d6ro1": lambda: 3 @ _again(D6, [1]),
    "2d6ro<3+3": lambda: 2 @ _again(D6, [1, 2]) + 3,
    "3d6r1kh2": lambda: _keep(_again(D6, [1]), 3, slice(1, None)),
    "3d6rr<3": lambda: 3 @ _without(D6, [1, 2]),
    "3d10rr<=2 >= 7": lambda: 3 @ _without(D10, [1, 2]).ge(7),
    "2d6!": lambda: _of_exploded(D6, 2, lambda throws: sum(_flat(throws)), [6]),
    "2d6!>4+1": lambda: _of_exploded(D6, 2, lambda throws: sum(_flat(throws)) + 1, [5, 6]),
    "3d4!kh2": lambda: _of_exploded(D4, 3, lambda throws: sum(_flat(throws)[-2:]), [4]),
    "3d4!cs>=3": lambda: _of_exploded(
        D4, 3, lambda throws: sum(face >= 3 for face in _flat(throws)), [4]
    ),
}
"""Expressions in their one form; an exploding die is thrown three times at most."""


def plain(expression: str) -> Odds:
    """The odds of the total; of a comparison, whether it holds."""
    found = PLAIN[expression]()
    return {outcome: Fraction(count, found.total) for outcome, count in found.items()}
