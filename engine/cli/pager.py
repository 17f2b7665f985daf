"""Steps of rolls, a screen at a time: where a reader is, and what is in sight.

It takes rows of text and gives rows of text; `terminal` moves it by keys.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from ...errors import Refused

MARGIN = 1
"""Blank columns on the left. A mark of direction needs a cell before it, or terminals drop it."""

FEWEST = 3
"""Rows of the body below which the head scrolls with it."""

DIGITS = 9
"""Digits of an entry's number that can be typed."""


class Place(NamedTuple):
    """A step of a roll; steps count from 0."""

    roll: int
    step: int


class Sheet(Struct, frozen=True):
    """One step, painted: the head remains in sight, the body may scroll."""

    head: Sequence[str]
    body: Sequence[str]


class Reel(Protocol):
    """What is gone through."""

    @property
    def rolls(self) -> Sequence[int]:
        """The numbers of all rolls, in order."""
        ...

    def steps(self, roll: int) -> int:
        """How many steps a roll has; at least one."""
        ...

    def sheet(self, place: Place, width: int) -> Sheet:
        """A step, painted so wide at most; rows may have colours."""
        ...

    def find(self, entry: int) -> Place:
        """The step that an entry is. Raises Refused for one that is no step of a roll."""
        ...


class Pager:
    """Where a reader is: the step, the first row in sight, and what is being typed."""

    def __init__(self, reel: Reel, roll: int, keys: Sheet) -> None:
        self.reel = reel
        self.keys = keys  # shown as help
        self.place = Place(roll, 0)
        self.top = 0
        self.typed: str | None = None  # the digits of an entry to go to
        self.helping = False
        self.note = ""
        self.size = (80, 24)  # columns and rows

    # --- what is on the screen --------------------------------------------------------------------

    def screen(self, columns: int, rows: int) -> list[str]:
        """Every row of a screen of this size."""
        self.size = columns, rows
        head, body, room = self._view()
        self.scroll(0)
        shown = body[self.top : self.top + room]
        blank = [""] * (room - len(shown))
        return [" " * MARGIN + row for row in (*head, *shown, *blank, self._status())]

    def _view(self) -> tuple[list[str], list[str], int]:
        """The head, the body, and for how many rows of it there is room."""
        columns, rows = self.size
        width = max(1, columns - MARGIN)
        sheet = self.keys if self.helping else self.reel.sheet(self.place, width)
        head, body = list(sheet.head), list(sheet.body)
        if rows - len(head) - 1 < min(FEWEST, len(body)):
            head, body = [], head + body
        return head, body, max(1, rows - len(head) - 1)

    def _status(self) -> str:
        _, body, room = self._view()
        if self.typed is not None:
            text = f"go to entry: {self.typed}_"
        elif self.note:
            text = self.note
        else:
            last = min(self.top + room, len(body))
            rows = f"rows {self.top + 1}-{last} of {len(body)}   " if len(body) > room else ""
            text = f"{rows}?: keys   q: leave"
        return f"\x1b[2m{text[: self.size[0] - MARGIN]}\x1b[0m"

    # --- where keys lead --------------------------------------------------------------------------

    def go(self, place: Place) -> None:
        """Go to a step, to its first row."""
        self.place, self.top, self.helping = place, 0, False

    def step(self, by: int) -> None:
        """Go on or back by so many steps of this roll; beyond an end, to that end."""
        roll, step = self.place
        found = max(0, min(step + by, self.reel.steps(roll) - 1))
        if step == found and not self.helping:
            self.note = "this is the last step" if by > 0 else "this is the first step"
        else:
            self.go(Place(roll, found))

    def turn(self, by: int) -> None:
        """Go on or back by a screen; from the last one of a step to the next, from its first back.

        The row at the edge remains in sight.
        """
        _, body, room = self._view()
        if self.helping or (self.top + room < len(body) if by > 0 else self.top > 0):
            self.scroll(by * max(1, room - 1))
            return
        before = self.place
        self.step(by)
        if by < 0 and self.place != before:
            _, body, _ = self._view()
            self.scroll(len(body))

    def scroll(self, by: int) -> None:
        """Go on or back by so many rows, as far as there are any."""
        _, body, room = self._view()
        self.top = max(0, min(self.top + by, len(body) - room))

    def roll(self, by: int) -> None:
        """Go to the first step of the next roll, or of the one before."""
        at = self.reel.rolls.index(self.place.roll) + by
        if 0 <= at < len(self.reel.rolls):
            self.go(Place(self.reel.rolls[at], 0))
        else:
            self.note = "this is the last roll" if by > 0 else "this is the first roll"

    def help(self) -> None:
        """Show the keys, or the step again."""
        self.helping, self.top = not self.helping, 0

    def ask(self) -> None:
        """Ask for the number of an entry."""
        self.typed = ""

    def type(self, digit: str) -> None:
        """Take a digit of the number asked for; without one, drop the last."""
        typed = self.typed or ""
        self.typed = (typed + digit)[:DIGITS] if digit else typed[:-1]

    def jump(self) -> None:
        """Go to the entry whose number was typed."""
        typed, self.typed = self.typed, None
        if typed:
            try:
                self.go(self.reel.find(int(typed)))
            except Refused as error:
                self.note = str(error)

    def forget(self) -> None:
        """Drop the number that was being typed."""
        self.typed = None
