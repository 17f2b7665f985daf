"""How many of some throws, all alike likely, end how: in whole numbers, and as fractions."""

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from msgspec import Struct

End: TypeAlias = tuple[str, int]
"""A degree and a margin."""


class Spread(Struct, frozen=True, eq=False):
    """How many of `of` throws, all alike likely, end how."""

    ends: Mapping[End, int]
    of: int

    def chances(self) -> dict[End, Fraction]:
        """The chance of each end, the least margin first."""
        every = sorted(self.ends.items(), key=lambda item: (item[0][1], item[0][0]))
        return {end: Fraction(many, self.of) for end, many in every}

    def mean(self) -> Fraction:
        """The margin expected."""
        return Fraction(sum(margin * many for (_, margin), many in self.ends.items()), self.of)

    def degrees(self) -> dict[str, Fraction]:
        """The chance of each degree, the least margin first."""
        found: dict[str, Fraction] = {}
        for (degree, _), chance in self.chances().items():
            found[degree] = found.get(degree, Fraction(0)) + chance
        return found

    def margins(self) -> dict[int, Fraction]:
        """The chance of each margin, the least first."""
        found: dict[int, Fraction] = {}
        for (_, margin), chance in self.chances().items():
            found[margin] = found.get(margin, Fraction(0)) + chance
        return found


def mixed(spreads: Mapping[Spread, int]) -> Spread:
    """Several spreads together, each so many times as likely."""
    parts = lcm(*{spread.of for spread in spreads})
    ends: dict[End, int] = {}
    for spread, many in spreads.items():
        times = many * (parts // spread.of)
        for end, count in spread.ends.items():
            ends[end] = ends.get(end, 0) + times * count
    of = parts * sum(spreads.values())
    common = gcd(of, *ends.values())
    return Spread({end: count // common for end, count in ends.items()}, of // common)
