"""What somebody wants of a roll: the worth of what may come of it, by an aim in a few words."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from msgspec import Struct

from ..errors import Refused

Ends: TypeAlias = Mapping[tuple[str, int], int]
"""In how many throws a roll ends with a degree and a margin."""


class Aim(Struct, frozen=True):
    """An aim in its words, and what an end is worth for it; `degree` is the one that it names."""

    words: str
    of_an_end: Callable[[str, int], int]
    degree: str | None = None

    def worth(self, ends: Ends, of: int) -> Fraction:
        """The expected worth of so many throws, all alike likely."""
        return Fraction(sum(many * self.of_an_end(*end) for end, many in ends.items()), of)


SUCCESS = Aim("success", lambda degree, margin: margin >= 0)
"""A margin of 0 or more."""

MARGIN = Aim("margin", lambda degree, margin: margin)
"""As great a margin as can be expected."""

NAMED: Mapping[str, Aim] = {aim.words: aim for aim in (SUCCESS, MARGIN)}

SAID = ("success", "margin", "above NUMBER", "DEGREE", "not DEGREE")
"""How an aim is said."""


def aim_of(words: str) -> Aim:
    """The aim that words say. Raises Refused where they say none."""
    if words in NAMED:
        return NAMED[words]
    if found := re.fullmatch(r"above (-?\d{1,9})", words):
        least = int(found[1])
        return Aim(words, lambda degree, margin: margin > least)
    wanted = words.removeprefix("not ")
    if not wanted.strip():
        raise Refused("malformed", f"{words!r} is no aim", allowed=SAID)
    if wanted != words:
        return Aim(words, lambda degree, margin: degree != wanted, wanted)
    return Aim(words, lambda degree, margin: degree == wanted, wanted)
