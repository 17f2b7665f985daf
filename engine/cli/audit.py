"""The command `urim audit`: a bundle judged, no matter who made it, by its file and a key alone."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ...errors import Refused
from ...events.checkpoint import NOTE_BYTES
from ...events.throw import checked_seat
from ..audit import audit
from ..render.audit import audit_lines, audit_object
from ..render.text import page, pen_of
from .frame import FILE, SEEN, command
from .shared import bytes_in, exit_with, print_objects


@command(
    click.Argument(["bundle"], type=FILE, metavar="FILE", help="A bundle: NAME.urim.jsonl."),
    click.Option(["--key"], metavar="VKEY", help="The log's public key, from somebody you trust."),
    SEEN,
    click.Option(
        ["--seat", "named"],
        multiple=True,
        metavar="SEAT[=KEY]",
        help="Your seat, whose line comes first, and its key (`urim key seat`); repeat for more.",
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
    """Check a bundle: signature, log, throws, every die; then every rule.

    Without --key the bundle's own key is trusted: then only what contradicts itself is found. So
    with the keys of seats that no --seat names.
    """
    seats = _seats(named)
    notes = [bytes_in(path, NOTE_BYTES) for path in seen]
    report = audit(bundle, key=key, seen=notes, seats=seats)
    known = report.proof.seats  # in a roll's file one may be missing
    if report.proof.whole and (strange := next((seat for seat in seats if seat not in known), "")):
        raise Refused("unknown", f"no seat {strange!r} in this log", allowed=sorted(known))
    if as_json:
        print_objects([audit_object(report)])
    else:
        out = page(sys.stdout)
        for line in audit_lines(report, pen_of(out), [*seats]):
            out.print(line)
    exit_with(report.exit)


def _seats(named: Sequence[str]) -> dict[str, str | None]:
    """The seats that a reader names, with the key of each that is known by one.

    Raises Refused("malformed") for what is no SEAT or SEAT=KEY, and for a seat that is named twice.
    """
    found: dict[str, str | None] = {}
    for each in named:
        seat, _, text = each.partition("=")
        if checked_seat(seat) in found:
            why = f"--seat {each[:80]!r} names its seat a second time"
            raise Refused("malformed", why, allowed=["SEAT or SEAT=KEY, once a seat"])
        found[seat] = text or None
    return found
