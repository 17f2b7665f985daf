"""Any text made fit for a terminal: what it cannot encode is spelled, what could harm it is shown.

A scenario's names may come from anywhere. Control characters are written out instead of obeyed, and
isolates (FSI … PDI, for text that runs from right to left) always end in the text that opens them.
"""

import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, TextIO

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from ...projections.isolates import FSI, PDI
from .direction import LRM, OPENING, Marker

WIDEST = 100
"""Columns that text is set in, at most; a wider terminal stays empty on its right."""

OVERRIDES = "\u202a\u202b\u202c\u202d\u202e"
"""Embeddings and overrides of direction: they reach beyond a name and are dropped."""

UNMARKED = dict.fromkeys(map(ord, (*OPENING, PDI, LRM, "\u200f", "\u061c")))
"""Drops every mark of direction, for `str.translate`; the overrides are dropped before."""

GLYPHS: Mapping[str, tuple[str, str]] = {
    "to": ("→", "->"),
    "full": ("■", "#"),
    "empty": ("□", "_"),
    "adjusted": ("⇄", "~"),
    "done": ("✓", "ok:"),
    "wrong": ("✗", "!!"),
    "dot": ("·", "-"),
    "many": ("×", "x"),
}
"""Each sign as it should be, and as ASCII can write it."""

SUBSTITUTES: Mapping[str, str] = {
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "½": "1/2",
    "\u00a0": " ",
} | dict(GLYPHS.values())
"""Punctuation and signs with a plain spelling of their own."""


class Pen(Struct, frozen=True):
    """What can be shown: the encoding, and whether marks of direction mean anything there.

    `marks` is for terminals alone: what a program or an editor reads must not hold characters that
    nobody sees and no search finds.
    """

    encoding: str = "utf-8"
    marks: bool = True

    @property
    def unicode(self) -> bool:
        """Whether every character can be written."""
        return self.encoding.lower().startswith("utf")

    def glyph(self, name: str) -> str:
        """One of the signs of GLYPHS, in plain characters where the terminal has no others."""
        sign, plain = GLYPHS[name]
        return sign if self.unicode else plain

    def write(self, text: object) -> str:
        """The text as this terminal can show it; control characters but line ends written out."""
        shown = "".join(map(_harmless, str(text)))
        if not self.unicode:
            return self._spelled(shown)
        return _balanced(shown) if self.marks else shown.translate(UNMARKED)

    def text(self, text: object, style: str = "") -> Text:
        """The same, as Rich prints it."""
        return Text(self.write(text), style)

    def isolated(self, text: object) -> str:
        """The text isolated: it reads in its own direction, whatever is beside it."""
        shown = self.write(text)
        marked = self.unicode and self.marks and not shown.isascii()
        return f"{FSI}{shown}{PDI}" if marked else shown

    def _spelled(self, text: str) -> str:
        parts: list[str] = []
        letters = False  # whether the last part was a letter's name, to be parted from the next
        for character in text:
            plain, spelled = self._plain(character)
            parts.append(f"-{plain}" if spelled and letters else plain)
            letters = spelled
        return "".join(parts)

    def _plain(self, character: str) -> tuple[str, bool]:
        """The character in what can be encoded, and whether that is the name of a letter."""
        if unicodedata.category(character) == "Cf":
            return "", False
        found = SUBSTITUTES.get(character, "")
        for form in (character, found, unicodedata.normalize("NFKD", character)[0]):
            if form and self._encodes(form):
                return form, False
        name = unicodedata.name(character, f"U+{ord(character):04X}")
        return name.rsplit(" ", 1)[-1].lower(), True

    def _encodes(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True


def width_of(text: str) -> int:
    """The columns that a text takes; isolates take none."""
    return cell_len(text)


def centred(text: str, width: int) -> str:
    """The text in the middle of so many columns."""
    left = max(0, width - width_of(text)) // 2
    return " " * left + text + " " * max(0, width - width_of(text) - left)


class Rows(RenderHook):
    """Finishes what a console prints, row by row."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """What Rich asks a hook for: all that is printed at once, as it shall be printed."""
        return [Finished(renderables)]


class Finished:
    """Renders others, and each of their rows as its reader needs it."""

    def __init__(self, renderables: Sequence[ConsoleRenderable]) -> None:
        self.renderables = renderables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The same segments: their letters kept in order, or their last blanks dropped."""
        segments = (part for each in self.renderables for part in console.render(each, options))
        finish = _marked(Marker()) if console.is_terminal else _trimmed
        for line, ended in Segment.split_lines_terminator(segments):
            yield from finish(line)
            if ended:
                yield Segment.line()


def _marked(marker: Marker) -> Callable[[list[Segment]], list[Segment]]:
    def finish(line: list[Segment]) -> list[Segment]:
        words = iter(marker.marked("".join(part.text for part in line if not part.control)))
        return [
            part if part.control else Segment("".join(islice(words, len(part.text))), part.style)
            for part in line
        ]

    return finish


def _trimmed(line: list[Segment]) -> list[Segment]:
    while line and not line[-1].text.rstrip():
        line.pop()
    if line:
        last = line.pop()
        line.append(Segment(last.text.rstrip(), last.style))
    return line


class Page(Console):
    """A console that writes text as it is given, and leaves a broken pipe to its caller.

    On a terminal its letters keep their order; elsewhere it prints no blanks at the ends of lines.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.push_render_hook(Rows())

    def on_broken_pipe(self) -> None:
        """Raise it again; Rich itself would end the program."""
        raise BrokenPipeError


def page(file: TextIO, **settings: Any) -> Page:
    """A page on this stream, at most WIDEST columns wide; `settings` as of Rich's Console."""
    found = Page(file=file, markup=False, highlight=False, emoji=False, **settings)
    found.width = found.width or 80  # some set COLUMNS=0 where they know of no terminal
    asked = "width" in settings or "COLUMNS" in settings.get("_environ", os.environ)
    if found.width > WIDEST and not asked:
        found.width = WIDEST
    return found


def pen_of(console: Console) -> Pen:
    """The pen for what this console's stream can encode; marks are for terminals alone."""
    return Pen(console.encoding, marks=console.is_terminal)


def _harmless(character: str) -> str:
    if character in OVERRIDES:
        return ""
    if character != "\n" and unicodedata.category(character) in ("Cc", "Cs"):
        return f"\\x{ord(character):02x}"
    return character


def _balanced(text: str) -> str:
    """The text with every isolate closed, and none closed that was not opened."""
    depth = 0
    parts: list[str] = []
    for character in text:
        if character == PDI and depth == 0:
            continue
        depth += (character in OPENING) - (character == PDI)
        parts.append(character)
    return "".join(parts) + PDI * depth
