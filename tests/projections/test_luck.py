"""Who throws fair dice is hardly ever called lucky; who throws loaded ones is, in the end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import exp, sqrt
from random import Random
from statistics import median
from typing import Any

import pytest

from tests.oracles.by_rules import declared
from tests.projections.test_odds import nobody
from urim.events.base import Thrown
from urim.projections.aims import aim_of
from urim.projections.luck import ERROR, Chances, Luck, needed
from urim.projections.odds import Throw, coming
from urim.rules.ruleset import Offer, Roll, Ruleset

SEATS, THROWS = 3, 40
"""An evening: so many seats, each of which throws so often."""

CUTOFF = 1.96
"""Standard errors beyond which a fixed cutoff calls somebody lucky, or unlucky."""

FAR = 4.5
"""Standard errors that hardly any sum of fair dice is from 0: fewer than one in 100,000."""

ROLLS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "sagatafl": ({"rating": 3}, {"rating": 2}, {"rating": 1}),
    "majesty": ({"kind": "check", "value": 0, "opposing": 0},),
    "scarterra": ({"dots": 1, "difficulty": 6}, {"dots": 3, "difficulty": 7}),
    "age_of_magic": ({"skill": "Any", "characteristic": "ST", "difficulty": 6},),
    "milhamah": ({"root": "אש", "rating": 1, "target": 2, "status": {"few": {"D": -6}}},),
    "plain": ({"expression": "1d20"}, {"expression": "3d6"}, {"expression": "4d6kh3"}),
}
"""Rolls of each system; their first throws are an evening's."""


def gains(system: str) -> list[Chances]:
    """What the first throw of each roll may gain, and how likely that is."""
    found: list[Chances] = []
    for wish in ROLLS[system]:
        rules, roll, offer = declared(system, wish, {"Any": 3, "ST": 3}, {})
        found.append(around(first_throw(rules, roll, offer)))
    return found


def first_throw(rules: Ruleset, roll: Roll, offer: Offer) -> Throw:
    """A roll's first throw, with as many dice as may be."""
    kinds = offer.dice[: int((offer.options or (len(offer.dice),))[-1])]
    named = {f"d{at}": kind for at, kind in enumerate(kinds, 1)}
    return coming(rules, roll, nobody, aim_of(rules.aim), offer.hand, named)


def around(throw: Throw) -> Chances:
    """What a throw might have gained."""
    expected = throw.expected
    return tuple((float(worth - expected), float(much)) for worth, much in throw.chances.items())


class Evening:
    """Seats that throw in turn, some throws of whom are loaded; by a seed."""

    def __init__(self, throws: list[Chances], seed: str, loaded: float = 0.0) -> None:
        self.chance = Random(seed)  # noqa: S311  a simulation
        self.throws, self.loaded = throws, loaded
        self.seats = [Luck(place) for place in range(1, SEATS + 1)]
        self.variances = [0.0] * SEATS

    def throw(self, at: int) -> Luck:
        """One throw of a seat, and its luck then."""
        chances = self.chance.choice(self.throws)
        possible = [gain for gain, _ in chances]
        (gained,) = self.chance.choices(possible, [chance for _, chance in chances])
        if self.chance.random() < abs(self.loaded):
            gained = max(possible) if self.loaded > 0 else min(possible)
        self.seats[at].take(gained, chances)
        self.variances[at] += sum(gain * gain * chance for gain, chance in chances)
        return self.seats[at]

    def cut(self, at: int) -> bool:
        """Whether a fixed cutoff calls the seat lucky, or unlucky, now."""
        error = sqrt(self.variances[at])
        return error > 0 and abs(self.seats[at].total) > CUTOFF * error


