"""The command `urim audit`: a bundle judged, no matter who made it, by its file and a key alone."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from ...errors import Refused
from ...events.checkpoint import NOTE_BYTES
from ...events.keys import checked_key
from ...events.throw import checked_seat
from ..audit import Progress, audit
from ..render.audit import audit_objects, audit_parts
from ..render.text import page, pen_of
from .frame import FILE, command
from .progress import progress
from .shared import exit_with, print_objects


@command(
    click.Argument(["bundle"], type=FILE, metavar="FILE", help="A bundle: NAME.urim.jsonl."),
    click.Option(["--key"], metavar="VKEY", help="The log's public key, from somebody you trust."),
    click.Option(
        ["--seen"],
        type=FILE,
        multiple=True,
        metavar="CHECKPOINT",
        help="An earlier checkpoint; repeat for more.",
    ),
    click.Option(
        ["--seat", "named"],
        multiple=True,
        metavar="SEAT=KEY",
        help="The key of a seat, from its player (`urim key seat`); repeat for more.",
    ),
    name="audit",
)
def audit_file(
    bundle: Path,
    *,
    key: str | None,
    seen: Sequence[Path],
    named: Sequence[str],
    as_json: bool,
) -> None:
    """Check a bundle step by step: signature, log, throws, every die, every rule.

    Without --key the bundle's own key is trusted: then only what contradicts itself is found. So
    with the keys of seats that no --seat names.
    """
    seats = _keys(named)
    notes = {f"--seen {path}": _note(path) for path in seen}
    with progress(as_json=as_json) as show:
        report = audit(bundle, key=key, seen=notes, seats=seats, progress=show and _entries(show))
    if as_json:
        print_objects(audit_objects(report))
    else:
        out = page(sys.stdout)
        for part in audit_parts(report, pen_of(out)):
            out.print(part)
    exit_with(report.exit)


def _entries(show: Callable[[str], None]) -> Progress:
    return lambda done, size: show(f"{done:,} of {size:,} entries")


def _keys(named: Sequence[str]) -> dict[str, bytes]:
    """The keys that a reader knows seats by.

    Raises Refused("malformed") for what is no SEAT=KEY, for a key that nobody may have, and for two
    keys of one seat.
    """
    found: dict[str, bytes] = {}
    for each in named:
        seat, equals, text = each.partition("=")
        if not equals or seat in found:
            why = f"--seat {each[:80]!r} is " + (
                "the second key of its seat" if equals else "no key"
            )
            raise Refused("malformed", why, allowed=["SEAT=KEY, once a seat"])
        found[checked_seat(seat)] = checked_key(text)
    return found


def _note(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(NOTE_BYTES + 1)
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error
