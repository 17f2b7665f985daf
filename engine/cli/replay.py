"""A roll gone through step by step, forwards and back: by keys in a terminal, else all at once."""

import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from ..render.table import Frame, frame_parts, frames, table_objects
from ..render.text import Page, page, pen_of
from ..scenario.export import table_of
from .database import DATABASE, TABLE, entries_of
from .frame import NUMBER, command
from .shared import print_objects

KEYS = "right: on   left: back   home, end   q: leave"

MOVES: Mapping[bytes, Callable[[int, int], int]] = {
    **dict.fromkeys((b"\x1b[C", b"\x1bOC", b" ", b"\r", b"\n", b"n"), lambda at, last: at + 1),
    **dict.fromkeys((b"\x1b[D", b"\x1bOD", b"\x7f", b"\x08", b"p"), lambda at, last: at - 1),
    **dict.fromkeys((b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"g"), lambda at, last: 0),
    **dict.fromkeys((b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"G"), lambda at, last: last),
}
"""Where each key leads, from a step, given the last."""

LEAVING = (b"q", b"Q", b"\x1b", b"\x04", b"")
"""What ends it: q, Escape, the end of the input."""


@command(
    DATABASE,
    TABLE,
    click.Option(
        ["--roll"], type=NUMBER, required=True, metavar="N", help="The roll to go through."
    ),
)
def replay(database: Path, table: str, *, roll: int, as_json: bool) -> None:
    """Go through a roll step by step; in a terminal by keys, forwards and back."""
    entries = entries_of(database, table)
    if as_json:
        print_objects(table_objects(table_of(entries), roll))
        return
    found = frames(entries, table_of(entries), roll)
    out = page(sys.stdout)
    if sys.stdin.isatty() and sys.stdout.isatty() and os.name != "nt":
        _by_keys(out, found, roll)
        return
    for at in range(len(found)):
        _print(out, found, at, roll)


def _print(out: Page, found: Sequence[Frame], at: int, roll: int) -> None:
    out.print(frame_parts(found[at], roll, (at + 1, len(found)), pen_of(out), out.width))


def _by_keys(out: Page, found: Sequence[Frame], roll: int) -> None:
    at, last = 0, len(found) - 1
    with _keys() as key:
        while True:
            out.clear()
            _print(out, found, at, roll)
            out.print(KEYS, style="dim")
            pressed = key()
            if pressed in LEAVING:
                return
            move = MOVES.get(pressed)
            at = min(last, max(0, move(at, last))) if move else at


@contextmanager
def _keys() -> Generator[Callable[[], bytes]]:
    """Reads one key at a time, as it is pressed; the terminal is as before afterwards."""
    # Not on Windows, where there are no such modules.
    import termios  # noqa: PLC0415
    import tty  # noqa: PLC0415

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield lambda: os.read(handle, 16)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
