"""E is what the formula says it is, and on average a fair die neither raises nor lowers it."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.fair_logs import D6, ODD, log_e
from urim.events.base import Face
from urim.projections.eprocess import (
    CONCENTRATIONS,
    Nulls,
    Process,
    Sort,
    log_mean,
    log_together,
    null_of,
)

DICE: tuple[tuple[Face, ...], ...] = (D6, ODD, ("x",), ("heads", "tails"), tuple(range(20)))
dice = st.sampled_from(DICE)
throws = dice.flatmap(
    lambda die: st.tuples(st.just(die), st.lists(st.sampled_from(die), max_size=40))
)
counted = dice.flatmap(
    lambda die: st.tuples(
        st.just(die),
        st.lists(st.integers(0, 300), min_size=len(set(die)), max_size=len(set(die))),
    )
)


def by_hand(die: Sequence[Face], thrown: Sequence[Face]) -> Fraction:
    """E as a bet die by die: each time the stake grows by what was foretold over what is fair."""
    total = Fraction(0)
    for kappa in CONCENTRATIONS:
        stake, seen = Fraction(1), Counter[Face]()
        for number, face in enumerate(thrown):
            fair = Fraction(die.count(face), len(die))
            stake *= (kappa * fair + seen[face]) / (kappa + number) / fair
            seen[face] += 1
        total += stake
    return total / len(CONCENTRATIONS)


def e_of(die: Sequence[Face], thrown: Sequence[Face]) -> float:
    """E as the package has it, of these faces."""
    process = Process(null_of(die))
    process.take(Counter(thrown).items())
    return math.exp(process.now)


# --- the oracle -----------------------------------------------------------------------------------


@pytest.mark.prove
@given(throws)
def test_e_is_the_bet_die_by_die(thrown: tuple[tuple[Face, ...], list[Face]]) -> None:
    assert e_of(*thrown) == pytest.approx(float(by_hand(*thrown)), rel=1e-9)


@pytest.mark.parametrize("thrown", [(), *product(ODD, repeat=1), *product(set(ODD), repeat=4)])
def test_e_is_the_bet_die_by_die_on_every_small_case(thrown: tuple[Face, ...]) -> None:
    assert e_of(ODD, thrown) == pytest.approx(float(by_hand(ODD, thrown)), rel=1e-9)


def test_the_bet_die_by_die_is_worth_its_stake_whatever_falls_on_average() -> None:
    everything = list(product(ODD, repeat=4))  # every side as often as the next
    assert sum(by_hand(ODD, thrown) for thrown in everything) == len(everything)


@pytest.mark.parametrize("counts", [(3, 0), (7, 12), (40, 20)])
def test_e_is_the_mean_likelihood_of_biased_dice_over_that_of_the_fair_one(
    counts: tuple[int, int],
) -> None:
    null = null_of(("heads", "tails", "tails"))
    (p, q), track_changes = null.chances, 20_000
    means: list[float] = []
    for kappa in CONCENTRATIONS:
        weights, likelihoods = 0.0, 0.0
        for step in range(track_changes):  # the integral over how biased the coin may be
            theta = (step + 0.5) / track_changes
            heads, tails = math.log(theta / p), math.log((1 - theta) / q)
            weight = math.exp((kappa * p - 1) * heads + (kappa * q - 1) * tails)
            weights += weight
            likelihoods += weight * math.exp(counts[0] * heads + counts[1] * tails)
        means.append(likelihoods / weights)
    expected = sum(means) / len(means)
    assert math.exp(log_e(null, counts)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.prove
@given(counted)
def test_e_is_the_formula(case: tuple[tuple[Face, ...], list[int]]) -> None:
    die, c = case
    null, lgamma = null_of(die), math.lgamma
    p, n = null.chances, sum(c)
    logs = [
        lgamma(k) - lgamma(k + n)
        + sum(lgamma(k * p[i] + c[i]) - lgamma(k * p[i]) for i in range(len(c)))
        - sum(c[i] * math.log(p[i]) for i in range(len(c)))
        for k in (20, 100, 500, 2500)
    ]  # fmt: skip
    assert log_e(null, c) == pytest.approx(log_mean(logs), rel=1e-9, abs=1e-9)


@pytest.mark.prove
@given(throws)
def test_e_is_the_same_in_one_throw_and_in_many(
    thrown: tuple[tuple[Face, ...], list[Face]],
) -> None:
    die, faces = thrown
    process = Process(null_of(die))
    for face in faces:
        process.take([(face, 1)])
    assert process.now == pytest.approx(math.log(e_of(die, faces)), abs=1e-9)


def test_nothing_drifts_over_a_million_dice() -> None:
    process = Process(null_of(D6))
    for throw in range(10_000):
        process.take([(face, 15 + (face == 1 + throw % 6) * 10) for face in (1, 2, 3, 4, 5, 6)])
    assert process.dice == 1_000_000
    assert process.now == pytest.approx(log_e(process.null, process.counts), abs=1e-4)


# --- the law --------------------------------------------------------------------------------------


@pytest.mark.prove
@given(counted)
def test_a_fair_die_leaves_e_where_it_is_on_average(
    case: tuple[tuple[Face, ...], list[int]],
) -> None:
    die, counts = case
    null = null_of(die)
    now = log_e(null, counts)
    after = 0.0
    for place, chance in enumerate(null.chances):
        more = [count + (at == place) for at, count in enumerate(counts)]
        after += chance * math.exp(log_e(null, more) - now)
    assert after == pytest.approx(1, rel=1e-7)


@pytest.mark.prove
@given(
    st.lists(st.integers(0, 60), min_size=6, max_size=6),
    st.lists(st.integers(0, 60), min_size=3, max_size=3),
    st.integers(0, 5),
)
def test_a_fair_die_of_one_kind_leaves_all_kinds_together_where_they_are_on_average(
    six: list[int], odd: list[int], unthrown: int
) -> None:
    kinds = 2 + unthrown
    null, other = null_of(D6), log_e(null_of(ODD), odd)
    now = log_together([log_e(null, six), other], kinds)
    after = 0.0
    for place, chance in enumerate(null.chances):
        more = [count + (at == place) for at, count in enumerate(six)]
        after += chance * math.exp(log_together([log_e(null, more), other], kinds) - now)
    assert after == pytest.approx(1, rel=1e-7)


# --- known figures --------------------------------------------------------------------------------


def test_one_die_says_nothing() -> None:
    assert [e_of(D6, (face,)) for face in D6] == pytest.approx([1] * 6)


def test_the_same_face_twice_and_two_faces() -> None:
    twice = sum((kappa + 6) / (kappa + 1) for kappa in CONCENTRATIONS) / 4
    apart = sum(kappa / (kappa + 1) for kappa in CONCENTRATIONS) / 4
    assert e_of(D6, (6, 6)) == pytest.approx(twice)
    assert e_of(D6, (6, 1)) == pytest.approx(apart)


def test_a_face_that_stands_twice_is_twice_as_likely() -> None:
    null = null_of(ODD)
    assert dict(zip(null.places, null.chances, strict=True)) == {"a": 0.25, "b": 0.25, "*": 0.5}
    assert log_e(null, (100, 100, 200)) < 0 < log_e(null, (133, 133, 134))


def test_a_die_with_one_face_proves_nothing() -> None:
    assert e_of(("x",), ("x",) * 1_000) == pytest.approx(1)


def test_sixes_alone_raise_the_alarm_and_nothing_overflows() -> None:
    assert e_of(D6, (6,) * 10) < 100 < e_of(D6, (6,) * 11)
    assert e_of(D6, (6,) * 14) < 10_000 < e_of(D6, (6,) * 15)
    many = log_e(null_of(D6), (0, 0, 0, 0, 0, 10**6))
    assert many == pytest.approx(10**6 * math.log(6), rel=1e-3)
    assert log_together([many, many, -3.0], 5) == pytest.approx(2 * many - 3 - math.log(2))


def test_the_mean_of_logarithms_is_that_of_what_they_stand_for() -> None:
    assert math.exp(log_mean([math.log(2), math.log(4)])) == pytest.approx(3)
    assert log_mean([-5_000.0, -5_000.0]) == pytest.approx(-5_000)


def test_the_mean_is_over_kinds_not_thrown_too() -> None:
    assert math.exp(log_together([math.log(9)], 1)) == pytest.approx(9)
    assert math.exp(log_together([math.log(9)], 4)) == pytest.approx((9 + (9 + 3) / 4) / 2)


# --- what is kept ---------------------------------------------------------------------------------


def test_the_largest_e_is_kept_and_is_never_below_the_first() -> None:
    process = Process(null_of(D6))
    process.take([(1, 1), (2, 1), (3, 1)])
    assert process.now < 0 == process.most
    process.take([(6, 20)])
    high = process.now
    assert process.most == high > 0
    process.take([(face, 20) for face in (1, 2, 3, 4, 5)])
    assert process.now < high == process.most
    assert process.counts == [21, 21, 21, 20, 20, 20]


def test_a_sort_of_dice_keeps_each_kind_and_all_of_them() -> None:
    sort = Sort({"d6": null_of(D6), "odd": null_of(ODD)})
    sort.take({("d6", 6): 12, ("odd", "a"): 4})
    six, odd = sort.kinds["d6"], sort.kinds["odd"]
    assert (six.counts, odd.counts, sort.dice) == ([0, 0, 0, 0, 0, 12], [4, 0, 0], 16)
    assert sort.now == log_together([six.now, odd.now], 2) == sort.most
    sort.take({})
    assert sort.dice == 16


@pytest.mark.parametrize("fallen", [{("d6", 7): 1}, {("d8", 1): 1}])
def test_a_face_that_no_die_has_is_not_taken(fallen: dict[tuple[str, Face], int]) -> None:
    with pytest.raises(KeyError):
        Sort({"d6": null_of(D6)}).take(fallen)


class Asked(dict[str, tuple[Face, ...]]):
    """Face tables that remember which were asked for."""

    def __init__(self, faces: dict[str, tuple[Face, ...]]) -> None:
        super().__init__(faces)
        self.kinds: list[str] = []

    def __getitem__(self, kind: str) -> tuple[Face, ...]:
        self.kinds.append(kind)
        return super().__getitem__(kind)


def test_a_null_is_made_once_and_for_the_kinds_that_fell_alone() -> None:
    nulls = Nulls()
    assert len(nulls) == 0 and "d6" not in nulls
    nulls.faces = asked = Asked({"d6": D6, "odd": ODD, "coin": ("heads", "tails")})
    assert list(nulls) == ["d6", "odd", "coin"] and "odd" in nulls
    sort = Sort(nulls)
    sort.take({("odd", ODD[0]): 1})
    sort.take({("odd", ODD[1]): 2})
    assert nulls["odd"] == null_of(ODD)
    assert asked.kinds == ["odd"]
    with pytest.raises(KeyError):
        nulls["d7"]
