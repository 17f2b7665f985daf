"""The command `urim verifier`: what checks bundles without Urim, a page or a script, in a file."""

from importlib.resources import files
from pathlib import Path

import click

from ..verifier.build import page
from .frame import FILE, FORCE, command
from .shared import say_written, write_file

PAGE, SCRIPT = "verifier.html", "urimcheck.py"
"""What the page and the script are called where no file is named."""


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
    script = files("urim.engine.verifier") / SCRIPT
    content = script.read_bytes() if python else page().encode()
    say_written(write_file(file or Path(name), [content], force=force), as_json=as_json)
