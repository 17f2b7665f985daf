"""A scenario as it was played, for a terminal: every step in words, its dice, outcome and damage.

It fits 80 columns, and says as much without colours, and in ASCII, as with them.
"""

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ..errors import Refused
from ..events import roll as rolled
from ..events.codec import recorded
from ..projections.health import health
from ..projections.history import history
from ..projections.tables import REOPENING, TableState
from .render_dice import dice_rows
from .render_result import (
    BAD,
    EVEN,
    GOOD,
    Teller,
    changes_text,
    damage_panel,
    health_table,
    outcome_panel,
    revised_panel,
    tracks_text,
)
from .render_text import Pen, pen_of
from .scenario import Failure, Play, Played

INDENT = 5
"""Columns left of what a step shows, for its number."""

HANDLED = (rolled.DiceRolled, rolled.DiceRerolled, rolled.DiceFrozen, rolled.DiceAdjusted)
"""Events after which a hand is shown."""


def show_play(console: Console, play: Play) -> None:
    """Print a whole play: who is there, every step, how everybody is at the end, what failed."""
    pen = pen_of(console)
    for part in (*opening(play, pen), *_steps(play, console), *ending(play, pen)):
        console.print(part, soft_wrap=False)


def opening(play: Play, pen: Pen) -> Iterator[RenderableType]:
    """The title, what it is about, the system and its dice, and everybody's ratings."""
    scenario, state = play.scenario, play.aggregate.opened
    dot = f" {pen.glyph('dot')} "
    yield pen.text(scenario.title, "bold underline")
    facts = (state.game.ruleset.title, f"dice {state.source}", f"level {state.level}")
    yield pen.text(dot.join(facts), "dim")
    yield Text()
    if scenario.about:
        yield pen.text(" ".join(scenario.about.split()), "italic")
        yield Text()
    before = _before_steps(play)
    tell = Teller(before, pen)
    for id, character in before.characters.items():
        ratings = dot.join(f"{tell.label(name)} {value}" for name, value in character.attributes.items())
        raised = {name: value for name, value in before.tracks[id].items() if value}
        line = Text.assemble((pen.isolated(before.name_of(id)), "bold"), "  ", ratings)
        if raised:
            line.append(dot).append(tracks_text(tell, raised, empty=False))
        yield line
    yield Text()


def _before_steps(play: Play) -> TableState:
    """The table when everybody was seated: as the first step found it."""
    return play.seated


def _steps(play: Play, console: Console) -> Iterator[RenderableType]:
    before = _before_steps(play)
    width = console.width - INDENT
    for played in play.steps:
        yield step(played, before, pen_of(console), width)
        yield Text()
        before = played.state


def step(played: Played, before: TableState, pen: Pen, width: int) -> RenderableType:
    """One step: its comment, its entries in words, and what they changed on the table."""
    number = Text(f"{played.number:>{INDENT - 2}}", "dim")
    parts: list[RenderableType] = []
    comment = played.step.get("comment")
    if comment:
        parts.append(pen.text(comment, "italic"))
    if played.refused:
        parts.append(refusal(played.refused, str(played.step.get("do")), pen))
    else:
        parts.extend(_lines(played, pen))
        parts.extend(_shown(played, before, pen, width))
    return Group(*_beside(number, parts))


def _beside(number: Text, parts: list[RenderableType]) -> Iterator[RenderableType]:
    """The parts of a step, indented, its number beside the first."""
    for place, part in enumerate(parts):
        if place == 0 and isinstance(part, Text):
            yield Hanging(number, part)
        else:
            yield Padding(part, (0, 0, 0, INDENT))
