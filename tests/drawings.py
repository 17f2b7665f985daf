"""Two drawings for the pages, as SVG: the states of a roll, and the way of a command.

What is drawn of the states comes from the machine's own diagram; where, ROUTES says: a row of the
automaton that has no place here is an error. Light on dark, as the other pictures.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import NamedTuple

from urim.engine.core.machine import mermaid
from urim.projections.automaton import ON_TABLE

Points = tuple[tuple[int, int], ...]


class Box(NamedTuple):
    """A box at x and y, so wide and high; the lines of its text; one within another is `inner`."""

    x: int
    y: int
    wide: int
    high: int
    lines: tuple[str, ...]
    inner: bool = False


class Arrow(NamedTuple):
    """An arrow along points, and its text at a place."""

    points: Points
    text: str
    at: tuple[int, int]


HEAD = """\
<svg viewBox="0 0 {wide} {high}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>{title}</title>
<style>
text {{ font: 14px "DejaVu Sans", "Noto Sans", Helvetica, Arial, sans-serif; fill: #e6edf3 }}
.word {{ fill: #e3b341; font-size: 13px }}
.box {{ fill: #21262d; stroke: #92999f }}
.group {{ fill: none; stroke: #92999f; stroke-dasharray: 5 4 }}
.arrow {{ fill: none; stroke: #58a6ff; stroke-width: 1.5 }}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 8 4 0 8z" fill="#58a6ff"/></marker></defs>
<rect width="{wide}" height="{high}" rx="8" fill="#161b22"/>
"""

STATES: Mapping[str, Box] = {
    "on_table": Box(280, 70, 240, 170, ("dice on the table",), inner=True),
    "declared": Box(80, 80, 120, 40, ("declared",)),
    "reacted": Box(80, 190, 120, 40, ("reacted",)),
    "rolled": Box(295, 110, 100, 40, ("rolled",)),
    "frozen": Box(405, 110, 100, 40, ("frozen",)),
    "rerolled": Box(295, 165, 100, 40, ("rerolled",)),
    "adjusted": Box(405, 165, 100, 40, ("adjusted",)),
    "resolved": Box(630, 80, 120, 40, ("resolved",)),
    "damaged": Box(630, 190, 120, 40, ("damaged",)),
    "voided": Box(340, 330, 120, 40, ("voided",)),
}
"""Where each state is."""

ROUTES: Mapping[tuple[str, str], tuple[Points, tuple[int, int]]] = {
    ("[*]", "declared"): (((140, 30), (140, 80)), (148, 55)),
    ("declared", "reacted"): (((140, 120), (140, 190)), (148, 160)),
    ("reacted", "reacted"): (((200, 220), (235, 220), (235, 250), (170, 250), (170, 230)),
                             (190, 266)),
    ("declared", "rolled"): (((200, 100), (245, 100), (245, 130), (295, 130)), (215, 92)),
    ("reacted", "rolled"): (((200, 205), (255, 205), (255, 140), (295, 140)), (215, 197)),
    ("on_table", "resolved"): (((520, 100), (630, 100)), (545, 92)),
    ("resolved", "damaged"): (((660, 120), (660, 190)), (560, 160)),
    ("damaged", "resolved"): (((720, 190), (720, 120)), (728, 160)),
    ("resolved", "resolved"): (((660, 80), (660, 45), (720, 45), (720, 80)), (665, 38)),
    ("declared", "voided"): (((80, 100), (20, 100), (20, 350), (340, 350)), (26, 155)),
    ("reacted", "voided"): (((110, 230), (110, 350), (340, 350)), (116, 320)),
    ("on_table", "voided"): (((400, 240), (400, 330)), (408, 290)),
    ("resolved", "voided"): (((750, 100), (810, 100), (810, 350), (460, 350)), (770, 300)),
    ("damaged", "voided"): (((690, 230), (690, 350), (460, 350)), (696, 290)),
}  # fmt: skip
"""How each arrow runs, and where its word is. Arrows within the dashed box are one line of text."""

WAY = (
    Box(20, 70, 130, 60, ("a seat's", "command")),
    Box(230, 70, 150, 60, ("decide: guards,", "rules, dice")),
    Box(460, 70, 130, 60, ("events,", "one commit")),
    Box(670, 70, 150, 60, ("the log: entries,", "Merkle tree")),
    Box(460, 210, 130, 60, ("the table now:", "rolls, tracks")),
    Box(670, 210, 150, 60, ("history, account,", "health, fairness")),
)
"""The way of a command: what acts on what."""

WAYS = (
    Arrow(((150, 100), (230, 100)), "asks", (165, 92)),
    Arrow(((380, 100), (460, 100)), "allowed", (390, 92)),
    Arrow(((590, 100), (670, 100)), "append", (600, 92)),
    Arrow(((690, 130), (590, 240)), "fold", (585, 185)),
    Arrow(((745, 130), (745, 210)), "fold", (752, 175)),
    Arrow(((460, 240), (305, 240), (305, 130)), "what may happen next", (312, 200)),
    Arrow(((230, 115), (190, 160), (85, 160), (85, 130)), "refused: and what would do", (20, 180)),
)


def drawings() -> dict[str, str]:
    """Every drawing by its file's name."""
    return {
        "roll-states.svg": _svg(
            (850, 400), "The states of a roll", STATES.values(), [*_moves()], START
        ),
        "way.svg": _svg((850, 300), "The way of a command", WAY, WAYS),
    }


START = '<circle cx="140" cy="26" r="6" fill="#58a6ff"/>\n'
"""Before a roll's first event."""


def _moves() -> Iterator[Arrow]:
    """The arrows of the machine's diagram; those among the states with dice are one text."""
    within: list[str] = []
    for start, to, words in re.findall(r"^ +(\S+) --> (\S+): (.+)$", mermaid(), re.MULTILINE):
        if start == "on_table" and to in ON_TABLE:
            within.append(words)
        else:
            points, at = ROUTES[start, to]
            yield Arrow(points, words, at)
    yield Arrow((), f"{', '.join(within)}: from any", (292, 226))


def _svg(
    size: tuple[int, int],
    title: str,
    boxes: Iterable[Box],
    arrows: Iterable[Arrow],
    more: str = "",
) -> str:
    wide, high = size
    parts = [HEAD.format(wide=wide, high=high, title=escape(title))]
    parts += map(_box, boxes)
    parts += map(_arrow, arrows)
    return "".join([*parts, more, "</svg>\n"])


def _box(box: Box) -> str:
    look = "group" if box.inner else "box"
    middle, first = box.x + box.wide // 2, box.y + box.high // 2 - 9 * len(box.lines) + 14
    top = box.y + 22 if box.inner else first
    texts = "".join(
        f'<text x="{middle}" y="{top + 18 * at}" text-anchor="middle">{escape(line)}</text>\n'
        for at, line in enumerate(box.lines)
    )
    frame = f'x="{box.x}" y="{box.y}" width="{box.wide}" height="{box.high}" rx="6"'
    return f'<rect class="{look}" {frame}/>\n{texts}'


def _arrow(arrow: Arrow) -> str:
    path = " ".join(f"{x},{y}" for x, y in arrow.points)
    line = f'<polyline class="arrow" points="{path}" marker-end="url(#head)"/>\n' if path else ""
    x, y = arrow.at
    return f'{line}<text class="word" x="{x}" y="{y}">{escape(arrow.text)}</text>\n'
