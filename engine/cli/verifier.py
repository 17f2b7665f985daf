"""The command `urim verifier`: the page that checks bundles in a browser, written to a file."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from .. import verifier as built
from .shared import guarded, write_output

PAGE = "verifier.html"
"""The name of the page, where it is kept and where it is written."""


def verifier(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the page.")] = Path(
        PAGE
    ),
) -> None:
    """Write the page that checks bundles in a browser, without a network or this code."""
    with guarded():
        write_output(file, [(files(str(built.__package__)) / PAGE).read_bytes()])
