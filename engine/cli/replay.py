"""A roll gone through step by step, forwards and back: by keys in a terminal, else all at once."""

import sys
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import click
from rich.console import Group, RenderableType

from ...errors import Refused
from ...events.entry import Entry
from ...events.log.location import Location
from ..core.aggregate import Aggregate, table_of
from ..render.table import frame_parts, frames, headline, step_parts, table_objects
from ..render.text import Page, page, pen_of
from .database import DATABASE, SEEN_BY, TABLE, entries_of, seen_by
from .frame import NUMBER, command
from .pager import Place, Sheet
from .shared import print_objects

CACHED = 64
"""Painted steps that are kept: a key moves by one, and each step is asked for more than once."""


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--roll"], type=NUMBER, required=True, metavar="N", help="The roll to go through."
    ),
    SEEN_BY,
)
def replay(database: Location, table: str, *, roll: int, seat: str | None, as_json: bool) -> None:
    """Go through a roll step by step; in a terminal by keys, forwards and back."""
    entries = seen_by(entries_of(database, table), seat)
    if as_json:
        print_objects(table_objects(table_of(entries), roll))
    else:
        show_steps(page(sys.stdout), entries, roll)


def show_steps(out: Page, entries: Sequence[Entry], roll: int) -> None:
    """Show the steps of a roll: by keys where somebody is there to press them, else all at once."""
    table = table_of(entries)
    found = frames(entries, table, roll)
    if out.is_interactive and sys.stdin.isatty() and sys.stdout.isatty():
        # What reads keys takes a fifth of a second to import, and a pipe has none.
        from .terminal import page_through  # noqa: PLC0415

        page_through(Steps(out, entries, table), roll, out.color_system)
        return
    for at, frame in enumerate(found, 1):
        out.print(frame_parts(frame, roll, (at, len(found)), pen_of(out), out.width))


class Steps:
    """The steps of every roll of a table, painted: what a pager goes through."""

    def __init__(self, out: Page, entries: Sequence[Entry], table: Aggregate) -> None:
        self._out = out
        self._entries = entries
        self._table = table
        self.rolls = sorted(roll.number for roll in table.opened.rolls.values())
        self._frames = cache(lambda roll: frames(entries, table, roll))
        self.sheet = lru_cache(maxsize=CACHED)(self._sheet)

    def steps(self, roll: int) -> int:
        """How many steps a roll has."""
        return len(self._frames(roll))

    def _sheet(self, place: Place, width: int) -> Sheet:
        """A step, painted so wide: its headline, and all the rest."""
        frame, pen = self._frames(place.roll)[place.step], pen_of(self._out)
        among = place.step + 1, self.steps(place.roll)
        return Sheet(
            self._rows([headline(frame, place.roll, among, pen)], width),
            self._rows(step_parts(frame, place.roll, pen, width), width),
        )

    def _rows(self, parts: Iterable[RenderableType], width: int) -> list[str]:
        self._out.width = width
        with self._out.capture() as captured:
            self._out.print(Group(*parts))
        return captured.get().splitlines()

    def find(self, entry: int) -> Place:
        """The step that an entry is. Raises Refused("unknown") for one that is of no roll."""
        if entry >= len(self._entries):
            last = len(self._entries) - 1
            raise Refused("unknown", f"no entry {entry}", allowed=[f"0 to {last}"])
        roll = self._table.opened.entry_rolls.get(entry)
        steps = [] if roll is None else [frame.seq for frame in self._frames(roll)]
        if roll is None or entry not in steps:
            raise Refused("unknown", f"entry {entry} belongs to no roll")
        return Place(roll, steps.index(entry))
