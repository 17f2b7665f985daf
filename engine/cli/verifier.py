"""The command `urim verifier`: the page that checks bundles in a browser, written to a file."""

from importlib.resources import files
from pathlib import Path

import click

from .. import verifier as built
from .frame import FILE, command
from .shared import write_output

PAGE = "verifier.html"
"""The name of the page, where it is kept and where it is written."""


@command(
    click.Argument(
        ["file"], type=FILE, default=PAGE, metavar="[FILE]", help="Where to write the page."
    )
)
def verifier(file: Path, *, as_json: bool) -> None:
    """Write the page that checks bundles in a browser, without a network or this code."""
    write_output(file, [(files(str(built.__package__)) / PAGE).read_bytes()])
