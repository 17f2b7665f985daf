"""Played often: honest tables are left alone, however often one looks, and cheats are found.

What was measured, and how often it was tried, stands in tests/proof.md.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from random import Random

import pytest

from tests.projections.fair_logs import D6, SYSTEM, Played, by_chance, log_e
from urim.events.base import Face
from urim.projections.eprocess import Process, null_of
from urim.projections.figures import ALARM, LOOK, Figures, Part

CRITICAL = 15.086
"""The chi-square of six faces that fair dice pass in one test of a hundred."""

UNLIKELY = 1e-6
"""How seldom a law that holds may be taken to fail."""


def most_of(tries: int, chance: float) -> int:
    """How often at most something happens in so many tries, but for one case in a million."""
    left, happened = 1.0, -1
    while left > UNLIKELY:
        happened += 1
        ways = math.comb(tries, happened)
        left -= ways * chance**happened * (1 - chance) ** (tries - happened)
    return happened


def test_one_in_a_hundred_is_seldom_much_more() -> None:
    assert most_of(25, 0.01) == 5
    assert most_of(500, 0.01) == 19


# --- honest ---------------------------------------------------------------------------------------


def honest(chance: Random, rolls: int) -> Figures:
    """A table where low dice are thrown again, rolls go on side by side, and some are voided."""
    played, open_rolls = Played(), dict[int, str]()
    for number in range(1, rolls + 1):
        seat = f"p{chance.randint(1, 4)}"
        open_rolls[number] = seat
        faces = chance.choices(D6, k=chance.randint(1, 8))
        played.throw(number, faces, seat)
        low = [face for face in faces if face in (1, 2)]
        if low:  # to reroll what is low is no bias
            played.throw(number, chance.choices(D6, k=len(low)), seat)
        played.throw(number, chance.choices(("a", "b", "*", "*"), k=2), seat, kind="odd")
        for other in list(open_rolls):
            fate = chance.random()
            if fate < 0.5:
                played.resolve(other)
                del open_rolls[other]
        if chance.random() < 0.1:
            played.void(chance.randint(1, number))
    return played.figures


@pytest.mark.prove
def test_an_honest_table_is_left_alone(count: int, seed: int, tried: Callable[[str], None]) -> None:
    """Neither the whole nor any one figure alarms at more than one table in a hundred."""
    chance = by_chance("honest", seed)
    found = [honest(chance, 100) for _ in range(count)]
    noticed = sum(figures.verdict != "fine" for figures in found)
    tried(f"{noticed} of {count:,} honest tables noticed")
    assert all(figures.voids > 0 for figures in found)
    assert noticed <= most_of(count, 1 / LOOK)
    for name in ("thrown", "kept", "voided"):
        parts: list[Part] = [getattr(figures, name) for figures in found]
        beyond = [sum(_beyond(part, kind) for part in parts) for kind in (None, *SYSTEM)]
        assert max(beyond) <= most_of(count, 1 / LOOK)


def _beyond(part: Part, kind: str | None) -> bool:
    figures = (part.together, *part.kinds)
    return any(figure.kind == kind and figure.verdict != "fine" for figure in figures)


@pytest.mark.prove
def test_looking_every_twenty_dice_fools_a_chi_square_and_not_this(
    count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Who stops when a figure looks bad enough finds one; the e-process allows for that."""
    chance, null = by_chance("looks", seed), null_of(D6)
    tries, fooled, noticed = max(count, 100), 0, 0
    for _ in range(tries):
        counts, square, largest = [0] * 6, 0.0, 0.0
        for looks in range(1, 201):
            for place in chance.choices(range(6), k=20):
                counts[place] += 1
            expected = 20 * looks / 6
            now = sum((each - expected) ** 2 for each in counts) / expected
            square, largest = max(square, now), max(largest, log_e(null, counts))
        fooled += square > CRITICAL
        noticed += largest >= math.log(LOOK)
    tried(f"of {tries:,} tables a chi-square alarms at {fooled}, the e-process at {noticed}")
    assert noticed <= most_of(tries, 1 / LOOK)
    assert fooled > most_of(tries, 1 / LOOK)


