"""The installed systems, for people and programs: identity, dice, tracks, declarations, readings.

All of it is read from the ruleset itself; no system is known here.
"""

from collections.abc import Iterable, Iterator

from msgspec import to_builtins
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...rules.numbered import others, runs
from ...rules.readings import Reading, readings_of
from ...rules.ruleset import Ruleset, Track
from .forms import doc_of, form_lines, form_object, shown
from .text import Pen


def summary_object(ruleset: Ruleset) -> JSON:
    """A system's identity."""
    return {
        "type": "system",
        "name": ruleset.name,
        "version": ruleset.version,
        "title": ruleset.title,
        "source": ruleset.source,
    }


def broken_object(name: str, why: str) -> JSON:
    """A system that is installed and cannot be loaded."""
    return {"type": "broken-system", "name": name, "broken": why}


def system_object(ruleset: Ruleset) -> JSON:
    """A system's structure: dice, tracks, charts, readings, and its forms with their schemas."""
    options = ruleset.Options()
    every = ruleset.faces(options)
    return {
        **summary_object(ruleset),
        "unit": ruleset.unit,
        "halves": ruleset.halves,
        "ratings": list(ruleset.ratings),
        "triggers": list(ruleset.triggers),
        "dice": {kind: list(faces) for kind, faces in others(every).items()},
        "numbered": [list(run) for run in runs(every)],
        "tracks": {name: to_builtins(track) for name, track in ruleset.tracks(options).items()},
        "charts": to_builtins(ruleset.charts),
        "declaration": form_object(ruleset, "declaration", ruleset.Declaration),
        "reaction": form_object(ruleset, "reaction", ruleset.Reaction),
        "options": form_object(ruleset, "options", ruleset.Options),
        "readings": [
            to_builtins(each) | {"values": [*each.values], "offered": [*each.offered]}
            for each in readings_of(ruleset.Options)
        ],
    }


def systems_table(rulesets: Iterable[Ruleset], pen: Pen) -> Table:
    """Every system on a line."""
    table = Table()
    for heading in ("name", "title", "source", "version", "readings"):
        table.add_column(heading)
    for each in rulesets:
        cells = (each.name, each.title, each.source, each.version, len(readings_of(each.Options)))
        table.add_row(*(pen.text(cell) for cell in cells))
    return table


def _bounds(track: Track) -> str:
    """What a track reaches, in brackets; nothing where it starts at 0 and has no end."""
    if track.least:
        return f" (from {track.least}{f' to {track.most}' if track.most else ''})"
    return f" (up to {track.most})" if track.most else ""


def system_parts(ruleset: Ruleset, pen: Pen) -> Iterator[RenderableType]:
    """One system at length: what it throws and counts, what players say, how its text is read."""
    options = ruleset.Options()
    yield pen.text(ruleset.title, "bold underline")
    yield pen.text(f"{ruleset.name}, version {ruleset.version}; after {ruleset.source}", "dim")
    yield from _headed("triggers", [pen.text(", ".join(ruleset.triggers))])
    yield from _headed("dice", _dice_lines(ruleset, pen))
    tracks = ruleset.tracks(options).items()
    names = ", ".join(name + _bounds(track) for name, track in tracks)
    yield from _headed("tracks", [pen.text(names or "none")])
    for heading, kind in (("declaration", ruleset.Declaration), ("reaction", ruleset.Reaction)):
        doc = pen.text(doc_of(kind), "italic")
        yield from _headed(heading, [doc, *form_lines(ruleset, kind, pen)])
    yield from _headed("readings", (_reading(each, pen) for each in readings_of(ruleset.Options)))
    data = list(form_lines(ruleset, ruleset.Options, pen))
    if data:
        yield from _headed("data a table may bring", data)


def _headed(heading: str, parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    yield Text()
    yield Rule(Text(heading, "bold"), align="left", style="dim")
    yield from parts


def _dice_lines(ruleset: Ruleset, pen: Pen) -> Iterator[Text]:
    every = ruleset.faces(ruleset.Options())
    for least, most in runs(every):
        yield Text.assemble((f"d{least} to d{most}", "bold"), "  each from 1 up")
    for kind, faces in others(every).items():
        shown = " ".join(pen.isolated(face) for face in faces)
        yield Text.assemble((pen.write(kind), "bold"), f"  {shown}")


def _reading(each: Reading, pen: Pen) -> Group:
    others = ", ".join(shown(value, pen) for value in each.offered if value != each.default)
    text = Text.assemble((pen.write(each.name), "bold cyan"), f" = {shown(each.default, pen)}")
    text.append(f"  not {others}" if others else "", "dim")
    if len(each.offered) < len(each.values):
        text.append(f"  {shown(each.before, pen)} before version {each.since}", "dim")
    says = Text.assemble((f"{pen.write(each.heading)}: ", "italic"), pen.write(each.says))
    assumed = pen.text(f"Assumed: {each.assumed}", "dim")
    return Group(text, *(Padding(part, (0, 0, 0, 2), expand=False) for part in (says, assumed)))
