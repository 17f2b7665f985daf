"""Everybody's tracks for a terminal: boxes where a track has a bound, else its number."""

from collections.abc import Iterable, Mapping
from typing import Any

from immutables import Map
from msgspec import Struct
from rich.box import ROUNDED
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ...events.table import CharacterEntered
from ...projections.corrections.changes import Change
from ...projections.health import Health
from ...projections.lexicon import Lexicon
from ...projections.tables import TableState
from ...rules.ruleset import Track
from .account import boxes, change_text, framed
from .text import Pen


class Writer(Struct, frozen=True):
    """Writes tracks: the table after them, and the terminal's pen."""

    state: TableState
    pen: Pen

    @property
    def known(self) -> Mapping[str, Track]:
        """The system's tracks, in its order."""
        return self.state.game.tracks

    @property
    def bounds(self) -> Mapping[str, int]:
        """The upper bound of every track that has one, and is never below 0: those have boxes."""
        tracks = self.known.items()
        return {name: track.most for name, track in tracks if track.most and track.least >= 0}

    def label(self, track: str) -> str:
        """A track's name in words."""
        return self.pen.write(Lexicon(self.state).of("track", track))


def by_entrance(state: TableState) -> list[str]:
    """The ids of all characters in the order in which they came, of those taken away as well.

    The order of a Map changes between runs.
    """
    events = (entry.event for entry in state.sheets)
    return [event.character for event in events if isinstance(event, CharacterEntered)]


def here_by_entrance(state: TableState) -> list[str]:
    """The same without the characters that were taken away."""
    return [id for id in by_entrance(state) if state.characters[id].here]


def health_table(writer: Writer, everybody: Iterable[Health]) -> Table:
    """Every character's tracks: boxes where they have a bound, else their numbers if not 0."""
    table = Table(box=ROUNDED)
    table.add_column("character", style="bold")
    table.add_column("tracks now")
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
        drawn = boxes(writer.pen, tracks.get(name, 0), most)
        parts.append(Text.assemble(f"{writer.label(name)} ", drawn))
    return Text(f" {writer.pen.glyph('dot')} ").join(parts) or Text("nothing", "dim")


def changes_text(writer: Writer, before: TableState) -> Text | None:
    """Every track that is not what it was in an earlier state, character by character."""
    lines: list[Text] = []
    for id in by_entrance(writer.state):
        tracks = writer.state.tracks[id]
        old: Mapping[str, int] = before.tracks.get(id, Map())
        for name in writer.known:
            was, now = old.get(name, 0), tracks.get(name, 0)
            if was != now:
                who = writer.pen.isolated(writer.state.name_of(id))
                most = writer.bounds.get(name)
                lines.append(
                    change_text(writer.pen, Change(who, writer.label(name), was, now, most))
                )
    return Text("\n").join(lines) if lines else None


def revised_panel(writer: Writer, each: Health) -> Panel | None:
    """The blows of a character that count otherwise than was announced: then, and now."""
    table = Table.grid(padding=(0, 2))
    table.add_row("", Text("announced", "dim"), Text("counts now", "bold"))
    for blow in each.applications:
        if blow.announced is None or not blow.differs:
            continue
        then, now = _lines(writer, blow.announced.figures), _lines(writer, blow.figures)
        heads = [str(blow.announced.amount), str(blow.amount)]
        table.add_row(Text(f"roll {blow.roll}", "bold"), *heads)
        for label in dict.fromkeys([*then, *now]):
            if then.get(label) != now.get(label):
                shown = (then.get(label, "none"), now.get(label, "none"))
                table.add_row(Text(f"  {label}", "cyan"), *map(Text, shown))
    if table.row_count == 1:
        return None
    return framed(table, f"{writer.pen.isolated(each.name)}: what counts otherwise now")


def _lines(writer: Writer, figures: Mapping[str, Any]) -> dict[str, str]:
    """The figures of damage by label, as text."""
    lexicon, write = Lexicon(writer.state), writer.pen.write
    return {
        write(lexicon.figure(key)): write(lexicon.value(lexicon.declared(key).form, value))
        for key, value in figures.items()
    }