# --- cheats ---------------------------------------------------------------------------------------


def dice_until(limit: int, faces: Sequence[Face], throw: Callable[[], list[int]], cap: int) -> int:
    """After how many dice E reaches the limit; `cap` where it does not."""
    process, dice = Process(null_of(faces)), 0
    while process.most < math.log(limit) and dice < cap:
        places = throw()
        dice += len(places)
        process.take([(faces[place], 1) for place in places])
    return dice


@pytest.mark.prove
@pytest.mark.parametrize(("sides", "cap"), [(100, 40_000), (12, 400_000)])
def test_one_byte_is_no_fair_die(
    sides: int, cap: int, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A byte modulo the sides falls on the first faces too often; here is how soon it shows."""
    chance, faces = by_chance("byte", sides, seed), tuple(range(1, sides + 1))

    def throw() -> list[int]:
        return [chance.randrange(256) % sides for _ in range(cap // 400)]

    tries = max(3, count // 25)
    found = [dice_until(LOOK, faces, throw, cap) for _ in range(tries)]
    tried(f"{tries} times, found after a median of {statistics.median(found):,.0f} dice")
    assert statistics.median(found) < cap


def void_the_low(chance: Random, best: int, often: float) -> tuple[int, int]:
    """A table that voids rolls of four dice none of which beats `best`: dice, and voided dice."""
    played = Played()
    for number in range(1, 3_000):
        faces = chance.choices(D6, k=4)
        played.throw(number, faces, f"p{chance.randint(1, 4)}")
        low = all(int(face) <= best for face in faces)
        if (low and chance.random() < often) or chance.random() < 0.02:
            played.void(number)
        figures = played.figures
        if figures.verdict != "fine":
            return figures.dice, figures.voided.together.dice
    return played.figures.dice, played.figures.voided.together.dice


@pytest.mark.prove
@pytest.mark.parametrize(("best", "often"), [(4, 1.0), (4, 0.25), (3, 1.0), (5, 0.25)])
def test_who_voids_low_rolls_is_found(
    best: int, often: float, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Told: the median of the dice thrown until then, and of the voided ones among them.

    Voided is a roll of which no die beats `best`, as `often` as that; and two of a hundred besides.
    """
    chance = by_chance("voids", best, often, seed)
    found = [void_the_low(chance, best, often) for _ in range(max(5, count // 25))]
    dice, voided = (statistics.median(each) for each in zip(*found, strict=True))
    tried(f"{len(found)} times, found after a median of {dice:,.0f} dice, {voided:,.0f} voided")
    assert dice < 4 * 2_999


@pytest.mark.prove
def test_who_throws_twice_and_shows_the_better_is_found(
    count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """One of four seats shows the better of two throws every time."""
    chance, found = by_chance("twice", seed), list[int]()
    for _ in range(max(5, count // 25)):
        played, number = Played(), 0
        while played.figures.verdict == "fine" and number < 2_000:
            number += 1
            hands = [chance.choices(D6, k=4) for _ in range(2)]
            cheat = number % 4 == 0
            best = max(hands, key=lambda hand: sum(map(int, hand))) if cheat else hands[0]
            played.throw(number, best, f"p{number % 4}")
        assert played.figures.strongest in ("seat:p0", "thrown", "kept")
        found.append(played.figures.dice)
    tried(f"{len(found)} times, found after a median of {statistics.median(found):,.0f} dice")
    assert statistics.median(found) < 8_000


def test_an_alarm_takes_more_dice_than_a_closer_look() -> None:
    def throw() -> list[int]:
        return [5]

    assert dice_until(LOOK, D6, throw, 99) == 11
    assert dice_until(ALARM, D6, throw, 99) == 15
