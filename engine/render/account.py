"""The account of a roll for a terminal: its result as a panel, line by line.

A sum is written as on paper: its terms with their signs, then its total; beside a line are the dice
that make it and the heading of its rule in the book, below it the readings that decided it.
"""

from collections.abc import Iterable, Iterator, Mapping

from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ...events.base import EventBase
from ...events.roll import DamageApplied, RollResolved
from ...events.ruling import RollAmended
from ...projections.account import marks_text
from ...projections.corrections.changes import Change
from ...projections.lexicon import name_text
from ...projections.result import (
    Item,
    Line,
    Result,
    as_read,
    damage_result,
    outcome_result,
    see,
    written,
)
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from .text import Pen

BOXES = 12
"""Boxes in a row, at most; a longer track is written as a fraction."""

DICE = 8
"""Dice named at a line, at most; of more their number is written."""

GOOD, BAD, EVEN = "bold green", "bold red", "bold yellow"


STYLES: Mapping[str, tuple[str, str, str]] = {
    "outcome": (BAD, EVEN, GOOD),
    "damage": (EVEN, EVEN, BAD),
}
"""The style of a result's head by its sort, where its number is below 0, 0, above 0."""


def result_panel(pen: Pen, title: str, result: Result) -> Panel:
    """An outcome or damage: its head, why, and how every number came out."""
    style = STYLES[result.sort][1 + (result.number > 0) - (result.number < 0)]
    shown = (pen.write(part) for part in (result.head, result.between, result.text))
    head, between, text = shown
    parts: list[RenderableType] = [Text.assemble((head, style), between, (text, style))]
    if result.reason:
        parts.append(pen.text(result.reason, "italic"))
    if result.items:
        parts.append(_grid(pen, result.items))
    if result.now:
        parts.append(pen.text(result.now, "italic"))
    parts += [change_text(pen, change) for change in result.changes]
    if result.idle:
        words = ". ".join(f"{'; '.join(labels)}: {text}" for text, labels in result.idle)
        parts.append(pen.text(words, "dim"))
    parts += [pen.text(as_read(clause), "dim") for clause in result.readings]
    return framed(Group(*parts), pen.write(title))


def framed(content: RenderableType, title: str) -> Panel:
    """A panel; its title is a Text, for Rich reads markup in a plain one."""
    return Panel(content, title=Text(title), title_align="left", box=ROUNDED, expand=False)


def _grid(pen: Pen, items: Iterable[Item]) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(style="cyan")
    grid.add_column(style="dim")
    for item, terms in written(items):
        for row in _rows(pen, item, terms):
            grid.add_row(*row)
    return grid


def _rows(
    pen: Pen, item: Item, terms: Iterable[tuple[str, Line]]
) -> Iterator[tuple[Text, Text, Text]]:
    """A fact in words, or a sum; the readings of all of its lines are below its total."""
    for value, term in terms:
        yield (pen.text(value), _label(pen, term), _beside(pen, term))
    total = item.total
    equals = f"= {pen.write(total.text)}" if item.terms else pen.write(total.text)
    if item.fact:
        label = Text.assemble(_label(pen, total), ": ", (pen.write(total.text), "bold"))
        yield (Text(), label, _beside(pen, total))
    else:
        yield (Text(equals, "bold"), _label(pen, total), _beside(pen, total, item.then))
    for line in (*item.terms, total):
        yield from _read(pen, line)


def _label(pen: Pen, line: Line) -> Text:
    unit = f" ({line.unit})" if line.unit and line.unit not in line.label else ""
    return pen.text(f"{line.label}{unit}")


def _beside(pen: Pen, line: Line, then: Iterable[str] = ()) -> Text:
    dice = " ".join(line.dice) if len(line.dice) <= DICE else f"{len(line.dice)} dice"
    return pen.text(", ".join(part for part in (dice, *then, see(line.heading)) if part))


def _read(pen: Pen, line: Line) -> Iterator[tuple[Text, Text, Text]]:
    for clause in line.readings:
        yield Text(), pen.text(as_read(clause), "dim"), Text()


# --- tracks ---------------------------------------------------------------------------------------


def boxes(pen: Pen, value: int, most: int, before: int | None = None) -> Text:
    """A track's boxes; those filled since `before` in another colour."""
    if most > BOXES:
        return Text(f"{value}/{most}")
    old = min(value, before) if before is not None else value
    full, empty = pen.glyph("full"), pen.glyph("empty")
    return Text.assemble(
        (full * max(0, old), "yellow"),
        (full * max(0, value - max(0, old)), BAD),
        (empty * max(0, most - value), "dim"),
    )


def change_text(pen: Pen, change: Change) -> Text:
    """A track before and after; one with a bound as boxes too."""
    found = Text.assemble(pen.write(change.who), ": ", (pen.write(change.track), "cyan"), " ")
    if change.most:
        found.append(boxes(pen, change.after, change.most, change.before)).append("  ")
    return found.append(f"{change.before} {pen.glyph('to')} {change.after}", "bold")


def heading(pen: Pen, state: TableState, roll: RollState) -> str:
    """What roll it is, and what is to know of it first."""
    marks = ", ".join(marks_text(state, roll))
    who = name_text(state, roll.roll.character)
    return pen.write(f"roll {roll.number} by {who}{f' ({marks})' if marks else ''}")


def announced(pen: Pen, state: TableState, event: EventBase) -> Panel | None:
    """The panel of what an event announced, as it counts now; None where it announced nothing."""
    if isinstance(event, RollResolved | RollAmended | DamageApplied):
        return roll_panel(pen, state, event.roll, damage=isinstance(event, DamageApplied))
    return None


def roll_panel(pen: Pen, state: TableState, number: int, *, damage: bool) -> Panel | None:
    """The outcome of a roll as a panel, or its damage; None where it has none."""
    roll = state.rolls[number]
    result = (damage_result if damage else outcome_result)(state, roll)
    title = heading(pen, state, roll)
    title = f"damage of {title}" if damage else title
    return None if result is None else result_panel(pen, title, result)
