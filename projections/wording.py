"""A number in words: with its noun in the right form (`1 roll`, `2 rolls`), a rating, chances."""

from collections.abc import Mapping
from fractions import Fraction


def counted(count: int, one: str, more: str = "") -> str:
    """How many of something, in words; `more` is the plural where an s does not make it."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def rating_text(rating: float) -> str:
    """A number on a sheet: `7`, `7½`, `-½`."""
    if rating == int(rating):
        return f"{int(rating)}"
    whole = int(abs(rating))
    return f"{'-' if rating < 0 else ''}{whole or ''}½"


def chances_text(chances: Mapping[str, float]) -> str:
    """Chances by name, the greatest first: `success 61.2 %, failure 38.8 %`."""
    order = sorted(chances.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {percent_text(chance)}" for name, chance in order)


def percent_text(chance: float | Fraction) -> str:
    """A chance, from 0 to 1: `61.2 %`."""
    return f"{100 * float(chance):.1f} %"
