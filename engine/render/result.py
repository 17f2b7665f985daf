"""The outcome and the damage of a roll, figure by figure, as a rulebook's reader follows them.

Nothing here knows a system: labels are the keys of its figures, a pair of numbers is before and
after, and a track with an upper bound is a row of boxes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from immutables import Map
from msgspec import Struct
from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ...events.table import CharacterEntered
from ...projections.health import Health
from ...projections.tables import TableState
from ...rules.ruleset import Damage, Outcome, Track
from .text import Pen

BOXES = 12
"""Boxes in a row, at most; a longer track is written as a fraction."""

GOOD, BAD, EVEN = "bold green", "bold red", "bold yellow"

NOTHING: tuple[Any, ...] = (None, False, 0, "", [], {}, ())
"""Figures that changed nothing; they share one line."""

Figures = Mapping[str, Any]


class Writer(Struct, frozen=True):
    """Writes results: the table after them, and the terminal's pen."""

    state: TableState
    pen: Pen

    @property
    def known(self) -> Mapping[str, Track]:
        """The system's tracks, in its order."""
        return self.state.game.ruleset.tracks(self.state.game.options)

    @property
    def bounds(self) -> Mapping[str, int]:
        """The upper bound of every track that has one, and is never below 0: those have boxes."""
        tracks = self.known.items()
        return {name: track.most for name, track in tracks if track.most and track.least >= 0}

    def label(self, key: str) -> str:
        """A figure's key as words."""
        spaced = self.pen.write(key.replace("_", " ").replace(":", ", "))
        return spaced.upper() if len(spaced) == 1 else spaced

    def value(self, value: Any) -> str:
        """A figure's value in words: yes or no, before and after, a character's name for its id."""
        if isinstance(value, bool) or value is None:
            return {True: "yes", False: "no", None: "none"}[value]
        if isinstance(value, dict):
            items = (f"{self.label(str(key))} {self.value(item)}" for key, item in value.items())
            return ", ".join(items) or "none"
        if is_step(value):
            return f"{value[0]} {self.pen.glyph('to')} {value[1]}"
        if isinstance(value, (list, tuple)):
            return " ".join(map(self.value, value)) or "none"
        return self.pen.isolated(self.state.name_of(value) if isinstance(value, str) else value)

    def boxes(self, value: int, most: int, before: int | None = None) -> Text:
        """A track's boxes; those filled since `before` in another colour."""
        if most > BOXES:
            return Text(f"{value}/{most}")
        old = min(value, before) if before is not None else value
        full, empty = self.pen.glyph("full"), self.pen.glyph("empty")
        return Text.assemble(
            (full * max(0, old), "yellow"),
            (full * max(0, value - max(0, old)), BAD),
            (empty * max(0, most - value), "dim"),
        )

    def figure(self, key: str, value: Any) -> Text:
        """A figure's value; a bounded track's before and after as boxes as well."""
        text = Text(self.value(value), "bold" if value not in NOTHING else "")
        if key in self.bounds and is_step(value):
            before, after = value
            return Text("  ").join([self.boxes(after, self.bounds[key], before), text])
        return text


def by_entrance(state: TableState) -> list[str]:
    """The characters' ids in the order in which they came; that of a Map changes between runs."""
    events = (entry.event for entry in state.sheets)
    return [event.character for event in events if isinstance(event, CharacterEntered)]


def is_step(value: Any) -> bool:
    """Whether a figure is a pair of numbers, before and after."""
    return isinstance(value, (list, tuple)) and [type(item) for item in value] == [int, int]


def outcome_panel(writer: Writer, roll: int, outcome: Outcome) -> Panel:
    """The degree, the margin, every figure on the way there, and the readings that decided it."""
    style = BAD if outcome.margin < 0 else GOOD if outcome.margin > 0 else EVEN
    margin = f"{outcome.margin:+d}" if outcome.margin else "0"
    unit = writer.state.game.ruleset.unit
    head = Text.assemble(
        (writer.pen.write(outcome.degree), style), f", margin {margin} {unit}".rstrip()
    )
    known = writer.state.rolls.get(roll)
    title = f"roll {roll}"
    if known:
        title += f" by {writer.pen.isolated(writer.state.name_of(known.roll.character))}"
    return _panel(writer, title, head, outcome.figures, outcome.readings)


def damage_panel(writer: Writer, roll: int, damage: Damage) -> Panel:
    """Whom it hit and where, each layer before and after, and the readings that decided it."""
    head = Text.assemble(
        (writer.pen.isolated(writer.state.name_of(damage.target)), "bold"),
        " takes ",
        (str(damage.amount), BAD if damage.amount > 0 else EVEN),
    )
    return _panel(writer, f"damage of roll {roll}", head, damage.figures, damage.readings)


