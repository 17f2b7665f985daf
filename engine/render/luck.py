"""Luck for a terminal: a sentence for each seat, and what each entry of a roll was worth."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...projections.aims import MARGIN
from ...projections.lexicon import name_text
from ...projections.tables import TableState
from ...projections.wording import counted
from ..core.luck import Moment, SeatLuck, TableLuck
from .text import Pen

CLAIMS = (
    "Luck is what fell, less what was to be expected of these throws. The bounds hold however often"
    " one looks: of a hundred tables with fair dice one at most ever calls anybody lucky or"
    " unlucky. Whether the dice are fair is another question, which `urim audit` answers."
)
"""What luck claims, and what it does not, for who sees it for the first time."""


def luck_parts(state: TableState, luck: TableLuck, pen: Pen) -> Iterator[RenderableType]:
    """A sentence for each seat; then its characters, all together, and what is in no sum."""
    yield pen.text(f"Luck at table {state.id}", "bold underline")
    if not luck.seats:
        yield pen.text("No throw is there to speak of.")
    for seat in luck.seats:
        yield pen.text(sentence(state, seat, luck.aim))
        if len(seat.characters) > 1:
            for id, total in seat.characters.items():
                yield pen.text(f"  {name_text(state, id)}: {_above(total, luck.aim)}")
    if len(luck.seats) > 1:
        yield pen.text(f"All together: {_above(luck.luck, luck.aim)}.")
    for why, many in luck.left.items():
        yield pen.text(f"Not counted: {counted(many, 'throw')}, {why}.")
    yield Text()
    yield pen.text(CLAIMS, "dim")


def sentence(state: TableState, seat: SeatLuck, aim: str) -> str:
    """A seat's luck in words that a player reads."""
    who, rolls = name_text(state, seat.seat), counted(seat.rolls, "roll")
    told = f"{who}: {_above(seat.luck, aim)} what was to be expected in {rolls}"
    bounds = f"between {-seat.least:.1f} below and {seat.most:.1f} above is as dice fall"
    return f"{told}; {bounds}. {SAID.get(seat.said, '')}".rstrip()


SAID = {"lucky": "That is luck.", "unlucky": "That is bad luck."}
"""What is said of who is beyond the bounds."""


def _above(total: float, aim: str) -> str:
    unit = "points" if aim == MARGIN.words else "successes"
    return f"{abs(total):.1f} {unit} {'below' if total < 0 else 'above'}"


def moments_table(state: TableState, moments: Iterable[Moment], aim: str, pen: Pen) -> Table:
    """What each throw and decision of a roll was worth to who rolls, before it and after it.

    Luck and play are those of who threw, or decided.
    """
    table = Table(box=None, pad_edge=False)
    table.add_column("entry", justify="right")
    table.add_column("")
    for heading in ("before", "after", "luck", "play"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for each in moments:
        worths = (each.before, each.after)
        numbers = (*(_worth(one, aim) for one in worths), *map(_gain, (each.luck, each.play)))
        who = name_text(state, each.character)
        table.add_row(str(each.seq), *map(pen.text, (who, *numbers, each.why)))
    return table


def _worth(worth: Fraction | None, aim: str) -> str:
    if worth is None:
        return ""
    return f"{float(worth):.2f}" if aim == MARGIN.words else f"{100 * float(worth):.1f} %"


def _gain(gain: Fraction | None) -> str:
    return "" if gain is None else f"{float(gain):+.2f}"
