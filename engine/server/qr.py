"""QR codes of links, for the page to draw and for a terminal."""

from collections.abc import Iterator
from io import StringIO
from itertools import groupby

import segno

from ..wire.bodies import QrCode

LEVEL = "m"
"""How much of a code may be unreadable: 15 %. More would make it denser, and harder to read."""


def qr_code(text: str) -> QrCode:
    """A text as a QR code, as data."""
    rows = _made(text).matrix
    return QrCode(size=len(rows), path="".join(_squares(rows)))


def qr_lines(text: str) -> str:
    """A text as a QR code of half blocks, for a terminal that is dark."""
    out = StringIO()
    _made(text).terminal(out, compact=True)
    return out.getvalue().rstrip("\n")


def _made(text: str) -> segno.QRCode:
    return segno.make_qr(text, error=LEVEL)


def _squares(rows: tuple[bytearray, ...]) -> Iterator[str]:
    """A rectangle for each run of dark squares."""
    for y, row in enumerate(rows):
        x = 0
        for dark, run in groupby(row):
            width = len(list(run))
            if dark:
                yield f"M{x} {y}h{width}v1h-{width}z"
            x += width
