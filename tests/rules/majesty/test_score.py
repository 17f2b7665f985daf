"""The results on seven dice, and what Adjustments are spent: each against a naive recount."""

from collections.abc import Iterable

import pytest

from urim.rules.majesty import Options
from urim.rules.majesty.declare import adjustments
from urim.rules.majesty.score import count, locked, spendable, spent
from urim.rules.ruleset import Die, Hand


def hand(thrown: Iterable[int], shown: Iterable[int] | None = None) -> Hand:
    """A hand of dice d1, d2 … that fell on `thrown` and were put to `shown`."""
    fell = tuple(thrown)
    now = fell if shown is None else tuple(shown)
    pairs = enumerate(zip(fell, now, strict=True), 1)
    return Hand("initiator", "a", tuple(Die(f"d{i}", "d12", (t,), t, n) for i, (t, n) in pairs))


def net(faces: Iterable[int]) -> int:
    """The results cancelled one by one, as the book tells it."""
    dice = list(faces)
    bonuses = [face for face in dice if face == 12]
    for _ in (face for face in dice if face == 1):
        bonuses = bonuses[1:]
    positives = [face for face in dice if face >= 9] + bonuses
    negatives = [face for face in dice if face <= 3]
    while positives and negatives:
        positives, negatives = positives[1:], negatives[1:]
    return len(positives) - len(negatives)


def reached(
    faces: tuple[int, ...], steps: int, free: Iterable[int], *, wrap: bool = False
) -> set[tuple[int, ...]]:
    """Every set of faces that up to so many single steps of the free dice lead to."""
    seen = last = {faces}
    for _ in range(steps):
        moves = ((at, die, way) for at in last for die in free for way in (1, -1))
        last = {moved for at, die, way in moves if (moved := _step(at, die, way, wrap=wrap))} - seen
        seen = seen | last
    return seen


def _step(faces: tuple[int, ...], die: int, way: int, *, wrap: bool) -> tuple[int, ...] | None:
    face = faces[die] + way
    if wrap:
        face = (face - 1) % 12 + 1
    return (*faces[:die], face, *faces[die + 1 :]) if 1 <= face <= 12 else None


@pytest.mark.parametrize(
    ("difference", "number"),
    [
        (0, 0),
        (1, 1),
        (2, 1),
        (3, 2),
        (5, 2),
        (6, 3),
        (9, 3),
        (10, 4),
        (14, 4),
        (15, 5),
        (19, 5),
        (20, 6),
        (25, 7),
    ],
)
def test_a_greater_difference_gives_more_adjustments(difference: int, number: int) -> None:
    assert adjustments(difference) == adjustments(-difference) == number


def test_every_further_five_gives_one_more() -> None:
    for difference in range(10, 2001):
        assert adjustments(difference + 5) == adjustments(difference) + 1


@pytest.mark.parametrize(
    ("faces", "result", "epic"),
    [
        ((12, 1, 2, 9, 10, 11, 5), 2, 0),
        ((12, 12, 1, 2, 3, 10, 6), 1, 1),
        ((1, 4, 8, 9, 11, 12, 5), 2, 0),
        ((12,) * 7, 14, 7),
        ((1,) * 7, -7, -7),
        ((4, 5, 6, 7, 8, 4, 8), 0, 0),
        ((12, 12, 12, 1, 1, 9, 3), 2, 1),
        ((3, 4, 8, 9, 5, 5, 5), 0, 0),
    ],
)
def test_results_cancel_each_other(faces: tuple[int, ...], result: int, epic: int) -> None:
    assert (count(faces).net, count(faces).epic) == (result, epic)


@pytest.mark.parametrize("face", range(4, 9))
def test_five_is_the_best_that_three_can_do_and_nothing_the_worst_that_two_can(face: int) -> None:
    dice = (1, 4, 8, 9, 11, 12, face)
    assert count(dice).net == 2
    assert count((2, 4, 9, 9, 12, 12, face)).net == 5
    assert count((1, 3, 8, 8, 11, 12, face)).net == 0
    assert max(net(each) for each in reached(dice, 3, range(7))) == 5
    assert min(net(each) for each in reached(dice, 2, range(7))) == 0


@pytest.mark.parametrize(
    ("fell", "every", "prevailing"),
    [
        ((12, 12, 5, 5, 5, 5, 5), "d1 d2", "d1 d2"),
        ((12, 12, 12, 1, 5, 5, 5), "d1 d2 d3 d4", "d1 d2 d3"),
        ((1, 1, 1, 12, 5, 5, 5), "d1 d2 d3 d4", "d1 d2 d3"),
        ((12, 12, 1, 5, 5, 5, 5), "", ""),  # one left over makes no Epic Roll
        ((12, 5, 5, 5, 5, 5, 5), "", ""),
        ((1, 1, 5, 5, 5, 5, 2), "d1 d2", "d1 d2"),
    ],
)
def test_the_epic_dice_of_an_epic_roll_are_locked(
    fell: tuple[int, ...], every: str, prevailing: str
) -> None:
    assert " ".join(locked(hand(fell), Options())) == every
    assert " ".join(locked(hand(fell), Options(epic_lock="prevailing"))) == prevailing


def test_what_is_put_onto_an_epic_face_is_not_locked_and_makes_no_epic_roll() -> None:
    put = hand((12, 12, 2, 5, 5, 5, 5), (12, 12, 1, 5, 5, 5, 5))
    assert locked(put, Options()) == ("d1", "d2")
    assert locked(hand((11, 11, 5, 5, 5, 5, 5), (12, 12, 5, 5, 5, 5, 5)), Options()) == ()


def test_no_more_can_be_spent_than_the_dice_can_take() -> None:
    epic = hand((12, 12, 12, 12, 12, 12, 5))
    assert spendable(epic, 3, Options()) == 3
    assert spendable(epic, 50, Options()) == 7
    assert spendable(epic, 50, Options(wrap=True)) == 6
    assert spent(hand((12, 5), (1, 5)), Options()) == 11
    assert spent(hand((12, 5), (1, 5)), Options(wrap=True)) == 1