def _panel(
    writer: Writer, title: str, head: Text, figures: Figures, readings: Sequence[str]
) -> Panel:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=False)
    table.add_column()
    shown = {key: value for key, value in figures.items() if not _idle(value)}
    for key, value in shown.items():
        table.add_row(Text(writer.label(key)), writer.figure(key, value))
    parts: list[RenderableType] = [head, table]
    idle = {key: value for key, value in figures.items() if key not in shown}
    if idle:
        parts.append(Text(_idle_line(writer, idle), "dim"))
    if readings:
        parts.append(readings_line(writer, readings))
    return _framed(Group(*parts), title)


def _framed(content: RenderableType, title: str) -> Panel:
    """A panel; its title is a Text, for Rich reads markup in a plain one."""
    return Panel(content, title=Text(title), title_align="left", box=ROUNDED, expand=False)


def _idle(value: Any) -> bool:
    """Whether a figure changed nothing: no, none, zero, or the same before and after at zero."""
    return value in NOTHING or (is_step(value) and value[0] == value[1] == 0)


def _idle_line(writer: Writer, figures: Figures) -> str:
    """Figures that changed nothing, by what they say: `0: bonus, wilds; no: fatal`."""
    labels: dict[str, list[str]] = {}
    for key, value in figures.items():
        word = "0" if is_step(value) else writer.value(value)
        labels.setdefault(word, []).append(writer.label(key))
    return "; ".join(f"{word}: {', '.join(each)}" for word, each in labels.items())


def readings_line(writer: Writer, names: Iterable[str]) -> Text:
    """The readings that decided, with their values here; others than the default are bright."""
    options = writer.state.game.options
    usual = writer.state.game.ruleset.Options()
    text = Text("read as ", "dim")
    for place, name in enumerate(names):
        value = getattr(options, name, None)
        style = "dim" if value == getattr(usual, name, None) else EVEN
        text.append(", " if place else "", "dim")
        text.append(f"{writer.pen.write(name)}={writer.value(value)}", style)
    return text


def health_table(writer: Writer, everybody: Iterable[Health]) -> Table:
    """Every character's tracks: boxes where they have a bound, else their numbers if not 0."""
    table = Table(box=ROUNDED)
    table.add_column("character", style="bold")
    table.add_column("at the end")
    for each in everybody:
        table.add_row(Text(writer.pen.isolated(each.name)), tracks_text(writer, each.tracks))
    return table


def tracks_text(writer: Writer, tracks: Mapping[str, int]) -> Text:
    """A character's tracks in a few words."""
    bounds = writer.bounds
    parts = [
        Text(f"{writer.label(name)} {tracks[name]}")
        for name in writer.known
        if tracks.get(name) and name not in bounds
    ]
    for name, most in bounds.items():
        parts.append(
            Text.assemble(f"{writer.label(name)} ", writer.boxes(tracks.get(name, 0), most))
        )
    return Text(f" {writer.pen.glyph('dot')} ").join(parts) or Text("nothing", "dim")


def changes_text(writer: Writer, before: TableState) -> Text | None:
    """Every track that is not what it was in an earlier state, character by character."""
    lines: list[Text] = []
    for id in by_entrance(writer.state):
        tracks = writer.state.tracks[id]
        old: Mapping[str, int] = before.tracks.get(id, Map())
        for name in writer.known:
            pair = [old.get(name, 0), tracks.get(name, 0)]
            if pair[0] != pair[1]:
                who = writer.pen.isolated(writer.state.name_of(id))
                lines.append(
                    Text.assemble(f"{who}: {writer.label(name)} ", writer.figure(name, pair))
                )
    return Text("\n").join(lines) if lines else None


def revised_panel(writer: Writer, each: Health) -> Panel | None:
    """The blows of a character that count otherwise than was announced: then, and now."""
    table = Table.grid(padding=(0, 2))
    table.add_row("", Text("announced", "dim"), Text("counts now", "bold"))
    for blow in each.applications:
        announced = blow.announced
        if announced is None or not blow.differs:
            continue
        table.add_row(Text(f"roll {blow.roll}", "bold"), str(announced.amount), str(blow.amount))
        for key in dict.fromkeys([*announced.figures, *blow.figures]):
            then, now = announced.figures.get(key), blow.figures.get(key)
            if then != now:
                label = Text(f"  {writer.label(key)}", "cyan")
                table.add_row(label, writer.figure(key, then), writer.figure(key, now))
    if table.row_count == 1:
        return None
    return _framed(table, f"{writer.pen.isolated(each.name)}: what counts otherwise now")
