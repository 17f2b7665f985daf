"""The command `urim audit`: a bundle judged, whoever made it, by its file and a key alone."""

import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ...errors import Refused
from ...events.checkpoint import NOTE_BYTES
from .. import verifier as the_verifier
from ..audit import Progress, audit
from ..render.audit import audit_objects, audit_parts
from ..render.text import page, pen_of
from .shared import Json, end, guarded, leave, lines

PAGE = "verifier.html"
"""What the page is called."""

PATIENCE = 1.0
"""Seconds before anything is said about progress."""


def audit_file(
    bundle: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle: NAME.urim.jsonl.")],
    *,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", metavar="VKEY", help="The log's public key, from somebody you trust."
        ),
    ] = None,
    seen: Annotated[
        list[Path] | None,
        typer.Option(
            "--seen", metavar="CHECKPOINT", help="An earlier checkpoint; repeat for more."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a bundle step by step: signature, log, throws, every die, every rule.

    Ends with 0 where nothing is wrong, 1 where something is, 2 where the file is no bundle. Without
    --key the bundle's own key is believed, and only that nothing in it contradicts itself is shown.
    """
    with guarded():
        notes = [_note(path) for path in seen or ()]
        quiet = as_json or not sys.stderr.isatty()
        progress = None if quiet else _progress()
        try:
            report = audit(bundle, key=key, seen=notes, progress=progress)
        finally:
            if progress is not None:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
        if as_json:
            lines(audit_objects(report))
        else:
            out = page(sys.stdout)
            for part in audit_parts(report, pen_of(out)):
                out.print(part)
        end(report.exit)


def verifier(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the page shall be.")] = Path(
        PAGE
    ),
) -> None:
    """Write the page that checks bundles in a browser, without a network, and without this code."""
    with guarded():
        leave(file, [(files(str(the_verifier.__package__)) / PAGE).read_bytes()])


def _progress() -> Progress:
    """Says on standard error how far it is, once it takes long."""
    started = time.monotonic()

    def told(done: int, size: int) -> None:
        if time.monotonic() - started > PATIENCE:
            sys.stderr.write(f"\rurim: {done:,} of {size:,} entries")
            sys.stderr.flush()

    return told


def _note(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(NOTE_BYTES + 1)
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error
