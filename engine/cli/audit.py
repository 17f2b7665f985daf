"""The command `urim audit`: a bundle judged, no matter who made it, by its file and a key alone."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ...errors import Refused
from ...events.checkpoint import NOTE_BYTES
from ..audit import Progress, audit
from ..render.audit import audit_objects, audit_parts
from ..render.text import page, pen_of
from .shared import Json, exit_with, guarded, print_objects

PATIENCE = 1.0
"""Seconds before progress is shown."""


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
    --key the bundle's own key is trusted: then only what contradicts itself is found.
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
            print_objects(audit_objects(report))
        else:
            out = page(sys.stdout)
            for part in audit_parts(report, pen_of(out)):
                out.print(part)
        exit_with(report.exit)


def _progress() -> Progress:
    """Shows on standard error how far the audit is, once it takes long."""
    started = time.monotonic()

    def show(done: int, size: int) -> None:
        if time.monotonic() - started > PATIENCE:
            sys.stderr.write(f"\rurim: {done:,} of {size:,} entries")
            sys.stderr.flush()

    return show


def _note(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(NOTE_BYTES + 1)
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error
