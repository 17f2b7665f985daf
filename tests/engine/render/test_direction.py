"""Every row that is printed on a terminal reads the same, whatever the terminal does with Hebrew.

Two references reorder rows as terminals do: one knows isolates, one is older and passes over them.
A row must come out of both in the order in which it went in, except that a word or a name that runs
from right to left is turned as a whole.
"""

import re
from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path

import pytest
from bidi import get_display  # pyright: ignore[reportMissingTypeStubs]  it has none
from bidi.algorithm import (  # pyright: ignore[reportMissingTypeStubs]
    get_display as get_display_without_isolates,
)
from rich.cells import cell_len
from rich.console import RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tests import plays
from urim.engine.render.direction import LRM, OPENING, leftwards
from urim.engine.render.play import show_play
from urim.engine.render.systems import system_parts
from urim.engine.render.table import frame_parts, frames, table_parts
from urim.engine.render.text import UNMARKED, Page, page, pen_of
from urim.projections.isolates import FSI, PDI
from urim.rules import ruleset_named, ruleset_names

ISOLATE = f"[{''.join(OPENING)}]([^{PDI}]*){PDI}"
UNIT = re.compile(f"{LRM}?{ISOLATE}{LRM}?|{LRM}([^{LRM}{''.join(OPENING)}]+){LRM}")
"""An isolate in a row, none of ours is within another; or a word between two marks."""

LETTERS = re.compile(r"\b[א-ת]\W+[א-ת]\b")
"""Two letters, each by itself: a row of letters and no word."""

HEBREW = [path for path in plays.files() if re.search("[א-ת]|milhamah", path.read_text("utf-8"))]
"""The scenarios with Hebrew in them, and those of the system that has it on its dice."""


def terminal(width: int = 80) -> Page:
    """A page that is a terminal."""
    return page(StringIO(), width=width, force_terminal=True, color_system=None, _environ={})


def rows(out: Page) -> list[str]:
    """What was printed on a page, row by row."""
    assert isinstance(out.file, StringIO)
    return out.file.getvalue().splitlines()


def printed(part: RenderableType, width: int = 80) -> list[str]:
    """A part as a terminal gets it."""
    out = terminal(width)
    out.print(part)
    return rows(out)


# --- what terminals do ----------------------------------------------------------------------------


def with_isolates(row: str, base: str | None = None) -> str:
    """The row as a terminal shows it that knows all marks."""
    return str(get_display(row, base_dir=base)).translate(UNMARKED)


def without_isolates(row: str, base: str | None = None) -> str:
    """The row as a terminal shows it that passes over isolates."""
    bare = row.translate(dict.fromkeys(map(ord, (*OPENING, PDI))))
    return str(get_display_without_isolates(bare, base_dir=base)).translate(UNMARKED)


TERMINALS = {"with isolates": with_isolates, "without": without_isolates}


def expected(row: str, show: Callable[[str, str | None], str]) -> str:
    """The row in its own order, each isolate and each marked word in it as it is shown alone."""
    base = "L" if show is without_isolates else None  # an isolate has a direction of its own
    alone = UNIT.sub(lambda found: show(found[1] or found[2], base), row)
    assert not {*OPENING, PDI} & set(alone), f"an isolate is open: {row!a}"
    return alone.translate(UNMARKED)


def moved(shown: Iterable[str]) -> list[str]:
    """The rows in which something changes places, and those that hide such a row in an isolate."""
    hebrew = sorted(row for row in set(shown) if any(map(leftwards, row)))
    hidden = [f"in one run: {row!a}" for row in hebrew if any(map(LETTERS.search, units(row)))]
    return hidden + [
        f"{name}: {row!a}"
        for row in hebrew
        for name, show in TERMINALS.items()
        if show(row, None) != expected(row, show)
    ]


def units(row: str) -> list[str]:
    """What is in the isolates of a row, and between its marks."""
    return [found[1] or found[2] for found in UNIT.finditer(row)]


# --- all that is printed --------------------------------------------------------------------------


