"""How the bet on unfair dice went, as a picture: log10 of E over the dice, a line for each kind.

SVG, the same bytes for the same log, light on its own dark ground like the other pictures.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import TypeAlias

from msgspec import Struct

from ...projections.figures import ALARM, LOOK
from .text import Pen

Point: TypeAlias = tuple[int, float]
"""How many dice there were, and log10 of E then."""

Curve: TypeAlias = tuple[str, Sequence[Point]]
"""A line and what it is called."""

WIDTH, HEIGHT = 800, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 170, 40, 50
"""Margins around the curves; the legend is in the right one."""

POINTS = 400
"""Points of a curve, at most; of those between two of them the highest is drawn."""

LEADING = 17
"""From line to line of the legend."""

TICKS = 8
"""Marks on an axis, at most."""

FONT = 'font-family="DejaVu Sans, Noto Sans, Helvetica, Arial, sans-serif" font-size="13"'
"""By family only: nothing is loaded."""

GROUND, INK, FAINT = "#161b22", "#e6edf3", "#484f58"
LIMITS = (
    (LOOK, "look closer", "#e3b341", WIDTH - RIGHT, "end"),
    (ALARM, "alarm", "#ff7b72", LEFT + 6, "start"),
)
"""The lines that matter: E, its words, their colour, and their place: x, and which end is there."""

LINES = ("#58a6ff", "#3fb950", "#bc8cff", "#56d4dd", "#ff9bce", "#ffa657", "#b1baaf", "#79c0ff")
DASHES = ("", "6 3", "2 3")
"""Colours of the curves in turn; when all were used, again with the next kind of dashes."""


class Frame(Struct, frozen=True):
    """What the picture reaches: dice from 0 to `dice`, log10 of E from `low` to `high`."""

    dice: int
    low: int
    high: int

    def x(self, dice: int) -> float:
        """The place of so many dice, from the left."""
        return LEFT + (WIDTH - LEFT - RIGHT) * dice / self.dice

    def y(self, log: float) -> float:
        """The place of this log10 of E, from the top."""
        part = (self.high - log) / (self.high - self.low)
        return TOP + (HEIGHT - TOP - BOTTOM) * part


def plot(title: str, curves: Sequence[Curve]) -> str:
    """The picture of these curves."""
    points = [point for _, curve in curves for point in curve]
    frame = Frame(
        dice=max((dice for dice, _ in points), default=1),
        low=math.floor(min((log for _, log in points), default=0.0)) - 1,
        high=max(math.ceil(max((log for _, log in points), default=0.0)), 4) + 1,
    )
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" xmlns="http://www.w3.org/2000/svg" {FONT}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>',
        _text(LEFT, TOP - 16, title, INK, "start", " font-weight='bold'"),
        *_axes(frame),
        *_limits(frame),
        *_curves(frame, curves),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _axes(frame: Frame) -> Iterator[str]:
    for log in range(frame.low, frame.high + 1, _step(frame.high - frame.low)):
        yield _across(frame.y(log), FAINT, 0.5)
        yield _text(LEFT - 8, frame.y(log) + 4, f"{log:+d}" if log else "0", INK, "end")
    bottom = HEIGHT - BOTTOM
    for dice in range(0, frame.dice + 1, _step(frame.dice)):
        yield _text(frame.x(dice), bottom + 18, f"{dice:,}", INK)
    yield _across(bottom, INK, 1)
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "dice", INK)
    at = f"{LEFT - 42},{(TOP + bottom) / 2:g}"
    yield f'<g transform="translate({at}) rotate(-90)">{_text(0, 0, "log10 of E", INK)}</g>'


def _step(reach: int) -> int:
    """The least of 1, 2, 5, 10, 20 … that marks an axis so long at most TICKS times."""
    size = 1
    while True:
        for step in (size, 2 * size, 5 * size):
            if reach <= step * TICKS:
                return step
        size *= 10


def _limits(frame: Frame) -> Iterator[str]:
    for limit, words, colour, x, anchor in LIMITS:
        y = frame.y(math.log10(limit))
        yield _across(y, colour, 1, "4 4")
        yield _text(x, y - 4, f"{words}: {limit:,}", colour, anchor)


def _curves(frame: Frame, curves: Sequence[Curve]) -> Iterator[str]:
    for number, (name, curve) in enumerate(curves):
        colour = LINES[number % len(LINES)]
        dash = _dashed(DASHES[number // len(LINES) % len(DASHES)])
        at = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in [(0, 0.0), *thinned(curve)])
        style = f'fill="none" stroke="{colour}" stroke-width="1.5"{dash}'
        yield f'<polyline {style} points="{at}"/>'
        y = TOP + 4 + LEADING * number
        yield f'<path d="M{WIDTH - RIGHT + 8} {y - 4:g}h18" {style}/>'
        yield _text(WIDTH - RIGHT + 32, y, name, INK, "start")


def thinned(curve: Sequence[Point]) -> list[Point]:
    """At most POINTS of a curve: the highest of each stretch, and the last."""
    stretch = math.ceil(len(curve) / POINTS) or 1
    starts = range(0, len(curve), stretch)
    found = [max(curve[at : at + stretch], key=lambda point: point[1]) for at in starts]
    return found if found[-1:] == list(curve[-1:]) else [*found[: POINTS - 1], curve[-1]]


def _across(y: float, colour: str, width: float, dashes: str = "") -> str:
    path = f'd="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"'
    return f'<path {path} stroke="{colour}" stroke-width="{width:g}"{_dashed(dashes)}/>'


def _dashed(dashes: str) -> str:
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def _text(
    x: float, y: float, text: str, colour: str, anchor: str = "middle", more: str = ""
) -> str:
    shown = escape(Pen().write(text))
    return (
        f'<text x="{x:g}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"{more}>{shown}</text>'
    )
