"""The command `urim fairness`: whether a table's dice fell as fair dice do."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from msgspec import Struct

from ...errors import Refused
from ...events.codec import RecordedEvent, recorded
from ...events.entry import Entry, verify
from ...events.log.location import Location
from ...events.table import SeatNamed, SeatTaken, TextSaid
from ...projections.fairness import Tally
from ...projections.figures import Figures
from ..render.fairness import fairness_objects, fairness_parts
from ..render.plot import Curve, Point, plot
from ..render.text import page, pen_of
from .database import DATABASE, TABLE, entries_of
from .frame import FILE, FORCE, command
from .shared import must_be_free, print_objects, say_written, write_file

SUFFIX = ".svg"
"""How a plot's file must end: programs tell by it what it is."""


class Tallied(Struct, frozen=True):
    """A log's figures, how E went for each kind of die and what became of rolls, seats' names."""

    figures: Figures
    curves: Sequence[Curve]
    names: dict[str, str]


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--plot", "picture"],
        type=FILE,
        metavar="FILE.svg",
        help="Draw how the figures went, as SVG.",
    ),
    FORCE,
)
def fairness(
    database: Location, table: str, *, picture: Path | None, force: bool, as_json: bool
) -> None:
    """Say whether a table's fair dice fell as fair dice do, and whether its voids select.

    Statistics find dice that were chosen among; that each die follows from its committed seed is
    what an audit proves.
    """
    if picture is not None and picture.suffix.lower() != SUFFIX:
        raise Refused("malformed", f"a plot in {picture}", allowed=[f"FILE{SUFFIX}"])
    must_be_free(picture, force=force)
    found = tallied(entries_of(database, table))
    written = None
    if picture is not None:
        drawn = plot(f"Fairness of table {table}", found.curves).encode("utf-8")
        written = write_file(picture, [drawn], force=force)
    if as_json:
        print_objects(fairness_objects(table, found.figures))
    else:
        out = page(sys.stdout)
        for part in fairness_parts(table, found.figures, found.names, pen_of(out)):
            out.print(part)
    if written is not None:
        say_written(written, as_json=as_json)


def tallied(entries: Iterable[Entry]) -> Tallied:
    """The figures of a log's entries, those withheld or erased left out. Raises Damaged."""
    tally = Tally()
    curves: dict[tuple[str, str | None], list[Point]] = {}
    names: dict[str, str] = {}
    first: RecordedEvent | None = None
    for entry in entries:
        verify(entry)
        if entry.payload is None:
            continue
        record = recorded(entry)
        first = first or record
        tally.take(record)
        first = record if record.first else first
        if isinstance(record.event, TextSaid) and isinstance(first.event, (SeatTaken, SeatNamed)):
            names[first.event.seat] = record.event.text
        for name, point in tally.points().items():
            curve = curves.setdefault(name, [])
            if not curve or curve[-1][0] != point[0]:
                curve.append(point)
    labelled = [(kind or f"{name} rolls", curve) for (name, kind), curve in curves.items()]
    return Tallied(tally.figures(), labelled, names)