def test_the_references_turn_what_has_no_marks() -> None:
    assert with_isolates("ח ר ל ד ל ק") == without_isolates("ח ר ל ד ל ק") == "ק ל ד ל ר ח"
    isolated = f"{FSI}ח{PDI} {FSI}ר{PDI}"
    assert (with_isolates(isolated), without_isolates(isolated)) == ("ח ר", "ר ח")


@pytest.mark.sampled(3, rest=12)
@pytest.mark.parametrize("path", HEBREW, ids=plays.name_of)
def test_no_row_of_a_scenario_changes_places(path: Path) -> None:
    kept = plays.kept_of(path)
    out, table = terminal(), kept.play.aggregate
    pen = pen_of(out)
    show_play(out, kept.play)
    parts = [*table_parts(table, pen, 80, None)]
    for number in sorted(roll.number for roll in table.opened.rolls.values()):
        shown = frames(kept.log, table, number)
        parts += [frame_parts(frame, number, (1, 1), pen, 80) for frame in shown]
    for part in parts:
        out.print(part)
    assert not moved(rows(out))


@pytest.mark.parametrize("system", ruleset_names())
def test_no_row_about_a_system_changes_places(system: str) -> None:
    out = terminal()
    for part in system_parts(ruleset_named(system), pen_of(out)):
        out.print(part)
    assert not moved(rows(out))


# --- one row --------------------------------------------------------------------------------------

NAME = f"{FSI}רבקה בת 7 לאה{PDI}"


@pytest.mark.parametrize(
    "row",
    [
        "ח ר ל ד ל ק",
        "│  ח  │ ║  ר  ║",
        "d1 ח, d2 ר 7, (ל) ד",
        f"{FSI}ח{PDI} {FSI}ר{PDI} 7",
        f"{NAME} throws {FSI}ח{PDI}",
        f"│ {NAME} │ {NAME} │ 3 │",
        "מים 3 אש 4",
        f"{FSI}Dana דנה{PDI}: {FSI}ירושלים (2){PDI} 5",
    ],
)
def test_a_row_with_marks_keeps_its_order(row: str) -> None:
    shown = printed(Text(row))
    assert [row.translate(UNMARKED) for row in shown] == [row.translate(UNMARKED)]
    assert not moved(shown)


@pytest.mark.parametrize("row", ["plain", "— é · 7", f"{FSI}Zoë{PDI} throws {FSI}7{PDI}"])
def test_a_row_without_such_letters_has_no_mark(row: str) -> None:
    assert printed(Text(row)) == [row.translate(UNMARKED)]


@pytest.mark.parametrize("name", ["ח", "רוּחַ", "רבקה לאה", "أمل"])
def test_what_runs_together_by_itself_is_printed_without_an_isolate(name: str) -> None:
    assert printed(Text(f"{FSI}{name}{PDI}: 3")) == [f"{LRM}{name}{LRM}: 3"]


@pytest.mark.parametrize("name", ["רבקה 7", "שלום!", "Dana דנה", "(דנה)"])
def test_what_holds_other_characters_is_isolated(name: str) -> None:
    assert printed(Text(f"{FSI}{name}{PDI}: 3")) == [f"{LRM}{FSI}{name}{PDI}{LRM}: 3"]


@pytest.mark.parametrize("width", [14, 20, 33])
def test_a_text_that_is_wrapped_is_isolated_in_each_of_its_rows(width: int) -> None:
    words = "אני לא זורק שוב את הקוביות האלה עד 7 הימים"
    grid = Table.grid()
    grid.add_column(width=4)
    grid.add_column()
    grid.add_row("12", Text(f"Reason: {FSI}{words}{PDI} [so]"))
    for part in (grid, Panel(grid), Text(f"{FSI}{words}{PDI} and")):
        shown = printed(part, width)
        assert len(shown) > 1
        assert not moved(shown)
        assert FSI in "".join(shown)  # around what the 7 is in


def test_marks_take_no_column() -> None:
    table = Table("name", "track")
    table.add_row(Text(NAME), "light")
    table.add_row(Text("Dana bat 7 Leah"[:13]), "light")
    [first, second] = [row for row in printed(table) if "light" in row]
    assert cell_len(first) == cell_len(second)
    assert cell_len(first[: first.index("light")]) == cell_len(second[: second.index("light")])