@pytest.mark.prove
@pytest.mark.sampled(2, rest=2)
@pytest.mark.parametrize("system", ROLLS)
def test_at_fair_tables_hardly_anybody_is_ever_called_lucky(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays 20 evenings for each that the count asks for, and looks after every throw."""
    throws, evenings = gains(system), 20 * count
    called = cut = 0
    for number in range(evenings):
        evening = Evening(throws, f"{system} {seed} {number}")
        said, by_cutoff = False, False
        for _ in range(THROWS):
            for at in range(SEATS):
                said |= evening.throw(at).said() != "normal"
                by_cutoff |= evening.cut(at)
        called, cut = called + said, cut + by_cutoff
    tried(
        f"{evenings:,} evenings of {SEATS} seats with {THROWS} throws each: somebody was called"
        f" lucky or unlucky in {called:,}, by a fixed cutoff of {CUTOFF} in {cut:,}"
    )
    assert called <= ERROR * evenings
    assert cut > called


def thrown(system: str, chance: Random) -> Iterator[tuple[float, Chances]]:
    """Dice of the system's rolls that fall by chance: what each throw gained, and might have."""
    rolls = [declared(system, wish, {"Any": 3, "ST": 3}, {}) for wish in ROLLS[system]]
    throws = [first_throw(*each) for each in rolls]
    every = [around(throw) for throw in throws]
    while True:
        at = chance.randrange(len(rolls))
        rules, roll, offer = rolls[at]
        faces = rules.faces(roll.options)
        kinds = offer.dice[: int((offer.options or (len(offer.dice),))[-1])]
        dice = [
            Thrown(f"d{number}", kind, chance.choice(faces[kind]))
            for number, kind in enumerate(kinds, 1)
        ]
        yield float(throws[at].fell(dice) - throws[at].expected), every[at]


@pytest.mark.prove
@pytest.mark.sampled(1, rest=1)
@pytest.mark.parametrize("system", ROLLS)
def test_the_luck_of_fair_dice_is_nothing_on_average(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Throws dice 200 times for each that the count asks for."""
    luck, squares = Luck(), 0.0
    dice = thrown(system, Random(f"{system} {seed}"))  # noqa: S311  a simulation
    for gained, chances in islice(dice, 200 * count):
        luck.take(gained, chances)
        squares += sum(gain * gain * chance for gain, chance in chances)
    errors = luck.total / sqrt(squares)
    tried(f"{luck.throws:,} throws: {luck.total:+.1f}, {errors:+.2f} standard errors")
    assert luck.said() == "normal"
    assert abs(errors) < FAR


@pytest.mark.prove
@pytest.mark.sampled(1, rest=1)
@pytest.mark.parametrize("system", ROLLS)
def test_loaded_dice_are_called_lucky_in_the_end(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """In one throw of ten the best falls that can: how many throws until that is said."""
    throws, found, cut = gains(system), list[int](), list[int]()
    for number in range(max(4, count // 5)):
        evening = Evening(throws, f"loaded {system} {seed} {number}", loaded=0.1)
        often = 0
        while evening.throw(0).said() == "normal":
            often += 1
            if evening.cut(0) and len(cut) == number:
                cut.append(often)
            assert often < 20_000
        found.append(often + 1)
        assert evening.seats[0].said() == "lucky"
    tried(
        f"{len(found)} tables: said after {median(found):g} throws in the middle, {max(found)} at"
        f" most; by a fixed cutoff after {median(cut):g}"
    )


@pytest.mark.parametrize(("loaded", "called"), [(0.6, "lucky"), (-1.0, "unlucky")])
def test_who_stays_within_the_bounds_is_called_nothing(loaded: float, called: str) -> None:
    rare = ((0.9, 0.1), (-0.1, 0.9))
    evening, said = Evening([rare], "bounds", loaded), set[str]()
    luck = evening.throw(0)
    for _ in range(200):
        luck = evening.throw(0)
        within = luck.least() <= luck.total <= luck.most()
        assert (luck.said() == "normal") is within
        said.add(luck.said())
    assert said == {"normal", called}
    assert luck.least() < 0 < luck.most()


def test_a_bet_is_worth_as_much_after_a_throw_as_before_on_average() -> None:
    chances: Chances = ((0.7, 0.3), (-0.3, 0.7))

    def staked(*gains: float) -> list[float]:
        luck = Luck()
        for gain in gains:
            luck.take(gain, chances)
        return [exp(bet) for bet in luck.bets]

    before = staked(0.7, -0.3, -0.3)
    after = [(chance, staked(0.7, -0.3, -0.3, gain)) for gain, chance in chances]
    mean = [sum(chance * found[side] for chance, found in after) for side in (0, 1)]
    assert mean == pytest.approx(before)


def test_all_seats_that_may_come_share_the_error() -> None:
    assert sum(2 * exp(-needed(place)) for place in range(1, 100_000)) == pytest.approx(
        ERROR, rel=1e-4
    )


def test_a_throw_that_decides_nothing_changes_no_bound() -> None:
    luck, same = Luck(), Luck()
    for each in (luck, same):
        each.take(0.7, ((0.7, 0.3), (-0.3, 0.7)))
    luck.take(0.0, ((0.0, 1.0),))
    assert (luck.least(), luck.most(), luck.throws) == (same.least(), same.most(), 2)
