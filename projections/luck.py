"""Luck: what fell, less what was to be expected, and whether that is more than dice do.

A throw is worth something for an aim before it falls and after (`odds`). The difference is 0 on
average, whatever fell before, and all that it might be is known with its chances. So for each λ

    E_λ = exp(λ S − Σ log E[exp(λ X)]),   S the sum of the differences X,

is 1 on average for ever, and so is the mean over SLOPES: a bet that somebody is lucky, and with −X
that somebody is not. It reaches c in at most one case of c, however long it runs and however often
one looks (Ville's inequality). A large λ finds great luck early, a small one slight luck late.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import log
from operator import add
from typing import Literal, TypeAlias

from .eprocess import log_mean

Said: TypeAlias = Literal["lucky", "unlucky", "normal"]
"""What the dice bear."""

Chances: TypeAlias = tuple[tuple[float, float], ...]
"""What a throw may gain on what is expected of it, and how likely each is: 0 on average."""

SLOPES = tuple(2.0**-power for power in range(-1, 9))
"""The λ that E is averaged over, for differences in successes, or in points."""

ERROR = 0.01
"""In how many tables with fair dice anybody is ever called lucky or unlucky, at most."""

FINE = 1e-6
"""How exactly a bound of luck is computed, in parts of itself."""


def needed(place: int) -> float:
    """The log E that calls somebody lucky, or unlucky: who is the `place`th to throw, from 1.

    ERROR is shared by all who may ever come, 1 / (k (k + 1)) of it to the kth, half for each side.
    """
    return log(2 * place * (place + 1) / ERROR)


class Luck:
    """Somebody's luck so far: the sum of what fell less what was expected, in so many throws."""

    __slots__ = ("_down", "_up", "place", "throws", "total")

    def __init__(self, place: int = 1) -> None:
        self.place = place
        self.throws = 0
        self.total = 0.0
        self._up = self._down = (0.0,) * len(SLOPES)  # Σ log E[exp(λ X)], and the same of −X

    def take(self, gained: float, chances: Chances) -> None:
        """Count a throw: what it gained on what was expected, and all that it might have gained."""
        self.total += gained
        self.throws += 1
        up, down = _grown(chances)
        self._up = tuple(map(add, self._up, up))
        self._down = tuple(map(add, self._down, down))

    @property
    def bets(self) -> tuple[float, float]:
        """Log E of the bet that they are lucky, and of the one that they are not."""
        return _won(self._up, self.total), _won(self._down, -self.total)

    def said(self) -> Said:
        """What may be said of it, as often as one looks."""
        lucky, unlucky = (won > needed(self.place) for won in self.bets)
        return "lucky" if lucky else "unlucky" if unlucky else "normal"

    def most(self) -> float:
        """The greatest sum that is normal, by now."""
        return _where(self._up, needed(self.place))

    def least(self) -> float:
        """The least sum that is normal, by now."""
        return -_where(self._down, needed(self.place))


@lru_cache(maxsize=4096)
def _grown(chances: Chances) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Log E[exp(λ X)] of a throw for each λ, and the same of −X."""
    up, down = (tuple(_expected(chances, sign * slope) for slope in SLOPES) for sign in (1, -1))
    return up, down


def _expected(chances: Chances, slope: float) -> float:
    """Log E[exp(slope X)], however many points a throw may gain."""
    logs = [slope * gain + log(chance) for gain, chance in chances]
    return log_mean(logs) + log(len(logs))


def _where(grown: Sequence[float], wanted: float) -> float:
    """The sum at which the bet has won so much; it wins the more, the greater the sum."""
    low, high = 0.0, 1.0
    while _won(grown, high) < wanted:
        low, high = high, 2 * high
    while high - low > FINE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _won(grown, middle) < wanted else (low, middle)
    return high


def _won(grown: Sequence[float], total: float) -> float:
    """Log E at a sum."""
    return log_mean([slope * total - each for slope, each in zip(SLOPES, grown, strict=True)])
