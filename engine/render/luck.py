"""Luck for a terminal: a sentence for each seat, and what each entry of a roll was worth."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...projections.aims import MARGIN
from ...projections.lexicon import name_text
from ...projections.tables import TableState
from ...projections.wording import counted, percent_text
from ..core.luck import Moment, SeatLuck, TableLuck
from .text import Pen

CLAIMS = (
    "A throw counts by how much it changed what its roll is worth: a die that decided counts, one"
    " that did not hardly does. To look often gives no more false alarms: about one in a hundred"
    " tables with fair dice, or fewer, ever has somebody outside what is normal. This does not say"
    " whether the dice are fair, which `urim audit` checks, who played well, or what comes next."
)
"""What luck claims, and what it does not, for who sees it for the first time."""


def luck_parts(state: TableState, luck: TableLuck, pen: Pen) -> Iterator[RenderableType]:
    """A sentence for each seat, and for its characters; then what is left out."""
    yield pen.text(f"Luck at table {state.id}", "bold underline")
    if not luck.seats:
        yield pen.text("No roll is there that could be counted.")
    for seat in luck.seats:
        yield pen.text(sentence(state, seat, luck.aim))
        if len(seat.characters) > 1:
            for id, total in seat.characters.items():
                yield pen.text(f"  {name_text(state, id)}: {_against(total, luck.aim)}")
    for told, many in (
        ("Counted as the dice fell, without rerolls or adjustments", luck.standing),
        ("Left out, too complicated to calculate", sum(luck.left.values())),
    ):
        if many:
            yield pen.text(f"{told}: {counted(many, 'throw')}.")
    yield Text()


def sentence(state: TableState, seat: SeatLuck, aim: str) -> str:
    """A seat's luck in words that a player reads."""
    who, rolls = name_text(state, seat.seat), counted(seat.rolls, "roll")
    told = f"{who}: {_against(seat.luck, aim)} in {rolls}."
    normal = f"Normal: from {-seat.least:.1f} fewer to {seat.most:.1f} more."
    return f"{told} {normal} {SAID.get(seat.said, '')}".rstrip()


SAID = {
    "lucky": "That is unusually many: good luck.",
    "unlucky": "That is unusually few: bad luck.",
}
"""What is said of who is outside what is normal."""


def _against(total: float, aim: str) -> str:
    unit = "points" if aim == MARGIN.words else "successes"
    return f"{abs(total):.1f} {unit} {'fewer' if total < 0 else 'more'} than average"


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
        numbers = (*(worth_text(one, aim) for one in worths), *map(_gain, (each.luck, each.play)))
        who = name_text(state, each.character)
        table.add_row(str(each.seq), *map(pen.text, (who, *numbers, each.why)))
    return table


def worth_text(worth: Fraction | None, aim: str) -> str:
    """What a roll is worth: the chance of what is wanted, or the points expected; "" if unknown."""
    if worth is None:
        return ""
    return f"{float(worth):.2f}" if aim == MARGIN.words else percent_text(worth)


def _gain(gain: Fraction | None) -> str:
    return "" if gain is None else f"{float(gain):+.2f}"
