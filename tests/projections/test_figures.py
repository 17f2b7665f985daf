"""The verdict is that of the largest figure there ever was, weighed against how many there are."""

import math

import pytest

from tests.projections.fair_logs import Played
from urim.projections.fairness import WEIGHTS
from urim.projections.figures import Figure, Figures, Part, p_of, tables, verdict_of

SIXES = (6,) * 20


def test_the_largest_figure_is_what_counts() -> None:
    played = Played()
    for number in range(1, 21):
        played.throw(number, (6,))
    (high,) = played.figures.thrown.kinds
    assert high.now == high.most > 4
    played.throw(21, (1, 2, 3, 4, 5) * 20)
    (after,) = played.figures.thrown.kinds
    assert after.now < 2 < after.most == high.most
    assert after.verdict == "alarm"
    assert after.p == pytest.approx(10**-high.most)


def test_a_throw_is_looked_at_when_all_of_it_lies() -> None:
    together, apart = Played(), Played()
    faces = (*SIXES, *(1, 2, 3, 4, 5) * 20)
    together.throw(1, faces)
    for face in faces:
        apart.throw(1, (face,))
    once, often = together.figures.thrown.together, apart.figures.thrown.together
    assert once.now == pytest.approx(often.now)
    assert once.most < often.most


def weighed(figures: Figures) -> dict[str, float]:
    """The largest figure of every sort of dice with its weight, log10, by its name."""
    plain = {"thrown": figures.thrown, "kept": figures.kept, "voided": figures.voided}
    found = {name: part.together.most + math.log10(0.25) for name, part in plain.items()}
    for place, seat in enumerate(figures.seats, 1):
        share = 0.25 / (place * (place + 1))
        found[f"seat:{seat.seat}"] = seat.part.together.most + math.log10(share)
    return found


@pytest.mark.parametrize(
    ("lows", "highs", "void", "strongest"),
    [
        ("p1", "p1", True, "voided"),
        ("p1", "p2", False, "seat:p1"),
        ("p2", "p1", False, "seat:p2"),
    ],
)
def test_the_verdict_on_the_whole_is_that_of_the_weightiest_figure(
    lows: str, highs: str, void: bool, strongest: str
) -> None:
    played = Played()
    played.throw(1, (1,), "p1")  # the first seat
    for number in range(2, 30):
        played.throw(number, (1, 2, 3), lows)
        played.throw(number + 100, (4, 5, 6), highs)
        if void:
            played.void(number)
    figures = played.figures
    expected = weighed(figures)
    assert figures.strongest == strongest == max(expected, key=lambda name: expected[name])
    assert figures.most == pytest.approx(expected[strongest])
    assert figures.verdict == verdict_of(expected[strongest])


def test_the_weights_are_those_of_one_stake() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert sum(1 / (place * (place + 1)) for place in range(1, 10_000)) < 1


def test_one_figure_beyond_the_limit_is_no_verdict_on_the_whole() -> None:
    played = Played()
    played.throw(1, (6,) * 11)
    figures = played.figures
    assert figures.thrown.kinds[0].verdict == "look closer"
    assert figures.verdict == "fine"
    assert figures.most == pytest.approx(figures.thrown.together.most + math.log10(0.25))


@pytest.mark.parametrize(
    ("most", "verdict", "p"),
    [
        (0.0, "fine", 1.0),
        (1.9999, "fine", 0.0100023),
        (2.0, "look closer", 0.01),
        (3.9999, "look closer", 0.000100023),
        (4.0, "alarm", 0.0001),
        (5_000.0, "alarm", 0.0),
    ],
)
def test_verdicts_begin_at_100_and_at_10_000(most: float, verdict: str, p: float) -> None:
    assert verdict_of(most) == verdict
    assert p_of(most) == pytest.approx(p, rel=1e-4)


def test_nothing_thrown_is_nothing_unusual() -> None:
    figures = Played().figures
    nothing = Figure(None, 0, 0.0, 0.0, 1.0, "fine")
    assert figures.thrown == figures.kept == figures.voided == Part(nothing, ())
    assert (figures.verdict, figures.p, figures.most, figures.seats) == ("fine", 1.0, 0.0, ())


def test_a_curve_has_a_point_for_each_kind_and_for_what_became_of_rolls() -> None:
    played = Played()
    assert played.tally.points() == {}
    played.throw(1, SIXES)
    played.throw(2, ("a",), kind="odd")
    played.void(1)
    points = played.tally.points()
    assert {name: dice for name, (dice, _) in points.items()} == {
        ("thrown", "d6"): 20,
        ("thrown", "odd"): 1,
        ("voided", None): 20,
    }
    assert points["thrown", "d6"][1] == played.figures.thrown.kinds[0].now


@pytest.mark.parametrize(
    ("log", "text"),
    [(0, "1"), (3, "1,000"), (14.9, "790,000,000,000,000"), (15, "10^15"), (16.6, "10^17")],
)
def test_one_table_in_very_many_is_one_in_a_power_of_ten(log: float, text: str) -> None:
    assert tables(log) == text
