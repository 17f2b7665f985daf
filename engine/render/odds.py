"""The odds of a roll, for a terminal and as JSON: degrees, margins, and ways to decide."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...projections.aims import Aim, aim_of
from ...projections.odds import Spread, Way
from .text import Pen

BAR = 30
"""Columns of a certain bar."""

MOST = 40
"""Margins that are shown, at most; JSON has them all, and all ways."""

BEST = 10
"""Ways that are shown, at most."""


def degrees_of(spread: Spread) -> dict[str, Fraction]:
    """The chance of each degree, the least margin first."""
    found: dict[str, Fraction] = {}
    for (degree, _), chance in spread.chances().items():
        found[degree] = found.get(degree, Fraction(0)) + chance
    return found


def margins_of(spread: Spread) -> dict[int, Fraction]:
    """The chance of each margin, the least first."""
    found: dict[int, Fraction] = {}
    for (_, margin), chance in spread.chances().items():
        found[margin] = found.get(margin, Fraction(0)) + chance
    return found


def taken(way: Way) -> str:
    """What a way is, in the words of a command: its trigger, hand, choice, and what is taken."""
    parts = (way.offer.trigger, way.offer.hand, way.offer.choice, *way.taken)
    return " ".join(str(part) for part in parts if part != "")


def worth_of(aim: Aim, spread: Spread) -> float:
    """What may come, by the aim."""
    return float(aim.worth(spread.ends, spread.of))


def odds_object(aim: str, spread: Spread, ways: Sequence[Way]) -> JSON:
    """The odds as JSON: chances from 0 to 1 by degree and by margin; each way with its worth."""
    by = aim_of(aim)
    return {
        "type": "odds",
        "exact": True,
        "aim": aim,
        "worth": worth_of(by, spread),
        "degrees": {degree: float(chance) for degree, chance in degrees_of(spread).items()},
        "score": {str(margin): float(chance) for margin, chance in margins_of(spread).items()},
        "ways": [{"way": taken(way), "worth": worth_of(by, way.spread)} for way in several(ways)],
    }


def several(ways: Sequence[Way]) -> Sequence[Way]:
    """The ways where there is more than one; a single one is no decision."""
    return ways if len(ways) > 1 else ()


def odds_parts(aim: str, spread: Spread, ways: Sequence[Way], pen: Pen) -> Iterator[RenderableType]:
    """Degrees and margins with their bars, what is expected, and the ways to decide."""
    by = aim_of(aim)
    yield _bars(degrees_of(spread), pen)
    margins = margins_of(spread)
    if len(margins) > 1:
        yield Text()
        yield _bars({f"{margin:+}" if margin else "0": margins[margin] for margin in margins}, pen)
    mean = sum((margin * chance for margin, chance in margins.items()), Fraction(0))
    yield Text()
    yield pen.text(f"Margin expected: {float(mean):.3f}. Exact.")
    if found := several(ways):
        yield Text()
        yield pen.text(f"To decide, for the aim {aim!r}:", "bold")
        for way in found[:BEST]:
            yield pen.text(f"  {worth_of(by, way.spread):.4f}  {taken(way)}")
        if len(found) > BEST:
            yield pen.text(f"  and {len(found) - BEST} more")


def _bars(chances: Mapping[str, Fraction], pen: Pen) -> Table:
    """Each chance on a line; of very many the likeliest."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    grid.add_column(width=BAR, no_wrap=True)
    grid.add_column(justify="right")
    likely = sorted(chances, key=lambda name: -chances[name])[:MOST]
    for name, chance in chances.items():
        if name in likely:
            full = round(BAR * chance)
            bar = Text(pen.glyph("full") * full, "cyan")
            bar.append(pen.glyph("empty") * (BAR - full), "dim")
            grid.add_row(pen.isolated(name), bar, f"{float(100 * chance):.2f} %")
    return grid
