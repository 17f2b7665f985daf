"""The odds of a roll, for a terminal: degrees, margins, and ways to decide."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..core.odds import Odds, OddsWay
from .text import Pen

BAR = 30
"""Columns of a certain bar."""

MOST = 40
"""Margins that are shown, at most; JSON has them all, and all ways."""

BEST = 10
"""Ways that are shown, at most."""

PLAY = "Who has to decide takes what would be best if all dice were then left as they fall."
"""How an estimate is played."""


def taken(way: OddsWay) -> str:
    """What a way is, in the words of a command: its trigger, hand, choice, and what is taken."""
    parts = (way.trigger, way.hand, way.choice, *way.taken)
    return " ".join(str(part) for part in parts if part != "")


def odds_parts(odds: Odds, pen: Pen) -> Iterator[RenderableType]:
    """Degrees and margins with their bars, what is expected, and the ways to decide."""
    yield _bars(odds.degrees, pen)
    if len(odds.score) > 1:
        yield Text()
        signed = {margin if margin[0] in "-0" else f"+{margin}": margin for margin in odds.score}
        yield _bars({shown: odds.score[margin] for shown, margin in signed.items()}, pen)
    mean = sum(int(margin) * chance for margin, chance in odds.score.items())
    yield Text()
    how = "Exact"
    if not odds.exact:
        worth = f"{odds.worth:.3f} ± {odds.error:.3f}"
        how = f"An estimate, played {odds.played:,} times: for the aim {odds.aim!r} {worth}"
    yield pen.text(f"Margin expected: {mean:.3f}. {how}.")
    whose = ", by who wants the least of it" if odds.against else ""
    if not odds.exact:
        yield pen.text(f"{odds.why[0].upper()}{odds.why[1:]}. {PLAY}")
        for way in odds.ways:
            yield pen.text(f"First{whose}: {taken(way)}.")
    elif odds.ways:
        yield Text()
        yield pen.text(f"To decide, for the aim {odds.aim!r}{whose}:", "bold")
        for way in odds.ways[:BEST]:
            yield pen.text(f"  {way.worth:.4f}  {taken(way)}")
        if len(odds.ways) > BEST:
            yield pen.text(f"  and {len(odds.ways) - BEST} more")
        for way in odds.ways:
            if way.plain:
                why = "To keep what counts and throw the rest again"
                yield pen.text(f"{why} ({taken(way)}) loses {abs(odds.worth - way.worth):.4f}.")


def _bars(chances: Mapping[str, float], pen: Pen) -> Table:
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
            grid.add_row(pen.isolated(name), bar, f"{100 * chance:.2f} %")
    return grid
