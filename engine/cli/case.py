"""The command `urim case`: a disputed roll as one page, for somebody who was not there."""

import sys
from pathlib import Path
from typing import Literal, get_args

import click
from msgspec import to_builtins

from ...errors import Refused
from ...events.log.location import Location
from ...projections.isolates import bare
from ..case.gather import case_of
from ..case.markdown import markdown
from ..case.page import page
from ..render.text import Pen
from ..scenario.export import NOBODY
from .database import DATABASE, SEAT, tables_of
from .export import signed_bundle
from .frame import FILE, FORCE, NUMBER, Known, OneOf, command
from .shared import DATABASE as SQLITE
from .shared import must_be_free, print_objects, say_written, write_file

Form = Literal["html", "md"]


@command(
    DATABASE,
    click.Argument(
        ["table"],
        type=Known("table", tables_of),
        required=False,
        metavar="[TABLE]",
        help="A table's id; of a bundle it may be left out.",
    ),
    click.Option(
        ["--roll"], type=NUMBER, required=True, metavar="N", help="The roll that it is about."
    ),
    click.Option(["--format", "form"], type=OneOf(get_args(Form)), help="html, unless named."),
    click.Option(
        ["--seat"],
        type=SEAT,
        default=NOBODY,
        metavar="SEAT",
        help="What this seat may see; else what everybody may, or all that a bundle discloses.",
    ),
    click.Option(["--out"], type=FILE, metavar="FILE", help="Write it to this file."),
    FORCE,
)
def case(
    database: Location,
    table: str | None,
    *,
    roll: int,
    form: Form | None,
    seat: str,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Tell a disputed roll on one page, for somebody who was not there.

    It has the dispute, every step with its dice, the sums, what another decision would have given,
    who could have chosen the dice, what went before, and proofs.
    DB may be a bundle, NAME.urim.jsonl. With --json and without --out the facts are printed.
    """
    must_be_free(out, force=force)
    found = case_of(_content(database, table, seat), roll, seat)
    text = markdown(found) if form == "md" else page(found)
    if out is not None:
        say_written(write_file(out, [text.encode("utf-8")], force=force), as_json=as_json)
    elif as_json:
        print_objects([bare(to_builtins(found))])
    elif not Pen(sys.stdout.encoding or "ascii").unicode:
        raise Refused("malformed", "this terminal cannot show it", allowed=["--out FILE"])
    else:
        sys.stdout.write(text)


def _content(database: Location, table: str | None, seat: str) -> bytes:
    """The bundle: the file's own, or one made of the table as the seat may see it."""
    if isinstance(database, Path) and not _is_database(database):
        return _bundle_in(database, table)
    if table is None:
        raise Refused("malformed", "TABLE is missing", allowed=["a table's id", "a bundle as DB"])
    return b"".join(signed_bundle(database, table, seat))


def _is_database(path: Path) -> bool:
    """Whether it is a log's file, or nothing that can be read as anything else."""
    try:
        with path.open("rb") as file:
            begins = file.read(len(SQLITE))
    except OSError:
        return True
    return begins == SQLITE or not begins


def _bundle_in(path: Path, table: str | None) -> bytes:
    content = path.read_bytes()
    header = content.partition(b"\n")[0]
    if table is not None and f'/t/{table}"'.encode() not in header:
        raise Refused("unknown", f"{path} is no bundle of table {table!r}")
    return content
