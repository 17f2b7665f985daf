"""Rows for a terminal whose cells keep their order, whatever the terminal knows about Hebrew.

Some terminals print every character where it comes. Others apply the bidirectional algorithm of
Unicode to each row: there, letters that run from right to left change places with their neighbours,
be there blanks and frames between them: ח ר ל becomes ל ר ח. So each letter, word or name gets a
left-to-right mark (LRM) on either side.

LRM is as old as the algorithm, and what reorders knows it. It keeps neighbours apart, and a row
that begins with Hebrew still begins on the left. Isolates are younger (Unicode 6.3); terminals have
printed them as boxes, or read them the wrong way round. So an isolate is printed only where it is
needed, around a text that also holds digits, signs or another script. What passes over isolates
shows such a text as one run too, for LRM is around it.

To a terminal each row is a paragraph, and its end closes every isolate. So a text that is wrapped
is isolated in each of its rows.
"""

import re
import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len

from ...projections.isolates import FSI, PDI

LRM = "\u200e"
"""The left-to-right mark: a character of no width that runs from left to right."""

OPENING = (FSI, "\u2066", "\u2067")
"""What opens an isolate: first strong, left to right, right to left."""

ISOLATING = (*OPENING, PDI)
"""What opens and closes isolates."""

LEFTWARDS = ("R", "AL")
"""The classes of letters that run from right to left, as Unicode names them."""

RUNNING = (*LEFTWARDS, "NSM", "WS", "BN")
"""With their points, the blanks between them, and what takes no place: they run together."""

CELL = re.compile("[^│║]+")
"""What is between two vertical strokes of a frame."""

FIELD = re.compile(r"\S(?:\s?\S)*")
"""A text within a cell: columns are at least two blanks apart."""


class Marker:
    """Marks one row after the other, and knows which texts go on in the next row."""

    def __init__(self) -> None:
        self._going_on: frozenset[int] = frozenset()  # where texts go on that are isolated

    def marked(self, row: str) -> list[str]:
        """What to print for each character of a row: itself, with marks before and after it."""
        shown = list(row)
        going_on: set[int] = set()
        if not row.isascii():
            bare = 0
            for start, stop, column in self._isolates(row):
                _keep_words(shown, row, bare, start)
                _keep(shown, row, start, stop)
                bare = stop
                going_on.update(() if column is None else (column,))
            _keep_words(shown, row, bare, len(row))
        self._going_on = frozenset(going_on)
        return shown

    def _isolates(self, row: str) -> Iterator[tuple[int, int, int | None]]:
        """Where each outermost isolate begins and ends; the column where its text goes on."""
        for cell in CELL.finditer(row):
            fields = [field.span() for field in FIELD.finditer(row, *cell.span())]
            begun = {start for start, _ in fields if _column(row, start) in self._going_on}
            openers: list[int] = []
            for place in range(*cell.span()):
                openers += [place] * ((place in begun) + (row[place] in OPENING))
                if row[place] == PDI and openers:
                    opener = openers.pop()
                    if not openers:
                        yield opener, place + 1, None
            if openers:
                [(start, stop)] = [each for each in fields if each[0] <= openers[0] < each[1]]
                yield openers[0], stop, _column(row, start)


def _keep(shown: list[str], row: str, start: int, stop: int) -> None:
    """Keep the order of a part of a row that is isolated, here or in the row before."""
    inner = row[start:stop]
    if not _mixed(inner):
        for place in range(start, stop):
            shown[place] = "" if row[place] in ISOLATING else shown[place]
        before = after = LRM if any(map(leftwards, inner)) else ""
    else:
        before = LRM + ("" if row[start] in OPENING else FSI)
        opened = sum(map(inner.count, OPENING)) + (row[start] not in OPENING)
        after = PDI * (opened - inner.count(PDI)) + LRM
    shown[start] = before + shown[start]
    shown[stop - 1] += after


def _mixed(text: str) -> bool:
    """Whether a text runs from right to left, and holds what would not run with it by itself."""
    bare = text.translate(dict.fromkeys(map(ord, ISOLATING)))
    runs = any(map(leftwards, bare))
    return runs and not all(map(RUNNING.__contains__, map(unicodedata.bidirectional, bare.strip())))


def _keep_words(shown: list[str], row: str, start: int, stop: int) -> None:
    """Keep the order of words, each by itself, that are in no isolate."""
    for word in re.finditer(r"\S+", row[start:stop]):
        places = [start + place for place in range(*word.span()) if leftwards(row[start + place])]
        if places:
            shown[places[0]] = LRM + shown[places[0]]
            shown[places[-1]] += LRM


def leftwards(character: str) -> bool:
    """Whether a character runs from right to left."""
    return unicodedata.bidirectional(character) in LEFTWARDS


def _column(row: str, place: int) -> int:
    return cell_len(row[:place])
