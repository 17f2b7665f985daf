"""Fairness figures for a terminal and as JSON: one sentence first, then each figure, then faces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import to_builtins
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...projections.figures import LOOK, SORTS, Figure, Figures, Part, chance, in_words, untested
from ...projections.wording import counted
from .account import BAD, EVEN, GOOD
from .text import Pen

BAR = 16
"""Columns of the longest bar."""

ABREAST = 2
"""Plots of faces beside each other."""

STYLES: Mapping[str, str] = {"fine": GOOD, "look closer": EVEN, "alarm": BAD}
"""How each verdict is shown."""


def grown(log: float) -> str:
    """An E, given its log10, as people write such a number."""
    if -2 <= log < 2:  # noqa: PLR2004  two digits either side of the point
        return f"{10**log:.2f}"
    return f"{10**log:,.0f}" if 0 < log < 6 else f"10^{log:.1f}"  # noqa: PLR2004  a million


# --- for a terminal -------------------------------------------------------------------------------


def fairness_parts(
    table: str, figures: Figures, names: Mapping[str, str], pen: Pen
) -> Iterator[RenderableType]:
    """The sentence, every figure in a table, and how often each face fell; `names` are seats'."""
    yield pen.text(f"Fairness of table {table}", "bold underline")
    yield pen.text(in_words(figures), STYLES[figures.verdict] if figures.dice else "")
    if not figures.dice:
        return
    yield Text()
    yield figures_table(figures, names, pen)
    yield Text()
    yield pen.text(EXPLAINED, "dim")
    yield from _abreast([plot_of(figure, pen) for figure in figures.thrown.kinds])


EXPLAINED = (
    "E: what a stake of 1 on unfair dice would have become; fair dice do not pay. By luck a row "
    f"gets to {LOOK} at one table in {LOOK} at most; that there are many rows, the sentence above "
    "allows for. +: more than expected."
)
"""What the columns and signs mean, for who sees them for the first time."""


def figures_table(figures: Figures, names: Mapping[str, str], pen: Pen) -> Table:
    """Every figure on a line: all dice, each seat's, those of voided and of kept rolls."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in ("dice", "E now", "E largest", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for head, part in _parts(figures, names, pen):
        _add(table, Text(head, "bold"), part.together, pen)
        for each in part.kinds:
            _add(table, Text(f"  {pen.isolated(each.kind)}"), each, pen)
    return table


def _parts(figures: Figures, names: Mapping[str, str], pen: Pen) -> Iterator[tuple[str, Part]]:
    yield "all fair throws", figures.thrown
    for seat in figures.seats:
        name = names.get(seat.seat)
        who = f"{seat.seat} {pen.isolated(name)}" if name else seat.seat
        left = f", {seat.unresolved} left" if seat.unresolved else ""
        counts = f"{counted(seat.rolls, 'roll')}, {seat.voided} voided{left}"
        yield pen.write(f"seat {who}: {counts}"), seat.part
    back = f", {figures.withdrawn} withdrawn before a throw" if figures.withdrawn else ""
    yield f"voided rolls: {figures.voids} of {figures.rolls}{back}", figures.voided
    yield "kept rolls", figures.kept


def _add(table: Table, head: Text, figure: Figure, pen: Pen) -> None:
    numbers = (f"{figure.dice:,}", grown(figure.now), grown(figure.most), chance(figure.p))
    if not figure.dice:
        numbers = ("0", "", "", "")
    verdict = Text(figure.verdict if figure.dice else "", STYLES[figure.verdict])
    table.add_row(head, *map(pen.text, numbers), verdict)


def plot_of(figure: Figure, pen: Pen) -> RenderableType:
    """How often each face of a kind fell: full up to what is expected, then + ; empty: too few."""
    longest = max(max(fall.count, fall.expected) for fall in figure.faces)
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    grid.add_column(width=BAR, no_wrap=True)
    grid.add_column(justify="right")
    grid.add_column(style="dim", justify="right")
    for fall in figure.faces:
        count, expected = (round(BAR * each / longest) for each in (fall.count, fall.expected))
        bar = Text(pen.glyph("full") * min(count, expected), "cyan")
        bar.append("+" * (count - expected), EVEN)
        bar.append(pen.glyph("empty") * (expected - count), "dim")
        grid.add_row(pen.isolated(fall.face), bar, str(fall.count), f"{fall.expected:.1f}")
    head = Text.assemble((pen.isolated(figure.kind), "bold"), f"  {figure.dice:,} dice")
    return Group(Text(), head, grid)


def _abreast(plots: Sequence[RenderableType]) -> Iterator[RenderableType]:
    for first in range(0, len(plots), ABREAST):
        grid = Table.grid(padding=(0, 4))
        grid.add_row(*plots[first : first + ABREAST])
        yield grid


# --- as JSON --------------------------------------------------------------------------------------


def fairness_objects(table: str, figures: Figures) -> Iterator[JSON]:
    """The verdict on the whole, then every figure: of which dice, of which seat, of which kind."""
    yield {
        "type": "fairness",
        "table": table,
        "says": in_words(figures),
        "dice": figures.dice,
        "verdict": figures.verdict,
        "p": figures.p,
        "most": figures.most,
        "strongest": figures.strongest,
        "rolls": figures.rolls,
        "voids": figures.voids,
        "withdrawn": figures.withdrawn,
        "untested": dict(untested(figures)),
        "strange": figures.strange,
    }
    for seat in figures.seats:
        counts = {"rolls": seat.rolls, "voided": seat.voided, "unresolved": seat.unresolved}
        yield {"type": "seat", "seat": seat.seat, **counts}
    for name in SORTS:
        yield from _figure_objects(name, None, getattr(figures, name))
    for seat in figures.seats:
        yield from _figure_objects("seat", seat.seat, seat.part)


def _figure_objects(of: str, seat: str | None, part: Part) -> Iterable[JSON]:
    for figure in (part.together, *part.kinds):
        yield {"type": "figure", "of": of, "seat": seat, **to_builtins(figure)}
