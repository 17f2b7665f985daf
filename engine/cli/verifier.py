"""The command `urim verifier`: what checks bundles without Urim, a page or a script, in a file."""

from importlib.resources import files
from pathlib import Path

import click

from .. import verifier as built
from .frame import FILE, FORCE, command
from .shared import say_written, write_file

PAGE, SCRIPT = "verifier.html", "urimcheck.py"
"""The names of the page and of the script, where they are kept and where they are written."""


@command(
    click.Argument(
        ["file"],
        type=FILE,
        required=False,
        metavar="[FILE]",
        help=f"Where to write it: {PAGE}, or with --python {SCRIPT}.",
    ),
    click.Option(
        ["--python"],
        is_flag=True,
        help="The script instead, one file that needs nothing but Python 3.11.",
    ),
    FORCE,
)
def verifier(file: Path | None, *, python: bool, force: bool, as_json: bool) -> None:
    """Write the page that checks bundles in a browser, without a network or this code."""
    name = SCRIPT if python else PAGE
    content = (files(str(built.__package__)) / name).read_bytes()
    say_written(write_file(file or Path(name), [content], force=force), as_json=as_json)
