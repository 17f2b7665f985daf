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

COUNTS = {
    "points": "A throw counts by how far its total is above or below the average.",
    "successes": "A roll may have several throws. A throw counts much where it changed the chance"
    " of a success much, and little where it changed it little.",
}
"""How a throw counts, by what a table's luck is counted in."""

CLAIMS = (
    "How wide a range is depends on which dice were thrown, not only on how many; after few rolls"
    " hardly anybody can be outside. Look as often as you like: with fair dice, at most one table"
    " in a hundred ever has somebody outside the range. This does not say who played well or badly."
    " It does not say what comes next: dice have no memory. And it does not say whether the dice"
    " are fair: `urim audit` does."
)
"""What luck claims, and what it does not, for who sees it for the first time."""


def luck_parts(state: TableState, luck: TableLuck, pen: Pen) -> Iterator[RenderableType]:
    """A sentence for each seat, and for its characters; then what is left out."""
    yield pen.text(f"Luck at table {state.id}", "bold underline")
    if all(seat.said == "normal" for seat in luck.seats):
        yield pen.text(USUAL if luck.seats else "No roll is there that could be counted.")
    for seat in luck.seats:
        yield pen.text(sentence(state, seat, luck.aim))
        if len(seat.characters) > 1:
            for id, total in seat.characters.items():
                yield pen.text(f"  of these {name_text(state, id)}: {_against(total, luck.aim)}")
    for told, many in ((STANDING, luck.standing), (LEFT, sum(luck.left.values()))):
        if many:
            yield pen.text(f"{told}: {counted(many, 'throw')}.")
    if luck.seats:
        yield pen.text(COUNTS[_unit(luck.aim)], "dim")
    yield Text()


def sentence(state: TableState, seat: SeatLuck, aim: str) -> str:
    """A seat's luck in words that a player reads."""
    who, rolls = name_text(state, seat.seat), counted(seat.rolls, "roll")
    told = f"{who}: {_against(seat.luck, aim)} than fair dice give on average, in {rolls}."
    normal = f"Range: from {-seat.least:.1f} fewer to {seat.most:.1f} more."
    return f"{told} {normal} {SAID.get(seat.said, '')}".rstrip()


USUAL = "Nobody was unusually lucky or unlucky: nobody is outside their range."

STANDING = "Counted before rerolls or changes of dice, whose effect is too complicated to calculate"
AS_FELL = "before rerolls or changes of dice"
LEFT = "Not counted at all, too complicated to calculate"

SAID = {
    "lucky": "This is unusual: good luck.",
    "unlucky": "This is unusual: bad luck.",
}
"""What is said of who is outside their range."""


def _against(total: float, aim: str) -> str:
    return f"{abs(total):.1f} {_unit(aim)} {'fewer' if total < 0 else 'more'}"


def _unit(aim: str) -> str:
    return "points" if aim == MARGIN.words else "successes"


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
        who, why = name_text(state, each.character), AS_FELL if each.stands else each.why
        table.add_row(str(each.seq), *map(pen.text, (who, *numbers, why)))
    return table


def worth_text(worth: Fraction | None, aim: str) -> str:
    """What a roll is worth: the chance of what is wanted, or the points expected; "" if unknown."""
    if worth is None:
        return ""
    return f"{float(worth):.2f}" if aim == MARGIN.words else percent_text(worth)


def _gain(gain: Fraction | None) -> str:
    return "" if gain is None else f"{float(gain):+.2f}"
