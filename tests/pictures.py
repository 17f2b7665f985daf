"""Pictures of a demonstration for the documentation: SVG, the same bytes in every run.

`python -m tests.pictures DIR` writes them. They name fonts by family only and load nothing.
"""

import asyncio
import re
import sys
from collections.abc import Callable, Mapping
from html import unescape
from io import StringIO
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Table
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.drawings import drawings
from urim.engine.cli.play import demo_scenario, demos
from urim.engine.render.play import ending, steps_of
from urim.engine.render.text import Pen, width_of
from urim.engine.scenario import Play, play
from urim.events import roll as rolled
from urim.events.codec import recorded
from urim.events.log.memory import MemoryLog
from urim.projections.history import history

COLUMNS = 84
"""Columns of a picture."""

SIZE = 21
"""Font size; at this one the strokes of frames meet from line to line."""

CHARACTER = 12.64
"""Width of a character: 0.602 of the size, as in the first font of FORMAT."""

RICH_HEIGHT = 20
"""Height of a character that Rich reckons with."""

STEPS = 4
"""Steps in the picture of the dice."""

THEME = TerminalTheme(
    (22, 27, 34),
    (230, 237, 243),
    [
        (72, 79, 88),
        (255, 123, 114),
        (63, 185, 80),
        (227, 179, 65),
        (88, 166, 255),
        (188, 140, 255),
        (86, 212, 221),
        (177, 186, 196),
    ],
)
"""Light on dark, on its own ground: readable on a white page and on a dark one."""

FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
font-family: "DejaVu Sans Mono", "Noto Sans Mono", Menlo, Consolas, monospace;
font-size: SIZEpx;
white-space: pre;
}}
.{unique_id}-title {{
font-family: "DejaVu Sans", "Noto Sans", Helvetica, Arial, sans-serif;
font-size: 18px;
font-weight: bold;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
""".replace("SIZE", str(SIZE))
"""Rich's picture of a terminal, without the fonts that it would fetch."""

PEN = Pen()

Parts = list[RenderableType]


def main() -> None:
    """Write every picture to the directory that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.pictures DIR")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures().items():
        (folder / name).write_text(picture, "utf-8", newline="\n")


def pictures() -> dict[str, str]:
    """Every picture by its file's name: those of the first system's demonstration, and drawings."""
    system = demos()[0]
    played = asyncio.run(play(demo_scenario(system), MemoryLog()))
    shown = {f"{system}-{name}": show(played) for name, show in SHOWN.items()}
    demo = {
        f"{name}.svg": picture(name, f"urim demo {system}", parts)
        for name, parts in shown.items()
        if parts
    }
    return {**demo, **drawings()}


def picture(id: str, title: str, parts: Parts) -> str:
    """These parts as a terminal shows them; `id` keeps its styles apart from other pictures'."""
    console = Console(
        file=StringIO(),
        record=True,
        width=COLUMNS,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
        _environ={},
    )
    for part in parts:
        console.print(part)
    svg = console.export_svg(
        title=title,
        theme=THEME,
        code_format=FORMAT,
        font_aspect_ratio=CHARACTER / RICH_HEIGHT,
        unique_id=id,
    )
    lines = (line.rstrip() for line in MEASURED.sub(_remeasured, svg).splitlines())
    return "\n".join(line for line in lines if line) + "\n"


BLANK = "&#160;"
"""A space as Rich writes it."""

MEASURED = re.compile(r' x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"[^>]*>([^<]*)<')


def _remeasured(found: re.Match[str]) -> str:
    """A text without the spaces around it, set where it then begins, as long as its columns.

    Some viewers drop such spaces; and Rich counts isolates, which take no column, and would stretch
    a text that has them. Its clipping is left out: Rich forgets to define that of the last line.
    """
    x, y, text = found.groups()
    inner = text
    while inner.startswith(BLANK):
        inner = inner.removeprefix(BLANK)
    begin = float(x) + CHARACTER * (len(text) - len(inner)) / len(BLANK)
    while inner.endswith(BLANK):
        inner = inner.removesuffix(BLANK)
    length = CHARACTER * width_of(unescape(inner))
    return f'\n x="{begin:g}" y="{y}" textLength="{length:g}">{inner}<'


def _dice(played: Play) -> Parts:
    """The last steps up to the first die that is turned by hand, or else thrown again."""
    for wanted in (rolled.DiceAdjusted, rolled.DiceRerolled):
        last = _first(played, wanted)
        if last is not None:
            return _apart(_steps(played)[max(0, last - STEPS + 1) : last + 1])
    return []


def _damage(played: Play) -> Parts:
    """The first damage and the outcome that it follows from."""
    last = _first(played, rolled.DamageApplied)
    return [] if last is None else _apart(_steps(played)[last - 1 : last + 1])


def _health(played: Play) -> Parts:
    """The last step, and how everybody is after it."""
    return [*_apart(_steps(played)[-1:]), Text(), *ending(played, PEN)]


def _history(played: Play) -> Parts:
    """The log as it is read aloud, from the roll that the last step is about."""
    about = getattr(played.steps[-1].command, "roll", 1)
    lines = history(played.aggregate.opened, played.aggregate.records)
    grid = Table.grid(padding=(0, 2))
    for line in lines:
        if line.roll == about:
            grid.add_row(Text(str(line.seq), "dim"), PEN.text(line.text))
    return [grid]


SHOWN: Mapping[str, Callable[[Play], Parts]] = {
    "dice": _dice,
    "damage": _damage,
    "health": _health,
    "history": _history,
}
"""The pictures of a play by name, and what each shows."""


def _steps(played: Play) -> Parts:
    return list(steps_of(played, PEN, COLUMNS))


def _apart(parts: Parts) -> Parts:
    """The parts with an empty line between each two."""
    return [each for part in parts for each in (Text(), part)][1:]


def _first(played: Play, wanted: type) -> int | None:
    """The first step, counted from 0, that led to an event of this kind."""
    for place, step in enumerate(played.steps):
        if any(isinstance(recorded(entry).event, wanted) for entry in step.entries):
            return place
    return None


if __name__ == "__main__":
    main()
