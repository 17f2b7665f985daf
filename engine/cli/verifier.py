"""The command `urim verifier`: the page that checks bundles in a browser, written to a file."""

from importlib.resources import files
from pathlib import Path

import click

from .. import verifier as built
from .frame import FILE, FORCE, command
from .shared import say_written, write_file

PAGE = "verifier.html"
"""The name of the page, where it is kept and where it is written."""


@command(
    click.Argument(
        ["file"], type=FILE, default=PAGE, metavar="[FILE]", help="Where to write the page."
    ),
    FORCE,
)
def verifier(file: Path, *, force: bool, as_json: bool) -> None:
    """Write the page that checks bundles in a browser, without a network or this code."""
    content = (files(str(built.__package__)) / PAGE).read_bytes()
    say_written(write_file(file, [content], force=force), as_json=as_json)
