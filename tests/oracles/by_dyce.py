"""Plain dice once more, in dyce: sums, what is kept of a hand, and how many reach a number."""

from collections.abc import Callable
from fractions import Fraction

from dyce import H, P


def chances(found: H[int]) -> dict[int, Fraction]:
    """Its counts as chances."""
    return {outcome: Fraction(many, found.total) for outcome, many in found.items()}


def hits(dice: int, sides: int, least: int) -> H[int]:
    """How many of some dice show the number or more."""
    return dice @ H({1: sides - least + 1, 0: least - 1})


PLAIN: dict[str, Callable[[], H[int]]] = {
    "3d6": lambda: 3 @ H(6),
    "2d6+1d8+3": lambda: 2 @ H(6) + H(8) + 3,
    "1d20-1d4": lambda: H(20) - H(4),
    "4d6kh3": lambda: (4 @ P(6)).at(slice(1, None)),
    "5d6kl2": lambda: (5 @ P(6)).at(slice(2)),
    "6d10 >= 7": lambda: hits(6, 10, 7),
    "10d10": lambda: 10 @ H(10),
    "12d6": lambda: 12 @ H(6),
}
"""Expressions, and what dyce has for each."""
