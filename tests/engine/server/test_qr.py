"""QR codes: what is drawn is what another library made of the text."""

import re

import segno

from urim.engine.server.qr import LEVEL, qr_code, qr_lines

LINK = f"http://192.168.178.100:8000/#i=urim-i1-{'A' * 43}"
SQUARES = re.compile(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z")


def dark(text: str) -> set[tuple[int, int]]:
    """The dark squares of a text's code, by row and column."""
    rows = segno.make_qr(text, error=LEVEL).matrix
    return {(y, x) for y, row in enumerate(rows) for x, found in enumerate(row) if found}


def test_a_code_is_drawn_as_rectangles() -> None:
    code = qr_code(LINK)
    assert SQUARES.sub("", code.path) == ""
    drawn: set[tuple[int, int]] = set()
    for found in SQUARES.finditer(code.path):
        x, y, width, back = map(int, found.groups())
        assert width == back
        drawn |= {(y, each) for each in range(x, x + width)}
    assert drawn == dark(LINK)
    assert code.size == segno.make_qr(LINK, error=LEVEL).symbol_size(border=0)[0]


def test_a_terminal_gets_two_rows_a_line_with_a_quiet_zone() -> None:
    quiet, lines = 4, qr_lines(LINK).splitlines()
    halves = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}  # a block is light
    shown = {
        (2 * row + half - quiet, column - quiet)
        for row, line in enumerate(lines)
        for column, block in enumerate(line)
        for half in (0, 1)
        if halves[block][half]
    }
    size = qr_code(LINK).size
    inside = {each for each in shown if each[0] < size + quiet}  # an odd row has no other half
    assert inside == dark(LINK)
    assert len(lines) == (size + 2 * quiet + 1) // 2
